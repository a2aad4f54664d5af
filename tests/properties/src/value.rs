//! Strategies for random values of a structural schema, as the API server would serve them.
use super::schema::{NAMES, is_given};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// Returns values of a schema.
pub fn of(schema: &Value) -> BoxedStrategy<Value> {
    let value = not_null(schema);
    if schema["nullable"] == true {
        prop_oneof![4 => value, 1 => Just(Value::Null)].boxed()
    } else {
        value
    }
}

/// Returns objects of a kind.
pub fn object_of(kind: &str, schema: &Value) -> BoxedStrategy<Value> {
    let kind = kind.to_owned();
    (properties(schema), metadata())
        .prop_map(move |(mut map, metadata)| {
            map.insert("apiVersion".to_owned(), json!("example.com/v1"));
            map.insert("kind".to_owned(), json!(kind));
            map.insert("metadata".to_owned(), metadata);
            Value::Object(map)
        })
        .boxed()
}

fn not_null(schema: &Value) -> BoxedStrategy<Value> {
    let format = schema["format"].as_str().unwrap_or_default().to_owned();
    if let Some(values) = schema["enum"].as_array() {
        return one_of(schema, values);
    }
    if schema["x-kubernetes-int-or-string"] == true && schema["pattern"].is_string() {
        // A number would be written as text.
        let suffix = select(vec!["", "m", "Ki", "G", "e3", ".50", ".0n"]);
        let quantity =
            (any::<i32>(), suffix).prop_map(|(number, end)| json!(format!("{number}{end}")));
        return quantity.boxed();
    }
    if schema["x-kubernetes-int-or-string"] == true {
        return prop_oneof![any::<i32>().prop_map(Value::from), words()].boxed();
    }
    if schema["x-kubernetes-embedded-resource"] == true {
        return embedded();
    }
    match schema["type"].as_str() {
        Some("string") => match format.as_str() {
            "byte" => vec(any::<u8>(), 0..8)
                .prop_map(|bytes| json!(base64(&bytes)))
                .boxed(),
            "date-time" => (
                1970..9999_u32,
                1_u32..13,
                1_u32..29,
                0_u32..24,
                0_u32..60,
                0_u32..60,
                prop_oneof![Just("Z"), Just(".120Z"), Just("+02:00"), Just(".5-11:30")],
            )
                .prop_map(|(y, mo, d, h, mi, s, end)| {
                    json!(format!("{y:04}-{mo:02}-{d:02}T{h:02}:{mi:02}:{s:02}{end}"))
                })
                .boxed(),
            _ => words(),
        },
        Some("integer") => integers(schema),
        Some("number") => numbers(),
        Some("boolean") => any::<bool>().prop_map(Value::from).boxed(),
        Some("array") => vec(of(&schema["items"]), 0..4)
            .prop_map(Value::from)
            .boxed(),
        Some("object") if schema["properties"].is_object() => {
            properties(schema).prop_map(Value::Object).boxed()
        }
        Some("object") if schema["additionalProperties"].is_object() => {
            btree_map(keys(), of(&schema["additionalProperties"]), 0..4)
                .prop_map(collected)
                .boxed()
        }
        Some("object") => btree_map(keys(), json(2), 0..4).prop_map(collected).boxed(),
        _ => json(3),
    }
}

/// Returns declared values, and sometimes one that only a newer server has.
fn one_of(schema: &Value, values: &[Value]) -> BoxedStrategy<Value> {
    let declared: Vec<Value> = values
        .iter()
        .filter(|value| !value.is_null())
        .cloned()
        .collect();
    let newer = match schema["type"].as_str() {
        Some("string") => words(),
        Some("integer") => any::<i32>().prop_map(Value::from).boxed(),
        Some("boolean") => any::<bool>().prop_map(Value::from).boxed(),
        Some("number") => numbers(),
        _ => json(1),
    };
    prop_oneof![4 => select(declared), 1 => newer.prop_filter("null is absent", |it| !it.is_null())]
        .boxed()
}

