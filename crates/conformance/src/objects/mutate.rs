//! Random changes to an object, guided by its schema: values at and beyond bounds, other types, null, absent and unknown fields, duplicates.

use fastrand::Rng;
use kube_codegen_formats::pointer::{self, escape};
use serde_json::{Map, Value, json};

use super::metadata;

/// Texts that formats, patterns and the libraries of rules read.
const TEXTS: &[&str] = &[
    "",
    " ",
    "a",
    "A",
    "a-b",
    "-a",
    "a.b",
    "a_b",
    "a b",
    "ä",
    "日本",
    "a\nb",
    "0",
    "1",
    "-1",
    "007",
    "1.5",
    "1e3",
    "5%",
    "50%",
    "true",
    "null",
    "1Gi",
    "500m",
    "1.5Gi",
    "-1Ki",
    "1ee5",
    "0.1",
    "1000000000000000000000",
    "1s",
    "1h30m",
    "-5s",
    "1d",
    "90",
    "P1D",
    "10.0.0.1",
    "010.0.0.1",
    "256.1.1.1",
    "1.2.3",
    "::1",
    "fe80::1%eth0",
    "::ffff:1.2.3.4",
    "2001:db8::",
    "1:2:3",
    "10.0.0.0/8",
    "10.0.0.1/8",
    "10.0.0.0/33",
    "2001:db8::/32",
    "::/129",
    "00:1a:2b:3c:4d:5e",
    "https://example.com/a?b=c#d",
    "http://[::1]:80/",
    "example.com",
    "/path",
    "mailto:a@b.c",
    "https://a b",
    "1.2.3-rc.1+b",
    "v1.2.3",
    "1.2",
    "01.2.3",
    "a@b.example",
    "YWJj",
    "YW-_",
    "!!!",
    "2024-02-29",
    "2023-02-29",
    "2024-02-29T12:00:00Z",
    "2024-02-29T12:00:00.5+02:00",
    "2024-02-29 12:00:00",
    "24:00",
    "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "not-a-uuid",
    "v1",
    "apps/v1",
    "Foo",
    "default",
    "kube-system",
    "xn--a",
    "*.example.com",
];

/// A value of the object with its schema.
struct SchemaValue {
    pointer: String,
    schema: Value,
}

/// Changes an object at one to four places, not in `metadata` and, if `keep_status`, not in `status`.
pub(super) fn mutate(rng: &mut Rng, schema: &Value, object: &mut Value, keep_status: bool) {
    for _ in 0..=rng.usize(0..4) / 2 + usize::from(rng.u8(0..4) == 0) {
        let mut places = Vec::new();
        if let Some(properties) = schema["properties"].as_object() {
            for (name, schema) in properties {
                let is_kept = ["apiVersion", "kind", "metadata"].contains(&&**name)
                    || keep_status && name == "status";
                if !is_kept {
                    find(
                        object.get(name),
                        schema,
                        format!("/{}", escape(name)),
                        &mut places,
                    );
                }
            }
        }
        if places.is_empty() {
            return;
        }
        let place = places.swap_remove(rng.usize(..places.len()));
        change(rng, &place, object);
    }
}

/// Collects a value, its parts, and the fields that it could have.
fn find(value: Option<&Value>, schema: &Value, pointer: String, places: &mut Vec<SchemaValue>) {
    match value {
        Some(Value::Object(fields)) => {
            let properties = schema["properties"].as_object();
            for (name, schema) in properties.into_iter().flatten() {
                let pointer = format!("{pointer}/{}", escape(name));
                find(fields.get(name), schema, pointer, places);
            }
            if schema["additionalProperties"].is_object() {
                for (name, value) in fields {
                    let pointer = format!("{pointer}/{}", escape(name));
                    find(
                        Some(value),
                        &schema["additionalProperties"],
                        pointer,
                        places,
                    );
                }
            }
        }
        Some(Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                find(
                    Some(item),
                    &schema["items"],
                    format!("{pointer}/{index}"),
                    places,
                );
            }
        }
        _ => {}
    }
    places.push(SchemaValue {
        pointer,
        schema: schema.clone(),
    });
}

