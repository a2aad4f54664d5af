//! Checks that objects survive the conversion to another version and back.
use serde_json::Value;
use thiserror::Error;

use super::{ConversionError, Converter};

/// An object that changes when it is converted to another version and back.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{} by way of {through}: {what}", object["apiVersion"].as_str().unwrap_or_default())]
pub struct RoundTripError {
    /// The object.
    pub object: Value,
    /// The `apiVersion` that it was converted to in between.
    pub through: String,
    /// The paths that differ, or the error of the conversion.
    pub what: String,
}

/// Converts an object to every other version and back, and compares the results.
///
/// # Errors
/// Names the first version for which the object changes.
pub fn round_trip(converter: &Converter, object: &Value) -> Result<(), RoundTripError> {
    let own = object["apiVersion"].as_str().unwrap_or_default();
    for version in converter.versions() {
        let through = format!("{}/{version}", converter.group());
        let back = converter
            .convert(object.clone(), &through)
            .and_then(|there| converter.convert(there, own));
        let what = match &back {
            Ok(back) => differences(object, back),
            Err(error) => Some(ConversionError::to_string(error)),
        };
        if let Some(what) = what {
            let object = object.clone();
            return Err(RoundTripError {
                object,
                through,
                what,
            });
        }
    }
    Ok(())
}

/// Asserts that objects do not change when they are converted to every other version and back.
///
/// ```
/// # use kube_codegen_record::conversion::{Converter, Spoke, assert_round_trips};
/// # use serde_json::json;
/// let converter = Converter::new("example.com", "Widget", "v2").spoke(Spoke::new("v1"));
/// assert_round_trips(&converter, [json!({"apiVersion": "example.com/v1", "kind": "Widget", "spec": {"size": 1}})]);
/// ```
///
/// # Panics
/// If an object changes. The message lists the paths that differ.
#[track_caller]
#[expect(clippy::panic, reason = "an assertion for tests")]
pub fn assert_round_trips(converter: &Converter, objects: impl IntoIterator<Item = Value>) {
    for object in objects {
        if let Err(error) = round_trip(converter, &object) {
            panic!("{error}\nobject: {:#}", error.object);
        }
    }
}

/// Describes how two values differ; none if they are equal.
fn differences(before: &Value, after: &Value) -> Option<String> {
    let mut found = Vec::new();
    compare(Some(before), Some(after), "", &mut found);
    (!found.is_empty()).then(|| found.join("; "))
}

fn compare(before: Option<&Value>, after: Option<&Value>, path: &str, found: &mut Vec<String>) {
    match (before, after) {
        (before, after) if before == after => {}
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            let more = b.keys().filter(|name| !a.contains_key(*name));
            for name in a.keys().chain(more) {
                let separator = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{separator}{name}");
                compare(a.get(name), b.get(name), &path, found);
            }
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                compare(Some(a), Some(b), &format!("{path}[{index}]"), found);
            }
        }
        (before, after) => {
            let show = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
            found.push(format!(
                "{path} was {} and is {}",
                show(before),
                show(after)
            ));
        }
    }
}
