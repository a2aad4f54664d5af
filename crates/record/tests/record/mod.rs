//! Reading and writing generated types.
#![allow(clippy::unwrap_used)]
mod arbitrary_precision;
mod decode;
mod dependencies;
mod errors;
mod foreign;
mod kubernetes;
mod leaves;
mod presence;
mod sources;
mod types;
mod values;

use serde_json::json;
use types::Shop;

/// Reads a shop with this spec.
fn shop(spec: &str) -> Result<Shop, serde_json::Error> {
    serde_json::from_str(&format!(r#"{{"spec":{spec}}}"#))
}

/// Returns the error for a spec.
fn rejection(spec: &str) -> String {
    shop(spec).unwrap_err().to_string()
}

/// Reads and writes a spec.
fn round_trip(spec: &str) -> String {
    let out = serde_json::to_value(shop(spec).unwrap()).unwrap();
    let mut spec = out["spec"].clone();
    // Blank required fields are always written.
    let object = spec.as_object_mut().unwrap();
    for (name, blank) in [
        ("hook", json!({"retries": 0})),
        ("name", json!("")),
        ("open", json!(false)),
    ] {
        if object.get(name).is_some_and(|value| *value == blank) {
            object.remove(name);
        }
    }
    spec.to_string()
}