fn change(rng: &mut Rng, place: &SchemaValue, object: &mut Value) {
    let schema = &place.schema;
    if schema["x-kubernetes-embedded-resource"] == true
        && rng.bool()
        && let Some(Value::Object(fields)) = object.pointer_mut(&place.pointer)
    {
        fields.insert("metadata".into(), metadata::embedded(rng));
        return;
    }
    let new = match rng.u8(0..20) {
        0 => Some(Value::Null),
        1 | 2 => None,
        3 | 4 => Some(other_type(rng)),
        _ => match object.pointer(&place.pointer) {
            Some(Value::Array(items)) if rng.u8(0..4) > 0 => Some(list(rng, items.clone(), schema)),
            Some(Value::Object(fields)) if rng.u8(0..4) > 0 => {
                Some(map(rng, fields.clone(), schema))
            }
            _ => Some(value(rng, schema, 4)),
        },
    };
    let (parent, name) = place.pointer.rsplit_once('/').unwrap_or_default();
    let name = pointer::unescape(name);
    match (object.pointer_mut(parent), new) {
        (Some(Value::Object(fields)), Some(new)) => _ = fields.insert(name, new),
        (Some(Value::Object(fields)), None) => _ = fields.remove(&name),
        (Some(Value::Array(items)), new) => {
            if let Some(item) = name
                .parse()
                .ok()
                .and_then(|index: usize| items.get_mut(index))
            {
                *item = new.unwrap_or_default();
            }
        }
        // The parent is absent.
        _ => {}
    }
}

fn other_type(rng: &mut Rng) -> Value {
    match rng.u8(0..8) {
        0 => json!("text"),
        1 => json!(1),
        2 => json!(1.5),
        3 => json!(true),
        4 => json!([]),
        5 => json!({}),
        6 => json!([{"a": 1}]),
        _ => json!(1.0),
    }
}

fn list(rng: &mut Rng, mut items: Vec<Value>, schema: &Value) -> Value {
    match rng.u8(0..6) {
        0 => items.clear(),
        1 => _ = items.pop(),
        2 => items.extend(items.last().cloned()),
        3 => rng.shuffle(&mut items),
        4 => {
            let most = schema["maxItems"].as_u64().unwrap_or(3).min(70) + 1;
            let most = usize::try_from(most).unwrap_or(1);
            while items.len() < most {
                items.push(value(rng, &schema["items"], 3));
            }
        }
        _ => items.push(value(rng, &schema["items"], 3)),
    }
    items.into()
}

fn map(rng: &mut Rng, mut fields: Map<String, Value>, schema: &Value) -> Value {
    let names: Vec<String> = fields.keys().cloned().collect();
    let name = (!names.is_empty()).then(|| names[rng.usize(..names.len())].clone());
    match (rng.u8(0..5), name) {
        (0, Some(name)) => _ = fields.remove(&name),
        (1, _) => _ = fields.insert("unknownField".into(), other_type(rng)),
        (2, _) => fields.clear(),
        _ => match (
            schema["properties"].as_object(),
            &schema["additionalProperties"],
        ) {
            (Some(properties), _) if !properties.is_empty() => {
                let (name, schema) = properties.iter().nth(rng.usize(..properties.len())).unzip();
                if let (Some(name), Some(schema)) = (name, schema) {
                    fields.insert(name.clone(), value(rng, schema, 3));
                }
            }
            (_, inner @ Value::Object(_)) => {
                let key = ["b", "a.b/c", "", "É", "0", "a-b", "x y"][rng.usize(..7)];
                fields.insert(key.to_owned(), value(rng, inner, 3));
            }
            _ => _ = fields.insert("any".into(), other_type(rng)),
        },
    }
    fields.into()
}

