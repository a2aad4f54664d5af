//! Schema paths: cheap to extend and clone while lowering, readable in a diagnostic.
use crate::base::diag::{Place, pointer};
use std::fmt;
use std::sync::Arc;

/// A step from a schema node to one below it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// `properties.NAME`
    Property(Arc<str>),
    /// `items`
    Items,
    /// `additionalProperties`
    Values,
}

/// A path below the root of a version's schema, as `spec.containers[].env{}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaPath(Option<Arc<PathNode>>);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct PathNode {
    parent: SchemaPath,
    segment: Segment,
}

impl SchemaPath {
    /// Returns the path of the root.
    pub fn root() -> Self {
        Self::default()
    }

    /// Returns this path extended by one step.
    #[must_use]
    pub fn join(&self, segment: Segment) -> Self {
        Self(Some(Arc::new(PathNode {
            parent: self.clone(),
            segment,
        })))
    }

    /// Returns the path of a property of this node.
    #[must_use]
    pub fn property(&self, name: &str) -> Self {
        self.join(Segment::Property(name.into()))
    }

    /// Returns the steps from the root.
    pub fn segments(&self) -> Vec<&Segment> {
        let mut steps = Vec::new();
        let mut at = self;
        while let Some(node) = &at.0 {
            steps.push(&node.segment);
            at = &node.parent;
        }
        steps.reverse();
        steps
    }

    /// Returns the path without its last step; `None` at the root.
    pub fn parent(&self) -> Option<&Self> {
        self.0.as_ref().map(|node| &node.parent)
    }

    /// Returns the last step; `None` at the root.
    pub fn last(&self) -> Option<&Segment> {
        self.0.as_ref().map(|node| &node.segment)
    }

    /// Appends the path to a text.
    pub fn write(&self, out: &mut String) {
        let Some(node) = &self.0 else {
            return;
        };
        // The depth of a document bounds the recursion.
        node.parent.write(out);
        match &node.segment {
            Segment::Property(name) => {
                if node.parent.0.is_some() {
                    out.push('.');
                }
                out.push_str(name);
            }
            Segment::Items => out.push_str("[]"),
            Segment::Values => out.push_str("{}"),
        }
    }

    /// Returns the path as a JSON pointer (RFC 6901) below `openAPIV3Schema`.
    pub fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in self.segments() {
            match segment {
                Segment::Property(name) => {
                    pointer.push_str("/properties");
                    pointer::push(&mut pointer, name);
                }
                Segment::Items => pointer.push_str("/items"),
                Segment::Values => pointer.push_str("/additionalProperties"),
            }
        }
        pointer
    }

    /// Returns the location of the path in the input, from the location of the version and of its schema.
    pub fn place(&self, version: &Place, schema_pointer: &str) -> Place {
        Place {
            pointer: format!("{schema_pointer}{}", self.pointer()),
            schema_path: Some(self.to_string()),
            ..version.clone()
        }
    }
}

impl fmt::Display for SchemaPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_as_path_and_as_pointer() {
        let path = SchemaPath::root()
            .property("spec")
            .property("a/b")
            .join(Segment::Items)
            .join(Segment::Values);
        assert_eq!(path.to_string(), "spec.a/b[]{}");
        assert_eq!(
            path.pointer(),
            "/properties/spec/properties/a~1b/items/additionalProperties"
        );
        assert_eq!(SchemaPath::root().to_string(), "");
    }
}
