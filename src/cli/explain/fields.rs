//! Describes the fields of a kind in the format of `kubectl explain`.
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{meta, wrap::wrap};
use crate::api::object_meta::object_meta;

/// The part of a schema that is described, and how.
pub(super) struct Request<'a> {
    pub(super) group: &'a str,
    pub(super) version: &'a str,
    pub(super) kind: &'a str,
    /// The schema of the version.
    pub(super) schema: &'a Value,
    /// The names of fields from the root on; lists and maps need no step.
    pub(super) path: &'a [&'a str],
    pub(super) recursive: bool,
}

/// Returns the description. Fails if the kind does not have the field.
pub(super) fn describe(request: &Request<'_>) -> Result<String, String> {
    let mut out = String::new();
    _ = write!(
        out,
        "GROUP:      {}\nKIND:       {}\nVERSION:    {}\n\n",
        request.group, request.kind, request.version
    );
    let root = published(request.schema);
    let mut at = &root;
    for (index, name) in request.path.iter().enumerate() {
        at = field(at, name).ok_or_else(|| missing(at, request, index))?;
        if index + 1 == request.path.len() {
            _ = write!(out, "FIELD: {name} <{}>\n{}\n\n", type_of(at), values(at));
        }
    }
    let text = description(at);
    let text = if text.is_empty() { "<empty>" } else { &text };
    _ = writeln!(out, "DESCRIPTION:\n{}", indent(&wrap(text, 76), 4));
    let external = external_docs(at, 0);
    if !external.is_empty() {
        _ = write!(out, "\n{external}");
    }
    let mut fields = String::new();
    list(&mut fields, at, 1, request.recursive);
    if !fields.is_empty() {
        _ = write!(out, "FIELDS:\n{fields}");
    }
    out.push('\n');
    Ok(out)
}

/// Returns the schema as the API server publishes it, with the fields that each object has.
fn published(schema: &Value) -> Value {
    let mut schema = schema.clone();
    let preserves = schema["x-kubernetes-preserve-unknown-fields"] == true;
    if !schema.is_object() || (preserves && schema.get("properties").is_none()) {
        schema = json!({"type": "object"});
    }
    embed(&mut schema);
    let fields = [
        (
            "apiVersion",
            json!({"type": "string", "description": meta::API_VERSION}),
        ),
        ("kind", json!({"type": "string", "description": meta::KIND})),
        ("metadata", object_meta()),
    ];
    for (name, field) in fields {
        schema["properties"][name] = field;
    }
    schema
}

/// Adds the fields that each embedded resource has.
fn embed(schema: &mut Value) {
    if schema["x-kubernetes-embedded-resource"] == true {
        schema["properties"]["apiVersion"] =
            json!({"type": "string", "description": meta::API_VERSION});
        schema["properties"]["kind"] = json!({"type": "string", "description": meta::KIND});
        schema["properties"]["metadata"] = object_meta();
    }
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(embed);
    }
    for inner in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get_mut(inner).filter(|it| it.is_object()) {
            embed(inner);
        }
    }
}

/// Returns the items of a list, or the values of a map.
fn inner(schema: &Value) -> impl Iterator<Item = &Value> {
    let parts = ["items", "additionalProperties"].into_iter();
    parts.filter_map(|name| schema.get(name).filter(|it| it.is_object()))
}

/// Returns a field of an object, or of the innermost items of a list or values of a map.
fn field<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    let own = schema["properties"]
        .as_object()
        .and_then(|all| all.get(name));
    own.or_else(|| inner(schema).next().and_then(|inner| field(inner, name)))
}

fn missing(at: &Value, request: &Request<'_>, index: usize) -> String {
    let name = request.path[index];
    let before = [&[request.kind], &request.path[..index]].concat().join(".");
    let mut schema = at;
    while let Some(inner) = inner(schema).next() {
        schema = inner;
    }
    let names: Vec<&str> = schema["properties"]
        .as_object()
        .into_iter()
        .flat_map(|all| all.keys().map(String::as_str))
        .collect();
    let hint = match crate::base::diag::nearest(name, names.iter().copied()).as_slice() {
        [] if names.is_empty() => "it has no fields".to_owned(),
        [] => format!("it has {}", names.join(", ")),
        near => format!("did you mean `{}`?", near.join("` or `")),
    };
    format!("`{before}` has no field `{}`; {hint}", name.escape_debug())
}