/// Returns a value that a schema asks for, in most cases.
fn value(rng: &mut Rng, schema: &Value, depth: usize) -> Value {
    if let (Some(values), true) = (schema["enum"].as_array(), rng.u8(0..5) > 0)
        && !values.is_empty()
    {
        return values[rng.usize(..values.len())].clone();
    }
    if schema["x-kubernetes-int-or-string"] == true {
        return if rng.bool() {
            number(rng, schema, true)
        } else {
            text(rng, schema)
        };
    }
    match schema["type"].as_str() {
        Some("string") => text(rng, schema),
        Some("integer") => number(rng, schema, true),
        Some("number") => number(rng, schema, false),
        Some("boolean") => rng.bool().into(),
        Some("array") => {
            let count = if depth == 0 { 0 } else { rng.usize(0..4) };
            (0..count)
                .map(|_| value(rng, &schema["items"], depth - 1))
                .collect()
        }
        Some("object") => object(rng, schema, depth),
        _ => other_type(rng),
    }
}

fn object(rng: &mut Rng, schema: &Value, depth: usize) -> Value {
    let mut fields = Map::new();
    if depth == 0 {
        return fields.into();
    }
    let is_required = |name: &str| {
        let required = schema["required"].as_array();
        required.is_some_and(|it| it.iter().any(|it| it == name))
    };
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        if rng.u8(0..10) < if is_required(name) { 9 } else { 4 } {
            fields.insert(name.clone(), value(rng, inner, depth - 1));
        }
    }
    if schema["additionalProperties"].is_object() {
        for key in ["a", "b"] {
            if rng.bool() {
                let inner = value(rng, &schema["additionalProperties"], depth - 1);
                fields.insert(key.into(), inner);
            }
        }
    }
    if schema["x-kubernetes-embedded-resource"] == true && rng.u8(0..4) > 0 {
        fields.insert("apiVersion".into(), "v1".into());
        fields.insert("kind".into(), "ConfigMap".into());
        let metadata = match rng.u8(0..4) {
            0 => return fields.into(),
            1 => metadata::embedded(rng),
            _ => json!({"name": rng.choice(TEXTS).unwrap_or(&"a")}),
        };
        fields.insert("metadata".into(), metadata);
    }
    fields.into()
}

fn text(rng: &mut Rng, schema: &Value) -> Value {
    let length = |name: &str| {
        schema[name]
            .as_u64()
            .and_then(|it| usize::try_from(it).ok())
    };
    match rng.u8(0..10) {
        0 => {
            let least = length("minLength").unwrap_or(1);
            "x".repeat(least.saturating_sub(1).min(1000)).into()
        }
        1 => "x"
            .repeat(length("maxLength").unwrap_or(40).min(1000) + 1)
            .into(),
        2 => "é".repeat(length("maxLength").unwrap_or(5).min(300)).into(),
        3 => schema["default"].clone(),
        _ => (*rng.choice(TEXTS).unwrap_or(&"")).into(),
    }
}

fn number(rng: &mut Rng, schema: &Value, integer: bool) -> Value {
    let bound = |name: &str| schema[name].as_i64();
    let near = [bound("minimum"), bound("maximum"), bound("multipleOf")];
    let near: Vec<i64> = near.into_iter().flatten().collect();
    let whole = match rng.choice(&near) {
        Some(bound) if rng.bool() => bound.saturating_add(rng.i64(-1..=1)),
        _ => [
            0,
            1,
            2,
            3,
            5,
            10,
            -1,
            80,
            443,
            65_535,
            65_536,
            1 << 31,
            i64::MAX,
        ][rng.usize(..13)],
    };
    match rng.u8(0..12) {
        0 => json!(1.0),
        1 => json!(1.5),
        2 => json!(1e20),
        3 if !integer => json!(-0.25),
        4 if !integer => json!(1e-7),
        _ => whole.into(),
    }
}
