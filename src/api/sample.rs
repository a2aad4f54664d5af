//! Makes an object of a kind that its schema accepts, as YAML with the descriptions as comments.
use kube_codegen_formats::printable;
use kube_codegen_schema::{Cause, Extent, Schema};
use serde_json::{Value, json};

use crate::output::yaml;

/// Returns an object of a version of a CRD, in a namespace if one is given, and what the API server rejects in it.
///
/// # Errors
/// If the schema is invalid.
pub(crate) fn sample(
    crd: &Value,
    version: &Value,
    namespace: Option<&str>,
    extent: Extent,
    comments: bool,
) -> Result<(String, Vec<Cause>), String> {
    let (sample, causes) = object(crd, version, namespace, extent)?;
    let definition = &version["schema"]["openAPIV3Schema"];
    let mut out = String::new();
    for name in ["apiVersion", "kind", "metadata"] {
        entry(name, &sample[name], &Value::Null, 0, false, &mut out);
    }
    for (name, value) in sample.as_object().into_iter().flatten() {
        if !matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
            let schema = &definition["properties"][name];
            entry(name, value, schema, 0, comments, &mut out);
        }
    }
    Ok((out, causes))
}

/// Returns an object of a version of a CRD as JSON, and what the API server rejects in it.
///
/// # Errors
/// If the schema is invalid.
fn object(
    crd: &Value,
    version: &Value,
    namespace: Option<&str>,
    extent: Extent,
) -> Result<(Value, Vec<Cause>), String> {
    let text = |pointer: &str| {
        crd.pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let kind = text("/spec/names/kind");
    let schema = Schema::new(&version["schema"]["openAPIV3Schema"]);
    let schema = schema.map_err(|error| format!("{kind}: {error}"))?;
    let mut object = json!({
        "apiVersion": format!("{}/{}", text("/spec/group"), version["name"].as_str().unwrap_or_default()),
        "kind": kind,
        "metadata": {"name": "example"},
    });
    if let Some(namespace) = namespace {
        object["metadata"]["namespace"] = namespace.into();
    }
    Ok(schema.sample(extent, &object))
}

/// Writes a field with its description.
fn entry(
    name: &str,
    value: &Value,
    schema: &Value,
    depth: usize,
    comments: bool,
    out: &mut String,
) {
    if comments {
        comment(schema, depth, out);
    }
    indent(depth, out);
    out.push_str(&yaml::string(name));
    out.push(':');
    child(value, schema, depth, comments, out);
}

/// Writes the first paragraph of a description.
fn comment(schema: &Value, depth: usize, out: &mut String) {
    const WIDTH: usize = 100;
    let description = schema["description"].as_str().unwrap_or_default().trim();
    let paragraph = description.split("\n\n").next().unwrap_or_default();
    let mut line = String::new();
    let mut flush = |line: &mut String| {
        if !line.is_empty() {
            indent(depth, out);
            out.push('#');
            out.push_str(line);
            out.push('\n');
            line.clear();
        }
    };
    for word in paragraph.split_whitespace() {
        if !line.is_empty() && line.chars().count() + word.chars().count() + 2 * depth > WIDTH {
            flush(&mut line);
        }
        line.push(' ');
        line.push_str(&printable::line(word));
    }
    flush(&mut line);
}

fn indent(depth: usize, out: &mut String) {
    out.push_str(&"  ".repeat(depth));
}

/// Writes a value after a colon.
fn child(value: &Value, schema: &Value, depth: usize, comments: bool, out: &mut String) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            out.push('\n');
            for (name, value) in fields {
                entry(name, value, field(schema, name), depth + 1, comments, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('\n');
            for item in items {
                let mut text = String::new();
                child(item, &schema["items"], depth + 1, comments, &mut text);
                indent(depth + 1, out);
                out.push('-');
                match text.strip_prefix('\n') {
                    // The first line of a nested value follows the dash.
                    Some(block) => {
                        let block = block.trim_start_matches(' ');
                        out.push(' ');
                        out.push_str(block);
                    }
                    None => out.push_str(&text),
                }
            }
        }
        value => {
            out.push(' ');
            out.push_str(&match value {
                Value::String(text) => yaml::string(text),
                value => value.to_string(),
            });
            out.push('\n');
        }
    }
}

fn field<'a>(schema: &'a Value, name: &str) -> &'a Value {
    match &schema["properties"][name] {
        Value::Null => &schema["additionalProperties"],
        inner => inner,
    }
}
