//! Reports what is wrong at a place in a document.
use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::{
    base::diag::{Code, Diagnostic, Diagnostics, Place, nearest, pointer},
    input::path::{SchemaPath, Segment},
};

/// A place in a document: the steps from its root. It becomes a pointer only when a diagnostic needs one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct At<'a> {
    parent: Option<&'a At<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Step<'a> {
    #[default]
    Root,
    Key(&'a str),
    Index(usize),
}

impl<'a> At<'a> {
    pub(super) fn key(&'a self, name: &'a str) -> Self {
        Self {
            parent: Some(self),
            step: Step::Key(name),
        }
    }

    pub(super) fn index(&'a self, index: usize) -> Self {
        Self {
            parent: Some(self),
            step: Step::Index(index),
        }
    }

    /// The name of the field, or nothing for an item of a list.
    pub(super) fn name(&self) -> &'a str {
        match self.step {
            Step::Key(name) => name,
            Step::Root | Step::Index(_) => "",
        }
    }

    /// Whether the place is within a schema.
    pub(super) fn is_in_schema(&self) -> bool {
        self.parent
            .is_some_and(|parent| parent.name() == "openAPIV3Schema" || parent.is_in_schema())
    }

    /// Says that `wanted` is expected here.
    pub(super) fn mistyped(&self, value: &Value, wanted: &str) -> String {
        let name = match self.step {
            Step::Root => "the document".to_owned(),
            Step::Key(name) => format!("`{}`", name.escape_debug()),
            Step::Index(index) => format!("item {index}"),
        };
        format!("{name} must be {wanted}, not {}", kind(value))
    }

    /// The place as a JSON pointer.
    pub(super) fn pointer(&self) -> String {
        let mut pointer = self.parent.map(At::pointer).unwrap_or_default();
        match self.step {
            Step::Root => {}
            Step::Key(name) => pointer::push(&mut pointer, name),
            Step::Index(index) => pointer::push_index(&mut pointer, index),
        }
        pointer
    }
}

/// Reports what is wrong with a manifest.
pub(super) struct CrdReader<'d> {
    pub(super) diagnostics: &'d mut Diagnostics,
    /// Source, document and root pointer of the current CRD, with its name and version.
    pub(super) base: Place,
    /// Pointers of values of a wrong type, which are reported, and count as absent.
    pub(super) mistyped: HashSet<String>,
    /// Pointer of the current schema, for the schema path of diagnostics.
    pub(super) schema: Option<String>,
    /// Pointers of an upgraded manifest, with the pointers in its text.
    pub(super) moved: Vec<(String, String)>,
    /// Whether the manifest is upgraded: the API server rejects it in any case, so that its further rules do not matter.
    pub(super) is_legacy: bool,
    /// Whether the manifest has `preserveUnknownFields`: its schemas say nothing about what is kept.
    pub(super) preserves: bool,
    /// Whether schemas keep what is no keyword: nobody reports it.
    pub(super) keeps_unknown: bool,
}

impl<'d> CrdReader<'d> {
    pub(super) fn new(base: Place, diagnostics: &'d mut Diagnostics) -> Self {
        Self {
            diagnostics,
            base,
            mistyped: HashSet::new(),
            schema: None,
            moved: Vec::new(),
            is_legacy: false,
            preserves: false,
            keeps_unknown: false,
        }
    }
}

