//! Validates the fields that the scale subresource reads.

use kube_codegen_formats::go::{Number, json};
use serde::Deserialize;
use serde_json::Value;

use crate::cause::{Cause, Reason};

/// The paths of `subresources.scale`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Scale {
    #[serde(rename = "specReplicasPath")]
    spec: String,
    #[serde(rename = "statusReplicasPath")]
    status: String,
    #[serde(rename = "labelSelectorPath")]
    selector: Option<String>,
}

impl Scale {
    /// Adds the violations of an object. A write to the status checks no field of `spec`.
    pub(crate) fn validate(&self, object: &Value, is_status: bool, causes: &mut Vec<Cause>) {
        if !is_status {
            replicas(object, &self.spec, causes);
        }
        replicas(object, &self.status, causes);
        if let Some(path) = self.selector.as_deref().filter(|it| !it.is_empty())
            && let Err(why) = find(object, path, "string", Value::is_string)
        {
            causes.push(Cause::new(path, Reason::Invalid, "\"\"", &why));
        }
    }
}

fn replicas(object: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (shown, why) = match find(object, path, "int64", Value::is_i64) {
        Err(why) => ("0".to_owned(), why),
        Ok(found) => match found.and_then(Value::as_i64) {
            Some(count) if count < 0 => (
                count.to_string(),
                "should be a non-negative integer".to_owned(),
            ),
            Some(count) if count > i64::from(i32::MAX) => {
                let why = format!("should be less than or equal to {}", i32::MAX);
                (count.to_string(), why)
            }
            _ => return,
        },
    };
    causes.push(Cause::new(path, Reason::Invalid, &shown, &why));
}

/// Returns the value at a path such as `.spec.replicas`; the error is that of Go's accessor.
fn find<'a>(
    object: &'a Value,
    path: &str,
    expected: &str,
    fits: fn(&Value) -> bool,
) -> Result<Option<&'a Value>, String> {
    let mut found = object;
    let mut at = String::new();
    for name in path.trim_start_matches('.').split('.') {
        at.push('.');
        at.push_str(name);
        found = match found {
            Value::Object(fields) => match fields.get(name) {
                Some(found) => found,
                None => return Ok(None),
            },
            Value::Null => return Ok(None),
            found => return Err(wrong(&at, found, "map[string]interface{}")),
        };
    }
    if fits(found) {
        Ok(Some(found))
    } else {
        Err(wrong(&at, found, expected))
    }
}

fn wrong(at: &str, found: &Value, expected: &str) -> String {
    let (shown, type_) = match found {
        Value::Null => ("<nil>".to_owned(), "<nil>"),
        Value::Bool(value) => (value.to_string(), "bool"),
        Value::Number(number) => (
            Number::of(found).map(Number::text).unwrap_or_default(),
            if number.is_i64() { "int64" } else { "float64" },
        ),
        Value::String(text) => (text.clone(), "string"),
        Value::Array(_) => (printed(found), "[]interface {}"),
        Value::Object(_) => (printed(found), "map[string]interface {}"),
    };
    format!("{at} accessor error: {shown} is of the type {type_}, expected {expected}")
}

/// Formats a list or a map as `%v` does.
fn printed(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(printed).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            let fields = fields.into_iter();
            let fields: Vec<_> = fields
                .map(|(name, value)| format!("{name}:{}", printed(value)))
                .collect();
            format!("map[{}]", fields.join(" "))
        }
        Value::String(text) => text.clone(),
        Value::Null => "<nil>".to_owned(),
        value => json(value),
    }
}
