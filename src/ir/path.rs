//! Paths in a schema: cheap to extend and to clone while lowering, readable in a diagnostic.
use crate::diag::Place;
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
pub struct SchemaPath(Option<Arc<Node>>);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Node {
    parent: SchemaPath,
    segment: Segment,
}

impl SchemaPath {
    /// The path of the root.
    pub fn root() -> Self {
        Self::default()
    }

    /// This path and one step more.
    #[must_use]
    pub fn join(&self, segment: Segment) -> Self {
        Self(Some(Arc::new(Node {
            parent: self.clone(),
            segment,
        })))
    }

    /// The path of a property of this node.
    #[must_use]
    pub fn property(&self, name: &str) -> Self {
        self.join(Segment::Property(name.into()))
    }

    /// Returns where the node is in the input, for a schema at a pointer of the document of `version`.
    pub fn place(&self, version: &Place, schema_pointer: &str) -> Place {
        Place {
            pointer: format!("{schema_pointer}{}", self.pointer()),
            schema_path: Some(self.to_string()),
            ..version.clone()
        }
    }

    /// The steps from the root on.
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

    /// The path without its last step; none at the root.
    pub fn parent(&self) -> Option<&Self> {
        self.0.as_ref().map(|node| &node.parent)
    }

    /// The last step; none at the root.
    pub fn last(&self) -> Option<&Segment> {
        self.0.as_ref().map(|node| &node.segment)
    }

    /// Writes the path behind a text.
    pub fn write(&self, out: &mut String) {
        let Some(node) = &self.0 else {
            return;
        };
        // As deep as a document, at most.
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

    /// The same place as a JSON pointer (RFC 6901) below `openAPIV3Schema`.
    pub fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in self.segments() {
            match segment {
                Segment::Property(name) => {
                    pointer.push_str("/properties/");
                    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                }
                Segment::Items => pointer.push_str("/items"),
                Segment::Values => pointer.push_str("/additionalProperties"),
            }
        }
        pointer
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
    fn shows_and_points() {
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
