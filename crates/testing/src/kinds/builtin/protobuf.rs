//! Decodes objects of built-in kinds from protobuf, in which kubectl creates them.
//!
//! The format is described in <https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding>.

use k8s_openapi::{ByteString, jiff::Timestamp};
use serde_json::{Map, Value, json};

use super::types;
use crate::values::object::{at, map, text};

const MAGIC: &[u8] = b"k8s\0";
const METADATA: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/// A field of a message: its number, and its value.
enum Wire<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// Decodes an object; `None` if it is malformed.
pub(crate) fn decode(schema: &Value, body: &[u8]) -> Option<Value> {
    let (mut object, mut version, mut kind) = (json!({}), String::new(), String::new());
    for field in fields(body.strip_prefix(MAGIC)?)? {
        match field {
            (1, Wire::Bytes(meta)) => {
                for field in fields(meta)? {
                    match field {
                        (1, Wire::Bytes(text)) => version = string(text),
                        (2, Wire::Bytes(text)) => kind = string(text),
                        _ => {}
                    }
                }
            }
            (2, Wire::Bytes(raw)) => {
                let own = not_stored(&kind);
                object = message(own.as_ref().unwrap_or(schema), raw)?;
            }
            _ => {}
        }
    }
    let found = map(&mut object);
    found.insert("apiVersion".to_owned(), version.into());
    found.insert("kind".to_owned(), kind.into());
    Some(object)
}

/// Returns the schema of a kind that is not stored.
fn not_stored(kind: &str) -> Option<Value> {
    let field = |kind: &str, number: &str| json!({"type": kind, "x-proto": number});
    let text = |number: &str| field("string", number);
    let texts =
        |number: &str| json!({"type": "array", "x-proto": number, "items": {"type": "string"}});
    let spec = |properties: Value| json!({"type": "object", "properties": {"spec": {"type": "object", "x-proto": "2", "properties": properties}}});
    let metadata = |number: &str| {
        let mut metadata = types::schema(METADATA).clone();
        metadata["x-proto"] = number.into();
        metadata
    };
    let delete_options = |number: &str| {
        json!({"type": "object", "x-proto": number, "properties": {
            "gracePeriodSeconds": field("integer", "1"),
            "preconditions": {"type": "object", "x-proto": "2", "properties": {
                "uid": text("1"),
                "resourceVersion": text("2"),
            }},
            "orphanDependents": field("boolean", "3"),
            "propagationPolicy": text("4"),
            "dryRun": texts("5"),
        }})
    };
    Some(match kind {
        "DeleteOptions" => delete_options(""),
        "SelfSubjectAccessReview" | "SubjectAccessReview" | "LocalSubjectAccessReview" => {
            spec(json!({
                "resourceAttributes": {"type": "object", "x-proto": "1", "properties": {
                    "namespace": text("1"), "verb": text("2"), "group": text("3"), "version": text("4"),
                    "resource": text("5"), "subresource": text("6"), "name": text("7"),
                }},
                "nonResourceAttributes": {"type": "object", "x-proto": "2", "properties": {"path": text("1"), "verb": text("2")}},
                "user": text("3"),
                "groups": texts("4"),
                "uid": text("6"),
            }))
        }
        "SelfSubjectRulesReview" => spec(json!({"namespace": text("1")})),
        "Eviction" => json!({"type": "object", "properties": {
            "metadata": metadata("1"),
            "deleteOptions": delete_options("2"),
        }}),
        "Binding" => json!({"type": "object", "properties": {
            "metadata": metadata("1"),
            "target": {"type": "object", "x-proto": "2", "properties": {
                "kind": text("1"), "namespace": text("2"), "name": text("3"), "uid": text("4"),
                "apiVersion": text("5"), "resourceVersion": text("6"),
            }},
        }}),
        "Scale" => json!({"type": "object", "properties": {
            "metadata": metadata("1"),
            "spec": {"type": "object", "x-proto": "2", "properties": {"replicas": field("integer", "1")}},
        }}),
        "SelfSubjectReview" => json!({"type": "object"}),
        "TokenReview" => spec(json!({"token": text("1"), "audiences": texts("2")})),
        "TokenRequest" => {
            spec(json!({"audiences": texts("1"), "expirationSeconds": field("integer", "4")}))
        }
        _ => return None,
    })
}

/// Decodes a body of a kind that is not stored, such as a review; `None` if it is not in protobuf.
pub(crate) fn review(body: &[u8]) -> Option<Value> {
    decode(&json!({"type": "object"}), body)
}

fn string(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

fn fields(mut bytes: &[u8]) -> Option<Vec<(u64, Wire<'_>)>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes)?;
        let value = match key & 7 {
            0 => Wire::Number(varint(&mut bytes)?),
            1 => Wire::Number(u64::from_le_bytes(take(&mut bytes, 8)?.try_into().ok()?)),
            2 => {
                let length = usize::try_from(varint(&mut bytes)?).ok()?;
                Wire::Bytes(take(&mut bytes, length)?)
            }
            5 => {
                let number = u32::from_le_bytes(take(&mut bytes, 4)?.try_into().ok()?);
                Wire::Number(number.into())
            }
            _ => return None,
        };
        found.push((key >> 3, value));
    }
    Some(found)
}

