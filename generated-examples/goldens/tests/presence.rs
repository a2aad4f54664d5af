//! Every kind of value × every presence: absent, null, empty and zero are written as they were read, alone and within lists and maps.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "helpers of tests fail by panicking, and take values as they are written"
)]

use kube_codegen_goldens::presence_matrix::example_com::v1::Matrix;
use serde_json::{Map, Value, json};

/// The fields of each part of `fixtures/presence_matrix.yaml`, and what they can hold: blank first.
fn values() -> Vec<(&'static str, Vec<Value>)> {
    vec![
        ("flag", vec![json!(false), json!(true)]),
        ("count", vec![json!(0), json!(i64::MIN), json!(i64::MAX)]),
        ("small", vec![json!(0), json!(i32::MIN), json!(i32::MAX)]),
        (
            "number",
            vec![
                json!(0),
                json!(0.0),
                json!(0.1),
                json!(9_007_199_254_740_993_i64),
                json!(i64::MIN),
                json!(u64::MAX),
                json!(1e300),
            ],
        ),
        ("text", vec![json!(""), json!("0"), json!("null")]),
        ("data", vec![json!(""), json!("aGk=")]),
        ("at", vec![json!(""), json!("2024-03-01T01:59:59.50+02:00")]),
        (
            "either",
            vec![json!(0), json!(""), json!("0"), json!(i32::MAX)],
        ),
        ("choice", vec![json!(""), json!("A"), json!("newer")]),
        ("level", vec![json!(0), json!(1), json!(-9)]),
        (
            "mixed",
            vec![json!(0), json!(""), json!(80), json!("80"), json!("http")],
        ),
        (
            "union",
            vec![
                json!(""),
                json!(false),
                json!(0),
                json!([]),
                json!({}),
                json!([null]),
            ],
        ),
        (
            "any",
            vec![
                json!(""),
                json!(0),
                json!(false),
                json!([]),
                json!({"a": null}),
            ],
        ),
        ("list", vec![json!([]), json!([""]), json!(["a", ""])]),
        ("map", vec![json!({}), json!({"": 0}), json!({"ü/b c": 1})]),
        ("part", vec![json!({}), json!({"a": ""})]),
        ("open", vec![json!({}), json!({"a": "", "b": null})]),
    ]
}

fn read_and_written(part: &str, value: &Value) -> Value {
    let text =
        json!({"apiVersion": "example.com/v1", "kind": "Matrix", "metadata": {}, part: value})
            .to_string();
    let typed: Matrix = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
    serde_json::to_value(&typed).unwrap()[part].clone()
}

#[track_caller]
fn survives(part: &str, value: Value) {
    assert_eq!(read_and_written(part, &value), value, "{part}");
}

/// A part where each field has a value.
fn full() -> Map<String, Value> {
    let values = values().into_iter();
    values
        .map(|(name, all)| (name.to_owned(), all[1].clone()))
        .collect()
}

#[test]
fn every_value_of_every_presence() {
    for part in [
        "plain",
        "requiredPlain",
        "nullable",
        "requiredNullable",
        "defaulted",
        "requiredDefaulted",
        "nullableDefaulted",
        "requiredNullableDefaulted",
    ] {
        let is_nullable = part.to_lowercase().contains("nullable");
        // Who writes an object may leave out what has a default.
        let may_be_absent = !part.starts_with("required") || part.ends_with("Defaulted");
        survives(part, Value::Object(full()));
        for (name, values) in values() {
            for value in values {
                let mut fields = full();
                fields.insert(name.to_owned(), value);
                survives(part, Value::Object(fields));
            }
            let mut without = full();
            without.remove(name);
            if may_be_absent {
                survives(part, Value::Object(without.clone()));
            }
            let mut with_null = without.clone();
            with_null.insert(name.to_owned(), Value::Null);
            if is_nullable || name == "any" {
                survives(part, Value::Object(with_null));
            } else if may_be_absent {
                // The API server drops it before it fills in defaults.
                let written = read_and_written(part, &Value::Object(with_null));
                assert_eq!(written, Value::Object(without), "{part}.{name}");
            }
        }
    }
}

#[test]
fn every_value_within_lists_and_maps() {
    for (part, is_nullable) in [("lists", false), ("nullableItems", true)] {
        survives(part, json!({}));
        for (name, mut values) in values() {
            survives(part, json!({ name: [] }));
            if is_nullable || name == "any" {
                values.push(Value::Null);
            }
            for value in &values {
                survives(part, json!({ name: [value] }));
            }
            survives(part, json!({ name: values }));
        }
    }
    for (part, is_nullable) in [("maps", false), ("nullableValues", true)] {
        survives(part, json!({}));
        for (name, mut values) in values() {
            survives(part, json!({ name: {} }));
            if is_nullable || name == "any" {
                values.push(Value::Null);
            }
            for value in &values {
                survives(
                    part,
                    json!({ name: {"": value, "ключ": value, "a.b/c": value} }),
                );
            }
        }
    }
}

#[test]
fn each_state_has_a_typed_value_of_its_own() {
    // Absent, null, and each value make another object.
    for (name, values) in values() {
        let mut states = vec![json!({}), json!({ name: null })];
        states.extend(values.into_iter().map(|value| json!({ name: value })));
        let typed = states.iter().map(|state| {
            let object = json!({ "nullable": state });
            serde_json::from_value::<Matrix>(object).unwrap()
        });
        let typed: Vec<Matrix> = typed.collect();
        for (at, one) in typed.iter().enumerate() {
            for (other_at, other) in typed.iter().enumerate() {
                // `0` and `0.0` are one number.
                let is_zero = |at: usize| states[at][name] == 0 || states[at][name] == 0.0;
                let same = at == other_at || is_zero(at) && is_zero(other_at);
                assert_eq!(one == other, same, "{} {}", states[at], states[other_at]);
            }
        }
    }
}

#[test]
fn an_integer_beyond_32_bits_is_written_as_text() {
    let number = json!({ "either": 1_u64 << 40 });
    let text = json!({ "either": "1099511627776" });
    assert_eq!(read_and_written("nullable", &number), text);
}
