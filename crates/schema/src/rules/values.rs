//! Converts JSON to CEL values by the schema.

use std::sync::LazyLock;

use kube_codegen_cel::{Hidden, Identity, Value as CelValue, escape};
use kube_codegen_formats::{duration, go::Number};
use serde_json::Value;

use crate::node::Node;

/// Returns a value as CEL sees it. Fields that the schema does not declare are absent.
pub(super) fn convert(schema: &Node, value: &Value) -> CelValue {
    if value.is_null() {
        return if schema.nullable {
            CelValue::null()
        } else {
            invalid("invalid data, got null for schema with nullable=false")
        };
    }
    if schema.int_or_string {
        let is_known = value.is_string() || value.is_i64();
        return if is_known {
            scalar(value)
        } else {
            invalid("invalid data, expected XIntOrString value to be either a string or integer")
        };
    }
    match (schema.type_.as_deref(), value) {
        (Some("object"), Value::Object(fields)) if schema.embedded_resource => {
            resource(schema, fields, false)
        }
        (Some("object"), Value::Object(fields)) => object(schema, fields, &[], true),
        (Some("object"), _) => {
            invalid("invalid data, expected a map for the provided schema with type=object")
        }
        (Some("array"), Value::Array(items)) => list(schema, items),
        (Some("array"), _) => {
            invalid("invalid data, expected an array for the provided schema with type=array")
        }
        (Some("string"), Value::String(text)) => string(schema.format.as_deref(), text),
        (Some("string"), _) => unexpected("string", value),
        (Some("number"), Value::Number(_)) => match Number::of(value) {
            Some(number) => number.as_f64().into(),
            None => preserved(value),
        },
        (Some("number"), _) => unexpected("float", value),
        (Some("integer"), Value::Number(number)) if number.is_i64() => scalar(value),
        (Some("integer"), _) => unexpected("int", value),
        (Some("boolean"), Value::Bool(_)) => scalar(value),
        (Some("boolean"), _) => unexpected("bool", value),
        _ => preserved(value),
    }
}

/// As [`convert`], for an object with `apiVersion`, `kind` and `metadata`; of the latter, names are visible.
pub(super) fn resource(
    schema: &Node,
    fields: &serde_json::Map<String, Value>,
    is_root: bool,
) -> CelValue {
    static META: LazyLock<[(&str, Node); 3]> = LazyLock::new(|| {
        let string = || Node {
            type_: Some("string".to_owned()),
            ..Node::default()
        };
        let names = ["name", "generateName"].map(|name| (name.to_owned(), string()));
        let metadata = Node {
            type_: Some("object".to_owned()),
            properties: names.into(),
            ..Node::default()
        };
        [
            ("apiVersion", string()),
            ("kind", string()),
            ("metadata", metadata),
        ]
    });
    let has = |name: &str, type_: &str| {
        let field = schema.properties.get(name);
        field.is_some_and(|it| it.type_.as_deref() == Some(type_))
    };
    let is_complete = has("apiVersion", "string")
        && has("kind", "string")
        && has("metadata", "object")
        && !schema.properties["metadata"].properties.is_empty();
    // What the server adds to the metadata of the root is not known here.
    object(
        schema,
        fields,
        if is_complete { &[] } else { &*META },
        !is_root,
    )
}

fn object(
    schema: &Node,
    fields: &serde_json::Map<String, Value>,
    instead: &[(&'static str, Node)],
    knows_metadata: bool,
) -> CelValue {
    let mut known = Vec::with_capacity(fields.len());
    let mut hidden = Hidden {
        size: fields.len(),
        ..Hidden::default()
    };
    let has_properties = !schema.properties.is_empty() || !instead.is_empty();
    for (name, value) in fields {
        let special = instead.iter().find(|(special, _)| special == name);
        let inner = match special {
            Some((_, inner)) => Some(inner),
            None if has_properties => schema.properties.get(name),
            None => schema.additional(),
        };
        let Some(inner) = inner else {
            hidden.unknown.insert(name.clone(), value.clone());
            continue;
        };
        if has_properties && value.is_null() {
            hidden.nulls.push(name.clone());
            continue;
        }
        let value = match value {
            Value::Object(fields) if !knows_metadata && name == "metadata" => {
                metadata(inner, fields)
            }
            value => convert(inner, value),
        };
        known.push((name.as_str(), value));
    }
    if has_properties {
        CelValue::object(known, hidden)
    } else {
        CelValue::entries(known, hidden)
    }
}

/// As [`convert`], without what the schema does not declare.
fn metadata(schema: &Node, fields: &serde_json::Map<String, Value>) -> CelValue {
    let declared = fields
        .iter()
        .filter(|(name, _)| schema.properties.contains_key(*name));
    let declared = declared.map(|(name, value)| (name.clone(), value.clone()));
    object(schema, &declared.collect(), &[], true)
}

fn list(schema: &Node, items: &[Value]) -> CelValue {
    let Some(inner) = &schema.items else {
        return CelValue::null();
    };
    let identity = match schema.list_type.as_deref() {
        Some("set") => Identity::Value,
        Some("map") => {
            let keys = schema.list_map_keys.iter();
            Identity::Keys(
                keys.map(|key| escape(key).unwrap_or_else(|| key.clone()))
                    .collect(),
            )
        }
        _ => Identity::Place,
    };
    CelValue::list(items.iter().map(|item| convert(inner, item)), identity)
}

fn scalar(value: &Value) -> CelValue {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::String(text) => text.as_str().into(),
        value => match Number::of(value) {
            Some(Number::Int(int)) => int.into(),
            Some(Number::Float(float)) => float.into(),
            None => preserved(value),
        },
    }
}

fn string(format: Option<&str>, text: &str) -> CelValue {
    let value = match format.map(|format| format.replace('-', "")).as_deref() {
        Some("duration") => duration(text).map(CelValue::duration),
        Some("date") => CelValue::date(text),
        Some("datetime") => CelValue::date_time(text),
        Some("byte") => bytes(text).map(CelValue::from),
        _ => None,
    };
    value.unwrap_or_else(|| text.into())
}

/// Decodes base64 of the URL alphabet, with padding: by hand, since the crate `base64` would be a further dependency for 20 lines.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).unwrap_or_default());
        }
    }
    Some(bytes)
}

fn invalid(why: &str) -> CelValue {
    CelValue::invalid(why)
}

/// The error of a value that has another type than its schema.
fn unexpected(expected: &str, value: &Value) -> CelValue {
    let found = match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    };
    invalid(&format!("invalid data, expected {expected}, got {found}"))
}

fn preserved(value: &Value) -> CelValue {
    CelValue::preserved(value)
}