fn message(schema: &Value, bytes: &[u8]) -> Option<Value> {
    let mut object = Map::new();
    match text(schema, "/x-type") {
        "apis.meta.v1.Time" => return time(bytes, "%Y-%m-%dT%H:%M:%SZ"),
        "apis.meta.v1.MicroTime" => return time(bytes, "%Y-%m-%dT%H:%M:%S.%6fZ"),
        "api.resource.Quantity" => return Some(first(bytes)?.map(string).into()),
        "util.intstr.IntOrString" => return int_or_string(bytes),
        "runtime.RawExtension" | "apis.meta.v1.FieldsV1" => {
            return serde_json::from_slice(first(bytes)?.unwrap_or_default()).ok();
        }
        _ => inner(schema, "", bytes, &mut object)?,
    }
    Some(object.into())
}

/// Decodes the fields of a message. Structs that are inlined in JSON are messages of their own, with a `prefix` of numbers.
fn inner(
    schema: &Value,
    prefix: &str,
    bytes: &[u8],
    object: &mut Map<String, Value>,
) -> Option<()> {
    let is_object = !at(schema, "/properties/metadata").is_null();
    for (number, wire) in fields(bytes)? {
        let path = format!("{prefix}{number}");
        let properties = at(schema, "/properties").as_object();
        let mut properties = properties.into_iter().flatten();
        // The envelope has the type of an object; its message does not.
        let is_encoded = |name: &str| !(is_object && matches!(name, "apiVersion" | "kind"));
        let property = properties
            .clone()
            .find(|(name, it)| text(it, "/x-proto") == path && is_encoded(name));
        if let Some((name, property)) = property {
            add(property, name, &wire, object)?;
            continue;
        }
        let prefix = format!("{path}.");
        if let Wire::Bytes(bytes) = wire
            && properties.any(|(_, it)| text(it, "/x-proto").starts_with(&prefix))
        {
            inner(schema, &prefix, bytes, object)?;
        }
    }
    Some(())
}

fn add(schema: &Value, name: &str, wire: &Wire<'_>, object: &mut Map<String, Value>) -> Option<()> {
    let items = schema
        .get("items")
        .filter(|_| text(schema, "/type") == "array");
    if let Some(items) = items {
        let list = object
            .entry(name)
            .or_insert_with(|| json!([]))
            .as_array_mut()?;
        match wire {
            Wire::Bytes(packed) if matches!(text(items, "/type"), "integer" | "boolean") => {
                let mut packed = *packed;
                while !packed.is_empty() {
                    list.push(value(items, &Wire::Number(varint(&mut packed)?))?);
                }
            }
            wire => list.push(value(items, wire)?),
        }
        return Some(());
    }
    if let (Some(values), Wire::Bytes(entry)) = (schema.get("additionalProperties"), wire) {
        let (mut key, mut found) = (String::new(), Value::Null);
        for field in fields(entry)? {
            match field {
                (1, Wire::Bytes(text)) => key = string(text),
                (2, wire) => found = value(values, &wire)?,
                _ => {}
            }
        }
        map(object.entry(name).or_insert(Value::Null)).insert(key, found);
        return Some(());
    }
    object.insert(name.to_owned(), value(schema, wire)?);
    Some(())
}

fn value(schema: &Value, wire: &Wire<'_>) -> Option<Value> {
    let is_plain = text(schema, "/x-type").is_empty();
    Some(match (text(schema, "/type"), wire) {
        ("string", Wire::Bytes(bytes)) if text(schema, "/format") == "byte" => {
            json!(ByteString(bytes.to_vec()))
        }
        ("string", Wire::Bytes(bytes)) if is_plain => string(bytes).into(),
        ("boolean", Wire::Number(number)) => (*number != 0).into(),
        ("integer", Wire::Number(number)) => number.cast_signed().into(),
        ("number", Wire::Number(number)) => f64::from_bits(*number).into(),
        (_, Wire::Bytes(bytes)) => message(schema, bytes)?,
        _ => return None,
    })
}

/// Returns the first field, if there is one.
#[expect(
    clippy::option_option,
    reason = "malformed, without the field, with it"
)]
fn first(bytes: &[u8]) -> Option<Option<&[u8]>> {
    let fields = fields(bytes)?.into_iter();
    let mut fields = fields.filter_map(|(number, wire)| match wire {
        Wire::Bytes(bytes) if number == 1 => Some(bytes),
        _ => None,
    });
    Some(fields.next())
}

/// Reads a time, in the form in which it is written in JSON.
fn time(bytes: &[u8], form: &str) -> Option<Value> {
    let (mut seconds, mut nanos) = (0, 0);
    for field in fields(bytes)? {
        match field {
            (1, Wire::Number(number)) => seconds = number.cast_signed(),
            (2, Wire::Number(number)) => nanos = i32::try_from(number).ok()?,
            _ => {}
        }
    }
    Some(if bytes.is_empty() {
        Value::Null
    } else {
        let time = Timestamp::new(seconds, nanos).ok()?;
        time.strftime(form).to_string().into()
    })
}

fn int_or_string(bytes: &[u8]) -> Option<Value> {
    let (mut is_text, mut number, mut text) = (false, 0, String::new());
    for field in fields(bytes)? {
        match field {
            (1, Wire::Number(kind)) => is_text = kind == 1,
            (2, Wire::Number(found)) => number = found.cast_signed(),
            (3, Wire::Bytes(found)) => text = string(found),
            _ => {}
        }
    }
    Some(if is_text { text.into() } else { number.into() })
}