/// Writes the fields of an object, or of the items of a list or values of a map.
fn list(out: &mut String, schema: &Value, level: usize, recursive: bool) {
    let properties = schema["properties"].as_object();
    let mut names: Vec<&String> = properties.into_iter().flat_map(|all| all.keys()).collect();
    names.sort();
    for name in names {
        let field = &schema["properties"][name];
        let required = schema["required"].as_array().into_iter().flatten();
        let mark = if required.into_iter().any(|it| it == name) {
            " -required-"
        } else {
            ""
        };
        let space = 2 * level;
        let ty = type_of(field);
        _ = write!(out, "{}{name}\t<{ty}>{mark}", " ".repeat(space));
        out.push_str(&short_values(field, space));
        out.push('\n');
        if recursive {
            list(out, field, level + 1, true);
            continue;
        }
        let text = field["description"]
            .as_str()
            .filter(|text| !text.is_empty());
        let text = wrap(
            text.unwrap_or("<no description>"),
            78_usize.saturating_sub(space),
        );
        _ = writeln!(out, "{}", indent(&text, space + 2));
        let external = external_docs(field, space + 2);
        if !external.is_empty() {
            _ = write!(out, "\n{external}");
        }
        out.push('\n');
    }
    for inner in inner(schema) {
        list(out, inner, level, recursive);
    }
}

fn type_of(schema: &Value) -> String {
    if schema["items"].is_object() {
        return format!("[]{}", type_of(&schema["items"]));
    }
    if schema["additionalProperties"].is_object() {
        return format!("map[string]{}", type_of(&schema["additionalProperties"]));
    }
    let name = schema["x-type-name"].as_str().or(schema["type"].as_str());
    match name {
        None | Some("" | "object") => "Object".to_owned(),
        Some(name) => name.to_owned(),
    }
}

/// Joins the descriptions of a field and of its items or values.
fn description(schema: &Value) -> String {
    let own = schema["description"]
        .as_str()
        .filter(|text| !text.is_empty());
    let mut text = own.map(|text| format!("{text}\n")).unwrap_or_default();
    for inner in inner(schema) {
        text.push_str(&description(inner));
    }
    text
}

fn external_docs(schema: &Value, space: usize) -> String {
    let docs = &schema["externalDocs"];
    if !docs.is_object() {
        return String::new();
    }
    let mut out = format!("{}\n", indent("EXTERNAL DOCS:", space));
    if let Some(text) = docs["description"].as_str().filter(|text| !text.is_empty()) {
        let width = 78_usize.saturating_sub(space.max(2));
        _ = writeln!(out, "{}", indent(&wrap(text, width), space.max(2) + 2));
    }
    if let Some(url) = docs["url"].as_str().filter(|url| !url.is_empty()) {
        _ = writeln!(out, "{}", indent(&format!("URL: {url}"), space.max(2) + 2));
    }
    out
}

/// Lists the values of an enum, one in a line.
fn values(schema: &Value) -> String {
    let Some(values) = schema["enum"].as_array().filter(|all| !all.is_empty()) else {
        return String::new();
    };
    let values: Vec<String> = values.iter().map(shown).collect();
    format!("ENUM:\n    {}", values.join("\n    "))
}

/// Lists the first values of an enum in a line.
fn short_values(schema: &Value, space: usize) -> String {
    let Some(values) = schema["enum"].as_array().filter(|all| !all.is_empty()) else {
        return String::new();
    };
    let mut shown: Vec<String> = values.iter().take(4).map(shown).collect();
    if values.len() > 4 {
        shown.push("....".to_owned());
    }
    format!("\n{}enum: {}", " ".repeat(space), shown.join(", "))
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "\"\"".to_owned(),
        Value::String(text) => text.clone(),
        Value::Null => "<nil>".to_owned(),
        other => other.to_string(),
    }
}

fn indent(text: &str, space: usize) -> String {
    let pad = " ".repeat(space);
    format!("{pad}{}", text.replace('\n', &format!("\n{pad}")))
}
