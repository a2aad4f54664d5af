//! Decodes objects into Go's types and writes them again, as the server does: errors of types, unknown fields, normal forms.

use serde_json::{Map, Value, json};

use super::scalar::{Wrong, scalar};
use crate::values::object::{at, list, text};

/// What decoding found.
#[derive(Debug, Default)]
pub(crate) struct Decoded {
    /// The first error, in Go's words.
    pub(crate) error: Option<String>,
    /// The same in the words of the conversion from unstructured objects.
    pub(crate) unconverted: Option<String>,
    /// The paths of unknown fields, which are removed.
    pub(crate) unknown: Vec<String>,
}

/// The path of a value, which is written only for messages.
struct ValuePath<'a> {
    /// The Go type of the value.
    go: &'a str,
    /// The struct that has the field.
    owner: &'a str,
    step: Step<'a>,
    parent: Option<&'a ValuePath<'a>>,
}

/// The last step of a path.
enum Step<'a> {
    Root,
    Field(&'a str),
    Key(&'a str),
    Index(usize),
}

impl ValuePath<'_> {
    /// Returns the path with indexes.
    fn path(&self) -> String {
        let path = self.parent.map(Self::path).unwrap_or_default();
        match self.step {
            Step::Root => path,
            Step::Field(name) | Step::Key(name) => joined(&path, name),
            Step::Index(index) => format!("{path}[{index}]"),
        }
    }

    /// Returns the names of the fields from the root.
    fn names(&self) -> String {
        let names = self.parent.map(Self::names).unwrap_or_default();
        match self.step {
            Step::Field(name) => joined(&names, name),
            Step::Root | Step::Key(_) | Step::Index(_) => names,
        }
    }
}

/// Decodes an object in place.
pub(crate) fn decode(schema: &Value, object: &mut Value) -> Decoded {
    decode_as(text(schema, "/x-go"), schema, object)
}

/// Decodes a value of a Go type in place.
pub(super) fn decode_as(go: &str, schema: &Value, object: &mut Value) -> Decoded {
    let mut found = Decoded::default();
    let root = ValuePath {
        go,
        owner: "",
        step: Step::Root,
        parent: None,
    };
    found.value(schema, object, &root);
    found
}

impl Decoded {
    fn value(&mut self, schema: &Value, value: &mut Value, path: &ValuePath<'_>) {
        if let Some(done) = scalar(schema, value) {
            match done {
                Ok(None) => {}
                Ok(Some(normal)) => *value = normal,
                Err(Wrong::Type) => self.wrong_type(schema, value, path),
                Err(Wrong::Value(why)) => {
                    self.unconverted.get_or_insert_with(|| why.clone());
                    self.error.get_or_insert(why);
                }
            }
            return;
        }
        match (text(schema, "/type"), &mut *value) {
            ("array", Value::Array(items)) => {
                let items_schema = at(schema, "/items");
                for (index, item) in items.iter_mut().enumerate() {
                    let path = ValuePath {
                        go: go_type(items_schema, || path.go.trim_start_matches("[]")),
                        owner: path.owner,
                        step: Step::Index(index),
                        parent: Some(path),
                    };
                    self.element(items_schema, item, &path);
                }
            }
            ("object", Value::Object(fields)) => {
                if let Some(properties) = schema.get("properties") {
                    self.fields(properties, fields, path);
                } else if let Some(inner) = schema.get("additionalProperties") {
                    for (name, item) in fields.iter_mut() {
                        let path = ValuePath {
                            go: go_type(inner, || path.go.trim_start_matches("map[string]")),
                            owner: path.owner,
                            step: Step::Key(name),
                            parent: Some(path),
                        };
                        self.element(inner, item, &path);
                    }
                }
            }
            ("array" | "object", _) => self.wrong_type(schema, value, path),
            _ => {}
        }
    }

    /// Decodes an item of a list or a value of a map, where null is the zero value.
    fn element(&mut self, schema: &Value, value: &mut Value, path: &ValuePath<'_>) {
        if value.is_null() {
            *value = zero(schema);
        } else {
            self.value(schema, value, path);
        }
    }

    fn fields(&mut self, schemas: &Value, fields: &mut Map<String, Value>, path: &ValuePath<'_>) {
        fields.retain(|name, value| {
            let Some(schema) = schemas.get(name) else {
                self.unknown.push(joined(&path.path(), name));
                return false;
            };
            if !value.is_null() {
                let path = ValuePath {
                    go: go_type(schema, || ""),
                    owner: path.go.trim_start_matches('*'),
                    step: Step::Field(name),
                    parent: Some(path),
                };
                self.value(schema, value, &path);
            }
            !value.is_null()
        });
    }

    fn wrong_type(&mut self, schema: &Value, value: &mut Value, path: &ValuePath<'_>) {
        let found = match value {
            Value::Null => return,
            Value::Bool(_) => "bool".to_owned(),
            Value::Number(number) if is_integer(path.go) || path.go == "intstr.IntOrString" => {
                format!("number {number}")
            }
            Value::Number(_) => "number".to_owned(),
            Value::String(_) => "string".to_owned(),
            Value::Array(_) => "array".to_owned(),
            Value::Object(_) => "object".to_owned(),
        };
        // Go reports the first error and goes on.
        let owner = path.owner.rsplit('.').next().unwrap_or_default();
        let names = path.names();
        let go = match path.go {
            // They decode themselves, from a text.
            "v1.Time" | "v1.MicroTime" => "string",
            go => go,
        };
        let go = if go == "intstr.IntOrString" {
            "int32"
        } else {
            go
        };
        let into = if names.is_empty() {
            format!("value of type {go}")
        } else {
            format!("struct field {owner}.{names} of type {go}")
        };
        self.unconverted
            .get_or_insert_with(|| unconverted(schema, value, &found, path.go));
        self.error
            .get_or_insert_with(|| format!("json: cannot unmarshal {found} into Go {into}"));
    }
}

