//! Serves OpenAPI v2 without paths, as JSON and as the protobuf messages that kubectl asks for.
//!
//! The messages are those of <https://github.com/google/gnostic-models/blob/main/openapiv2/OpenAPIv2.proto>.

use serde_json::{Map, Value, json};

use super::describe;
use crate::{
    kinds::kind::Kinds,
    values::object::{at, list, text},
};

/// The path of the document.
pub(crate) const PATH: &str = "/openapi/v2";
/// What the `Accept` header contains if the client wants protobuf.
pub(crate) const ACCEPT: &str = "proto-openapi.spec.v2@v1.0+protobuf";
/// The content type of the messages.
pub(crate) const CONTENT: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// Returns the document.
pub(super) fn document(kinds: &Kinds) -> Value {
    let (mut paths, mut schemas) = (Map::new(), Map::new());
    for kind in kinds.iter().filter(|kind| kind.is_listed()) {
        for version in &kind.versions {
            describe(kind, version, &mut paths, &mut schemas);
        }
    }
    schemas.values_mut().for_each(convert);
    json!({
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": "testing"},
        "paths": {},
        "definitions": schemas,
    })
}

/// Brings a schema of v3 into the form of v2.
fn convert(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            // v3 has no siblings of a reference.
            if let Some([only]) = fields
                .get("allOf")
                .and_then(Value::as_array)
                .map(Vec::as_slice)
                && let Some(reference) = only.get("$ref").cloned()
            {
                fields.remove("allOf");
                fields.insert("$ref".to_owned(), reference);
            }
            // v2 has no null, and kubectl no value of any kind beside known fields.
            let is_set = |name: &str| fields.get(name) == Some(&Value::Bool(true));
            if is_set("nullable") || is_set("x-kubernetes-preserve-unknown-fields") {
                for keyword in [
                    "type",
                    "nullable",
                    "items",
                    "properties",
                    "additionalProperties",
                ] {
                    fields.remove(keyword);
                }
            }
            if let Some(Value::String(reference)) = fields.get_mut("$ref") {
                *reference = reference.replace("#/components/schemas/", "#/definitions/");
            }
            fields.values_mut().for_each(convert);
        }
        Value::Array(items) => items.iter_mut().for_each(convert),
        _ => {}
    }
}

/// Returns a document as a protobuf message.
pub(crate) fn protobuf(document: &Value) -> Vec<u8> {
    let info = at(document, "/info");
    let info = Message::default()
        .text(1, text(info, "/title"))
        .text(2, text(info, "/version"));
    Message::default()
        .text(1, text(document, "/swagger"))
        .message(2, &info)
        .message(8, &Message::default())
        .message(9, &named(at(document, "/definitions")))
        .0
}

/// Returns the message of named schemas.
fn named(schemas: &Value) -> Message {
    let schemas = schemas.as_object().into_iter().flatten();
    schemas.fold(Message::default(), |message, (name, value)| {
        message.message(
            1,
            &Message::default().text(1, name).message(2, &schema(value)),
        )
    })
}

fn schema(value: &Value) -> Message {
    let mut message = Message::default()
        .text(1, text(value, "/$ref"))
        .text(2, text(value, "/format"))
        .text(4, text(value, "/description"));
    if let Some(default) = value.get("default") {
        message = message.message(5, &any(default));
    }
    for required in list(value, "/required") {
        message = message.text(19, required.as_str().unwrap_or_default());
    }
    for allowed in list(value, "/enum") {
        message = message.message(20, &any(allowed));
    }
    message = match at(value, "/additionalProperties") {
        Value::Null => message,
        Value::Bool(allowed) => message.message(21, &Message::default().flag(2, *allowed)),
        values => message.message(21, &Message::default().message(1, &schema(values))),
    };
    let kind = text(value, "/type");
    if !kind.is_empty() {
        message = message.message(22, &Message::default().text(1, kind));
    }
    if let Some(items) = value.get("items") {
        message = message.message(23, &Message::default().message(1, &schema(items)));
    }
    if let Some(properties) = value.get("properties") {
        message = message.message(25, &named(properties));
    }
    let extensions = value.as_object().into_iter().flatten();
    extensions
        .filter(|(name, _)| name.starts_with("x-"))
        .fold(message, |message, (name, value)| {
            message.message(
                31,
                &Message::default().text(1, name).message(2, &any(value)),
            )
        })
}

/// Returns a value as YAML, of which JSON is a part.
fn any(value: &Value) -> Message {
    Message::default().text(2, &value.to_string())
}

/// An encoded message.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value > 0x7f {
            self.0.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        self.0.push(value.to_le_bytes()[0]);
    }

    fn bytes(mut self, number: u64, value: &[u8]) -> Self {
        self.varint(number << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    fn message(self, number: u64, value: &Self) -> Self {
        self.bytes(number, &value.0)
    }

    /// Adds a text; an empty one is the default.
    fn text(self, number: u64, value: &str) -> Self {
        if value.is_empty() {
            return self;
        }
        self.bytes(number, value.as_bytes())
    }

    fn flag(mut self, number: u64, value: bool) -> Self {
        self.varint(number << 3);
        self.varint(value.into());
        self
    }
}
