//! Decodes JSON, and reports where the decoded value differs from it.
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::report::{Problem, collect, key_segment};

/// The differences between a decoded value and its JSON. Paths look like `spec.ports[0].name`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeReport {
    /// Required fields that the JSON lacks. The value holds blank ones, and would be written with them.
    pub missing: Vec<String>,
    /// Fields of the JSON that the type does not have. The value lacks them, and would be written without them.
    pub unknown: Vec<String>,
}

impl DecodeReport {
    /// Whether the value contains exactly what the JSON contains.
    pub fn is_exact(&self) -> bool {
        self.missing.is_empty() && self.unknown.is_empty()
    }
}

/// Decodes a generated or `k8s-openapi` value, and reports missing required fields and unknown fields.
///
/// Normal decoding silently replaces missing required fields by blank ones: see [the crate](crate#how-an-object-is-read). This function
/// also writes the value again to compare it with the JSON, so use it only where the difference matters. `null` counts as absent.
///
/// ```
/// # use serde_json::json;
/// # #[derive(Debug, PartialEq)]
/// # struct Widget { size: i64, color: Option<String> }
/// # kube_codegen_record::records! { Widget { color, size } }
/// let json = json!({"color": "red", "shape": {"corners": 3}});
/// let (widget, report) = kube_codegen_record::decode::<Widget>(&json)?;
/// assert_eq!(widget, Widget { size: 0, color: Some("red".into()) });
/// assert_eq!(report.missing, ["size"]);
/// assert_eq!(report.unknown, ["shape"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// If a value has the wrong type. The error contains its path.
pub fn decode<T: DeserializeOwned + Serialize>(
    json: &Value,
) -> Result<(T, DecodeReport), serde_json::Error> {
    let value = T::deserialize(json)?;
    let written = serde_json::to_value(&value)?;
    let mut comparison = Comparison::default();
    comparison.compare(json, &written);
    Ok((value, comparison.report))
}

/// Decodes a generated or `k8s-openapi` value, and returns all values that do not fit their types, rather than one error that lists them.
///
/// ```
/// # use serde_json::json;
/// # #[derive(Debug, PartialEq)]
/// # struct Widget { size: i64, color: Option<String> }
/// # kube_codegen_record::records! { Widget { color, size } }
/// let problems = kube_codegen_record::decode_all::<Widget>(&json!({"color": 1, "size": "large"})).unwrap_err();
/// let paths: Vec<_> = problems.iter().map(|problem| &*problem.path).collect();
/// assert_eq!(paths, ["color", "size"]);
/// assert_eq!(problems[0].message, "invalid type: integer, expected a string");
/// ```
///
/// # Errors
/// The problems; never empty.
pub fn decode_all<T: DeserializeOwned>(json: &Value) -> Result<T, Vec<Problem>> {
    collect(|| T::deserialize(json))
}

#[derive(Default)]
struct Comparison<'a> {
    path: Vec<Segment<'a>>,
    report: DecodeReport,
}

enum Segment<'a> {
    Field(&'a str),
    Item(usize),
}

impl<'a> Comparison<'a> {
    fn compare(&mut self, json: &'a Value, written: &'a Value) {
        match (json, written) {
            (Value::Object(json), Value::Object(written)) => {
                for (name, written) in written {
                    match json.get(name).filter(|value| !value.is_null()) {
                        Some(json) => self.within(Segment::Field(name), json, written),
                        // The type implies them: items of a list do not have them.
                        None if self.path.is_empty()
                            && matches!(&**name, "apiVersion" | "kind") => {}
                        // A null that was kept.
                        None if written.is_null() => {}
                        None => {
                            let path = self.path_of(name);
                            self.report.missing.push(path);
                        }
                    }
                }
                for (name, value) in json {
                    if !written.contains_key(name) && !value.is_null() {
                        let path = self.path_of(name);
                        self.report.unknown.push(path);
                    }
                }
            }
            (Value::Array(json), Value::Array(written)) => {
                for (index, (json, written)) in json.iter().zip(written).enumerate() {
                    self.within(Segment::Item(index), json, written);
                }
            }
            _ => {}
        }
    }

    fn within(&mut self, segment: Segment<'a>, json: &'a Value, written: &'a Value) {
        self.path.push(segment);
        self.compare(json, written);
        self.path.pop();
    }

    fn path_of(&self, name: &str) -> String {
        let mut path = String::new();
        for segment in self.path.iter().chain([&Segment::Field(name)]) {
            let segment = match segment {
                Segment::Field(name) => key_segment(name),
                Segment::Item(index) => format!("[{index}]"),
            };
            if !path.is_empty() && !segment.starts_with('[') {
                path.push('.');
            }
            path.push_str(&segment);
        }
        path
    }
}