/// Returns why the conversion from unstructured objects rejects a value of a wrong type.
fn unconverted(schema: &Value, value: &Value, found: &str, go: &str) -> String {
    let kind = match value {
        Value::Null => "invalid",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
    };
    match (text(schema, "/type"), kind) {
        // They decode themselves.
        _ if matches!(go, "v1.Time" | "v1.MicroTime") => {
            format!("json: cannot unmarshal {found} into Go value of type string")
        }
        _ if go == "intstr.IntOrString" => {
            format!("json: cannot unmarshal {found} into Go value of type int32")
        }
        ("string", _) if text(schema, "/format") == "byte" => {
            format!("cannot restore slice from {kind}")
        }
        ("string", "int64") | ("integer", "float64" | "int64") => {
            format!("cannot convert {kind} to {go}")
        }
        ("string", _) => "unrecognized type: string".to_owned(),
        ("boolean", _) => "unrecognized type: bool".to_owned(),
        ("array", _) => format!("cannot restore slice from {kind}"),
        ("object", _) if go.starts_with("map[") => format!("cannot restore map from {kind}"),
        ("object", _) => format!("cannot restore struct from: {kind}"),
        _ => format!("unrecognized type: {go}"),
    }
}

/// Returns the Go type of a value: of its schema, or derived from that of the list or map. Pointers do not show.
fn go_type<'a>(schema: &'a Value, derived: impl Fn() -> &'a str) -> &'a str {
    let own = text(schema, "/x-go");
    let go = if own.is_empty() { derived() } else { own };
    go.trim_start_matches('*')
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

fn is_integer(go: &str) -> bool {
    matches!(
        go,
        "int" | "int32" | "int64" | "uint32" | "uint8" | "uint16"
    )
}

/// Returns the zero value of a type, as it is written.
fn zero(schema: &Value) -> Value {
    let go = text(schema, "/x-go");
    match (text(schema, "/x-type"), text(schema, "/type")) {
        ("api.resource.Quantity", _) => json!("0"),
        ("util.intstr.IntOrString", _) | (_, "integer" | "number") => json!(0),
        ("apis.meta.v1.Time" | "apis.meta.v1.MicroTime", _) => Value::Null,
        (_, "string") => json!(""),
        (_, "boolean") => json!(false),
        (_, "object") if !go.starts_with("map[") && schema.get("properties").is_some() => {
            let mut empty = json!({});
            normalize(schema, &mut empty);
            empty
        }
        _ => Value::Null,
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

/// Makes empty lists null where they are written: storage does not distinguish them from none.
pub(crate) fn store(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if let Some(inner) = schema.get("additionalProperties") {
                for field in fields.values_mut() {
                    store(inner, field);
                }
            }
            for (name, field) in fields {
                let Some(property) = at(schema, "/properties").get(name) else {
                    continue;
                };
                store(property, field);
                if *field == json!([]) && text(property, "/x-zero") == "write" {
                    *field = Value::Null;
                }
            }
        }
        Value::Array(items) => {
            if let Some(inner) = schema.get("items") {
                for item in items {
                    store(inner, item);
                }
            }
        }
        _ => {}
    }
}

/// Brings a decoded object into the form in which Go writes it: zero values are omitted or written, as the field demands.
pub(crate) fn normalize(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
                if let Some(inner) = schema.get("additionalProperties") {
                    fields.values_mut().for_each(|it| normalize(inner, it));
                }
                return;
            };
            fields.retain(|name, value| {
                let Some(property) = properties.get(name) else {
                    return true;
                };
                normalize(property, value);
                match text(property, "/x-zero") {
                    "write" => true,
                    "omit" => !is_zero(value),
                    _ => !value.is_null(),
                }
            });
            for name in list(schema, "/x-written").iter().filter_map(Value::as_str) {
                if fields.get(name).is_none_or(Value::is_null) {
                    fields.insert(name.to_owned(), zero(&properties[name]));
                }
            }
        }
        Value::Array(items) => {
            if let Some(inner) = schema.get("items") {
                for item in items {
                    normalize(inner, item);
                }
            }
        }
        _ => {}
    }
}

/// Returns whether a value has empty maps or lists where the old one has none.
pub(super) fn has_new_blanks(schema: &Value, old: &Value, new: &Value) -> bool {
    match new {
        Value::Object(fields) => {
            let properties = schema.get("properties");
            if fields.is_empty() && properties.is_none() {
                return old.is_null();
            }
            let inner = |name: &str| match properties {
                Some(properties) => at(properties, &format!("/{name}")),
                None => at(schema, "/additionalProperties"),
            };
            fields.iter().any(|(name, value)| {
                let old = old.get(name).unwrap_or(&Value::Null);
                has_new_blanks(inner(name), old, value)
            })
        }
        Value::Array(items) if items.is_empty() => old.is_null(),
        Value::Array(items) => items.iter().enumerate().any(|(index, item)| {
            let old = old.get(index).unwrap_or(&Value::Null);
            !old.is_null() && has_new_blanks(at(schema, "/items"), old, item)
        }),
        _ => false,
    }
}
