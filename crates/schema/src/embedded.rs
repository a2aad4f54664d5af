//! Validates `apiVersion`, `kind` and `metadata` of embedded resources.

use serde_json::{Map, Value};

use crate::{
    cause::{Cause, Reason},
    go::shown,
    k8s_names, metadata,
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
    if let Some(Value::Object(fields)) = fields.get("metadata") {
        metadata::embedded(fields, &path::field(path, "metadata"), causes);
    }
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
    let why = k8s_names::dns_1035_label(&text.to_lowercase());
    if why.is_empty() {
        String::new()
    } else {
        format!(
            "may have mixed case, but should otherwise match: {}",
            why.join(",")
        )
    }
}
