//! Random metadata: names that rules may demand, and values that Go cannot decode.

use fastrand::Rng;
use serde_json::{Value, json};

/// Returns the metadata of an embedded resource.
pub(super) fn embedded(rng: &mut Rng) -> Value {
    let mut metadata = json!({});
    for _ in 0..rng.usize(0..4) {
        let (name, value) = field(rng);
        metadata[name] = value;
    }
    match rng.u8(0..20) {
        0 => json!([1]),
        1 => json!("text"),
        2 => Value::Null,
        _ => metadata,
    }
}

/// Changes the name or the labels of an object.
pub(super) fn change(rng: &mut Rng, object: &mut Value) {
    const NAMES: [&str; 8] = [
        "cluster",
        "default",
        "team-a",
        "team-",
        "a.b",
        "Big_Name",
        "a-rather-long-name",
        "x",
    ];
    if !object["metadata"].is_object() {
        return;
    }
    match rng.u8(0..3) {
        0 => object["metadata"]["labels"] = texts(rng),
        1 => object["metadata"]["annotations"] = texts(rng),
        _ => object["metadata"]["name"] = NAMES[rng.usize(..NAMES.len())].into(),
    }
}

fn field(rng: &mut Rng) -> (&'static str, Value) {
    match rng.u8(0..10) {
        0 => ("name", text(rng)),
        1 => ("generateName", text(rng)),
        2 => ("namespace", text(rng)),
        3 => ("labels", texts(rng)),
        4 => ("annotations", texts(rng)),
        5 => ("finalizers", json!([text(rng)])),
        6 => {
            let times = [
                json!("2026-01-01T00:00:00Z"),
                json!("2026-13-01T00:00:00Z"),
                json!("2026-01-01"),
                json!(3),
                Value::Null,
            ];
            ("creationTimestamp", pick(rng, &times))
        }
        7 => {
            let numbers = [
                json!(0),
                json!(3),
                json!(-1),
                json!(1.5),
                json!(1e20),
                json!("1"),
            ];
            ("generation", pick(rng, &numbers))
        }
        8 => {
            let owner = json!({"apiVersion": text(rng), "kind": "A", "name": text(rng), "uid": "u", "controller": flag(rng)});
            ("ownerReferences", json!([owner]))
        }
        _ => ("unknown", json!(1)),
    }
}

/// Returns a map of texts, or what is not one.
fn texts(rng: &mut Rng) -> Value {
    match rng.u8(0..10) {
        0 => json!([]),
        1 => json!("text"),
        2 => json!({}),
        3 => Value::Null,
        _ => json!({"a": text(rng), "b.example.com/c": text(rng)}),
    }
}

fn text(rng: &mut Rng) -> Value {
    let texts = [
        json!("a"),
        json!("a-b"),
        json!("A b"),
        json!(""),
        json!("."),
        json!("a/b"),
        json!(70000),
        json!(true),
        json!(["x"]),
        json!({"x": 1}),
    ];
    // Mostly valid ones.
    if rng.bool() {
        return json!("a");
    }
    pick(rng, &texts)
}

fn flag(rng: &mut Rng) -> Value {
    pick(rng, &[json!(true), json!(false), json!("yes"), Value::Null])
}

fn pick(rng: &mut Rng, values: &[Value]) -> Value {
    values[rng.usize(..values.len())].clone()
}