fn properties(schema: &Value) -> BoxedStrategy<Map<String, Value>> {
    let empty = Map::new();
    let declared = schema["properties"].as_object().unwrap_or(&empty);
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let mut all = Just(Map::new()).boxed();
    for (name, schema) in declared {
        let name = name.clone();
        let field = if required.contains(&json!(name)) {
            of(schema).prop_map(Some).boxed()
        } else {
            proptest::option::of(of(schema)).boxed()
        };
        all = (all, field)
            .prop_map(move |(mut map, value)| {
                map.extend(value.map(|value| (name.clone(), value)));
                map
            })
            .boxed();
    }
    if schema["x-kubernetes-preserve-unknown-fields"] == true {
        let declared: Vec<String> = declared.keys().cloned().collect();
        all = (all, btree_map(keys(), json(2), 0..3))
            .prop_map(move |(mut map, rest)| {
                let unknown = rest
                    .into_iter()
                    .filter(|(name, _)| !declared.contains(name) && !is_given(name));
                map.extend(unknown);
                map
            })
            .boxed();
    }
    all
}

fn metadata() -> BoxedStrategy<Value> {
    ("[a-z]{1,8}", btree_map("[a-z]{1,4}", "[a-z]{0,4}", 1..3))
        .prop_map(|(name, labels)| json!({"name": name, "labels": labels, "generation": 1}))
        .boxed()
}

fn embedded() -> BoxedStrategy<Value> {
    (metadata(), btree_map("[a-z]{1,4}", json(2), 0..3))
        .prop_map(|(metadata, rest)| {
            let mut map: Map<String, Value> = rest
                .into_iter()
                .filter(|(name, _)| !is_given(name))
                .collect();
            map.insert("apiVersion".to_owned(), json!("v1"));
            map.insert("kind".to_owned(), json!("ConfigMap"));
            map.insert("metadata".to_owned(), metadata);
            Value::Object(map)
        })
        .boxed()
}

/// Returns integers within 64 bits, `int32` and the bounds; the API server checks no other format.
fn integers(schema: &Value) -> BoxedStrategy<Value> {
    let (least, most) = if schema["format"] == "int32" {
        (i32::MIN.into(), i32::MAX.into())
    } else {
        (i64::MIN, i64::MAX)
    };
    let least = schema["minimum"].as_i64().unwrap_or(least);
    let most = schema["maximum"].as_i64().unwrap_or(most);
    prop_oneof![
        8 => (least..=most).prop_map(Value::from),
        1 => Just(json!(least)),
        1 => Just(json!(most)),
    ]
    .boxed()
}

/// Returns integers of 64 bits and floats.
fn numbers() -> BoxedStrategy<Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        proptest::num::f64::NORMAL.prop_map(Value::from),
        any::<i32>().prop_map(|it| json!(f64::from(it))),
        (-9_999_i32..9_999).prop_map(|it| json!(f64::from(it) + 0.25)),
        Just(json!(-0.0)),
    ]
    .boxed()
}

fn words() -> BoxedStrategy<Value> {
    prop_oneof![
        select(NAMES).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        select(
            &[
                "null",
                "true",
                "1",
                "0755",
                "1e3",
                "~",
                "2024-01-01",
                "$serde_json::private::Number"
            ][..]
        )
        .prop_map(Value::from),
    ]
    .boxed()
}

fn keys() -> BoxedStrategy<String> {
    prop_oneof![select(NAMES).prop_map(str::to_owned), "[a-z./-]{0,6}"].boxed()
}

/// Returns any JSON.
fn json(depth: u32) -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        proptest::num::f64::NORMAL.prop_map(Value::from),
        words(),
    ];
    leaf.prop_recursive(depth, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(keys(), inner, 0..4).prop_map(collected),
        ]
    })
    .boxed()
}

fn collected(map: std::collections::BTreeMap<String, Value>) -> Value {
    map.into_iter().collect()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().enumerate().fold(0_u32, |bits, (at, byte)| {
            bits | u32::from(*byte) << (16 - 8 * at)
        });
        for at in 0..4 {
            if at <= chunk.len() {
                out.push(char::from(DIGITS[(bits >> (18 - 6 * at) & 63) as usize]));
            } else {
                out.push('=');
            }
        }
    }
    out
}
