//! Decodes and validates `apiVersion`, `kind` and `metadata` of embedded resources.

use kube_codegen_formats::{go::shown, names};
use serde_json::{Map, Value};

use crate::{
    cause::{Cause, Reason},
    metadata,
    node::Node,
    path,
};

/// Returns the violations of embedded resources inside a value.
pub(crate) fn validate(schema: &Node, value: &Value, path: &str, causes: &mut Vec<Cause>) {
    walk(schema, value, path, &mut |fields, path| {
        resource(fields, path, causes);
    });
}

/// Returns the first part of each embedded resource inside a value that Go cannot decode.
pub(crate) fn undecodable(schema: &Node, value: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    walk(schema, value, "", &mut |fields, path| {
        let wrong = ["apiVersion", "kind"].into_iter().find_map(|name| {
            let value = fields.get(name).filter(|value| !value.is_string())?;
            let path = path::field(path, name);
            let why = "must be a string";
            Some(Cause::new(&path, Reason::Invalid, &shown(value), why))
        });
        causes.extend(wrong.or_else(|| metadata::undecodable(fields, path)));
    });
    causes
}

/// Visits the embedded resources inside a value.
fn walk(
    schema: &Node,
    value: &Value,
    path: &str,
    visit: &mut impl FnMut(&Map<String, Value>, &str),
) {
    match value {
        Value::Object(fields) => {
            if schema.embedded_resource {
                visit(fields, path);
            }
            for (name, value) in fields {
                if let Some(inner) = schema.properties.get(name) {
                    walk(inner, value, &path::field(path, name), visit);
                } else if let Some(inner) = schema.additional() {
                    walk(inner, value, &path::key(path, name), visit);
                }
            }
        }
        Value::Array(items) => {
            if let Some(inner) = &schema.items {
                for (index, item) in items.iter().enumerate() {
                    walk(inner, item, &path::index(path, index), visit);
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
                // A value of another type is not decoded.
                let why = match value.as_str() {
                    None => continue,
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
    let why = names::dns_1035_label(&text.to_lowercase());
    if why.is_empty() {
        String::new()
    } else {
        format!(
            "may have mixed case, but should otherwise match: {}",
            why.join(",")
        )
    }
}
