//! Finds and prints the differences of two answers.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::Answer;

/// Returns the first part in which two answers differ.
pub(super) fn difference(ours: &Answer, theirs: &Answer) -> Option<&'static str> {
    if theirs.status == 0 {
        Some("connection closed by the real server")
    } else if ours.status != theirs.status {
        Some("status")
    } else if ours.body != theirs.body {
        Some(if ours.status < 300 { "body" } else { "message" })
    } else if ours.warnings != theirs.warnings {
        Some("warning")
    } else {
        None
    }
}

/// Lists the values in which two bodies differ.
pub(super) fn values(path: &str, ours: &Value, theirs: &Value, lines: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for name in names {
                let path = format!("{path}.{name}");
                match (a.get(name), b.get(name)) {
                    (Some(a), Some(b)) => values(&path, a, b, lines),
                    (Some(a), None) => {
                        lines.push(format!("{path}: memory {a}\n      real has none"));
                    }
                    (None, b) => lines.push(format!("{path}: memory has none\n      real {b:?}")),
                }
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                values(&format!("{path}[{index}]"), a, b, lines);
            }
        }
        _ if ours == theirs => {}
        _ => lines.push(format!("{path}: memory {ours}\n      real {theirs}")),
    }
}
