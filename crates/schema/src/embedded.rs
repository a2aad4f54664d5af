//! Validates `apiVersion` and `kind` of embedded resources.

use serde_json::{Map, Value};

use crate::{
    cause::{Cause, Reason},
    go::shown,
    node::Node,
    path,
};

/// Returns the violations of embedded resources inside a value.
pub(crate) fn validate(schema: &Node, value: &Value, path: &str, causes: &mut Vec<Cause>) {
    match value {
        Value::Object(fields) => {
            if schema.embedded_resource {
                resource(fields, path, causes);
            }
            for (name, value) in fields {
                if let Some(inner) = schema.properties.get(name) {
                    validate(inner, value, &path::field(path, name), causes);
                } else if let Some(inner) = schema.additional() {
                    validate(inner, value, &path::key(path, name), causes);
                }
            }
        }
        Value::Array(items) => {
            if let Some(inner) = &schema.items {
                for (index, item) in items.iter().enumerate() {
                    validate(inner, item, &path::index(path, index), causes);
                }
            }
        }
        _ => {}
    }
}

fn resource(fields: &Map<String, Value>, path: &str, causes: &mut Vec<Cause>) {
    for (name, check) in [
        ("apiVersion", api_version as fn(&str) -> String),
        ("kind", kind),
    ] {
        let path = path::field(path, name);
        let cause = match fields.get(name) {
            None => Cause::new(&path, Reason::Required, "", ""),
            Some(value) => {
                let why = match value.as_str() {
                    None => "must be a string".to_owned(),
                    Some("") => "must not be empty".to_owned(),
                    Some(text) => check(text),
                };
                if why.is_empty() {
                    continue;
                }
                Cause::new(&path, Reason::Invalid, &shown(value), &why)
            }
        };
        causes.push(cause);
    }
}

fn api_version(text: &str) -> String {
    match text.matches('/').count() {
        0 | 1 => String::new(),
        _ => format!("unexpected GroupVersion string: {text}"),
    }
}

/// A kind is a DNS label (RFC 1035) in mixed case.
fn kind(text: &str) -> String {
    const SYNTAX: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
    let mut why = Vec::new();
    let text = text.to_lowercase();
    if text.len() > 63 {
        why.push("must be no more than 63 bytes");
    }
    let inner =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    if !text.starts_with(|letter: char| letter.is_ascii_lowercase())
        || text.ends_with('-')
        || !text.chars().all(inner)
    {
        why.push(SYNTAX);
    }
    if why.is_empty() {
        String::new()
    } else {
        format!(
            "may have mixed case, but should otherwise match: {}",
            why.join(",")
        )
    }
}