impl CrdReader<'_> {
    /// Returns the place for a diagnostic.
    pub(super) fn place(&self, at: &At<'_>) -> Place {
        self.place_of(&at.pointer())
    }

    /// Returns the place that a pointer of the manifest names.
    pub(super) fn place_of(&self, pointer: &str) -> Place {
        let schema_path = self
            .schema
            .as_deref()
            .and_then(|schema| pointer.strip_prefix(schema))
            .map(schema_path);
        Place {
            pointer: self.base.pointer.clone() + &self.original(pointer),
            schema_path,
            ..self.base.clone()
        }
    }

    /// Returns the pointer that a place of an upgraded manifest has in the text.
    pub(super) fn original(&self, pointer: &str) -> String {
        self.moved
            .iter()
            .find_map(|(new, old)| {
                let rest = pointer.strip_prefix(new.as_str())?;
                (rest.is_empty() || rest.starts_with('/')).then(|| format!("{old}{rest}"))
            })
            .unwrap_or_else(|| pointer.to_owned())
    }

    /// Whether this is the root of the current schema.
    pub(super) fn is_root(&self, at: &At<'_>) -> bool {
        self.schema.as_deref() == Some(at.pointer().as_str())
    }

    pub(super) fn report(
        &mut self,
        code: Code,
        at: &At<'_>,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        let place = self.place(at);
        self.diagnostics.report(code, place, message)
    }

    /// Like [`CrdReader::report`], at the key instead of its value.
    pub(super) fn report_key(
        &mut self,
        code: Code,
        at: &At<'_>,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        let place = Place {
            key: true,
            ..self.place(at)
        };
        self.diagnostics.report(code, place, message)
    }

    /// Whether a value, or what contains it, has a wrong type.
    pub(super) fn is_mistyped(&self, pointer: &str) -> bool {
        let mut all = std::iter::successors(Some(pointer), |it| Some(it.rsplit_once('/')?.0));
        all.any(|it| self.mistyped.contains(it))
    }

    /// Reports that something is missing, unless it has a wrong type.
    pub(super) fn missing(&mut self, at: &At<'_>, what: &str) -> Option<&mut Diagnostic> {
        if self.is_mistyped(&at.pointer()) {
            return None;
        }
        Some(self.report_key(Code::MissingField, at, format!("{what} is missing")))
    }

    /// Reports that something else is expected.
    pub(super) fn wrong_type(&mut self, value: &Value, at: &At<'_>, wanted: &str) {
        self.report(Code::WrongType, at, at.mistyped(value, wanted));
    }
}

/// Returns an entry that is not null: to the API server, null is absent.
pub(super) fn entry<'v>(map: &'v Map<String, Value>, key: &str) -> Option<&'v Value> {
    map.get(key).filter(|value| !value.is_null())
}

/// Reads the text of a field; to the API server, an empty one is absent.
pub(super) fn text_of(map: &Map<String, Value>, key: &str) -> Option<String> {
    let text = map.get(key)?.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

/// Reads a flag; an absent one is off.
pub(super) fn flag_of(map: &Map<String, Value>, key: &str) -> bool {
    map.get(key).and_then(Value::as_bool).unwrap_or_default()
}

/// Reads a list of strings.
pub(super) fn texts(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items
        .filter_map(|it| it.as_str().map(str::to_owned))
        .collect()
}

/// Returns the known name that a misspelt one most likely stands for.
pub(super) fn closest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let same = known.iter().find(|known| known.eq_ignore_ascii_case(name));
    same.copied()
        .or_else(|| nearest(name, known.iter().copied()).first().copied())
}

/// Converts a pointer below a schema to the schema path of the node that it leads to or into.
pub(crate) fn schema_path(below: &str) -> String {
    let mut path = SchemaPath::root();
    let mut steps = pointer::steps(below);
    while let Some(step) = steps.next() {
        path = match step.as_str() {
            "properties" => match steps.next() {
                Some(name) => path.property(&name),
                None => break,
            },
            "items" => path.join(Segment::Items),
            "additionalProperties" => path.join(Segment::Values),
            _ => break,
        };
    }
    path.to_string()
}

/// Describes the type of a value.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn schema_paths_end_at_the_node() {
        let path = "/properties/spec/properties/a~1b/items/additionalProperties/required/0";
        assert_eq!(super::schema_path(path), "spec.a/b[]{}");
        assert_eq!(super::schema_path("/type"), "");
    }
}
