//! A walk over a document's values: where it is, what it reads, where its findings go.
use crate::diag::{Code, Diagnostic, Diagnostics, Place, pointer};
use serde_json::{Map, Value};

/// A place in a document, told by the way from the root; costs nothing until a finding needs it.
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

/// Reads typed values, and reports those of another type.
pub(super) struct Reader<'d> {
    pub(super) diagnostics: &'d mut Diagnostics,
    /// Source, document, and pointer of the CRD's root in it; name and version of the CRD at hand.
    pub(super) base: Place,
    /// What a wrong type is called here: an envelope's or a schema's.
    pub(super) wrong_type: Code,
    /// Pointer of the schema at hand, for the schema path of findings.
    pub(super) schema: Option<String>,
    /// Pointers of an upgraded manifest, and what they were before.
    pub(super) moved: Vec<(String, String)>,
}

impl Reader<'_> {
    /// The place as findings name it.
    pub(super) fn place(&self, at: &At<'_>) -> Place {
        let pointer = at.pointer();
        let schema_path = self
            .schema
            .as_deref()
            .and_then(|schema| pointer.strip_prefix(schema))
            .map(super::place::schema_path);
        Place {
            pointer: self.base.pointer.clone() + &self.original(&pointer),
            schema_path,
            ..self.base.clone()
        }
    }

    /// Where a place of an upgraded manifest stands in the text.
    pub(super) fn original(&self, pointer: &str) -> String {
        self.moved
            .iter()
            .find_map(|(new, old)| {
                let rest = pointer.strip_prefix(new.as_str())?;
                (rest.is_empty() || rest.starts_with('/')).then(|| format!("{old}{rest}"))
            })
            .unwrap_or_else(|| pointer.to_owned())
    }

    /// Whether this is the root of the schema at hand.
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

    /// The same, with the key meant in place of its value.
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

    pub(super) fn missing(&mut self, at: &At<'_>, what: &str) -> &mut Diagnostic {
        self.report_key(Code::MissingField, at, format!("{what} is missing"))
    }

    pub(super) fn object<'v>(
        &mut self,
        value: &'v Value,
        at: &At<'_>,
    ) -> Option<&'v Map<String, Value>> {
        self.typed(value, at, "a map", Value::as_object)
    }

    pub(super) fn list<'v>(&mut self, value: &'v Value, at: &At<'_>) -> &'v [Value] {
        self.typed(value, at, "a list", Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    pub(super) fn text<'v>(&mut self, value: &'v Value, at: &At<'_>) -> Option<&'v str> {
        let text = value.as_str();
        if text.is_none() {
            let finding = self.mistyped(value, at, "text");
            if !value.is_object() && !value.is_array() {
                finding.hint("write it in quotes");
            }
        }
        text
    }

    pub(super) fn flag(&mut self, value: &Value, at: &At<'_>) -> bool {
        self.typed(value, at, "true or false", Value::as_bool)
            .unwrap_or_default()
    }

    pub(super) fn integer(&mut self, value: &Value, at: &At<'_>) -> Option<i64> {
        self.typed(value, at, "an integer", Value::as_i64)
    }

    /// A list of texts.
    pub(super) fn texts(&mut self, value: &Value, at: &At<'_>) -> Vec<String> {
        let mut texts = Vec::new();
        for (index, item) in self.list(value, at).iter().enumerate() {
            if let Some(text) = self.text(item, &at.index(index)) {
                texts.push(text.to_owned());
            }
        }
        texts
    }

    /// The value as `read` sees it, or a finding that names what is `wanted`.
    pub(super) fn typed<'v, T>(
        &mut self,
        value: &'v Value,
        at: &At<'_>,
        wanted: &str,
        read: impl FnOnce(&'v Value) -> Option<T>,
    ) -> Option<T> {
        let typed = read(value);
        if typed.is_none() {
            self.mistyped(value, at, wanted);
        }
        typed
    }

    fn mistyped(&mut self, value: &Value, at: &At<'_>, wanted: &str) -> &mut Diagnostic {
        let name = match at.step {
            Step::Root => "the document".to_owned(),
            Step::Key(name) => format!("`{}`", name.escape_debug()),
            Step::Index(index) => format!("item {index}"),
        };
        self.report(
            self.wrong_type,
            at,
            format!("{name} must be {wanted}, not {}", kind(value)),
        )
    }
}

/// An entry that is there and not null: the API server takes null for absent.
pub(super) fn entry<'v>(map: &'v Map<String, Value>, key: &str) -> Option<&'v Value> {
    map.get(key).filter(|value| !value.is_null())
}

/// What a value is, in words.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}
