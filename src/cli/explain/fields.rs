//! Describes the fields of a kind in the format of `kubectl explain`.
use std::fmt::Write as _;

use serde_json::Value;

use super::wrap::wrap;
use crate::{
    api::object_meta::{TYPE_NAME, object_meta},
    input::crd::{Schema, SchemaType},
};

/// What the API server publishes as the description of `apiVersion`.
const API_VERSION: &str = "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";

/// What the API server publishes as the description of `kind`.
const KIND: &str = "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";

/// The part of a schema that is described, and how.
pub(super) struct Request<'a> {
    pub(super) group: &'a str,
    pub(super) version: &'a str,
    pub(super) kind: &'a str,
    /// The schema of the version.
    pub(super) schema: Option<&'a Schema>,
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
fn published(schema: Option<&Schema>) -> Schema {
    let has_fields =
        |it: &&Schema| !it.kubernetes.preserve_unknown_fields || it.properties.is_some();
    let schema = schema.filter(has_fields).cloned();
    let mut schema = schema.unwrap_or_else(|| Schema {
        type_: Some(SchemaType::Object),
        ..Schema::default()
    });
    embed(&mut schema);
    add_head(&mut schema);
    schema
}

/// Adds the fields that each embedded resource has; the API server requires two of them.
fn embed(schema: &mut Schema) {
    if schema.kubernetes.embedded_resource {
        add_head(schema);
        for name in ["apiVersion", "kind"] {
            if !schema.required.iter().any(|it| it == name) {
                schema.required.push(name.to_owned());
            }
        }
    }
    for inner in schema.parts_mut() {
        embed(inner);
    }
}

fn add_head(schema: &mut Schema) {
    let text = |description: &str| Schema {
        type_: Some(SchemaType::String),
        description: Some(description.to_owned()),
        ..Schema::default()
    };
    let fields = schema.properties.get_or_insert_default();
    fields.insert("apiVersion".to_owned(), text(API_VERSION).into());
    fields.insert("kind".to_owned(), text(KIND).into());
    fields.insert("metadata".to_owned(), object_meta());
}

/// Returns the items of a list, or the values of a map.
fn inner(schema: &Schema) -> impl Iterator<Item = &Schema> {
    schema.items().into_iter().chain(schema.values())
}

/// Returns a field of an object, or of the innermost items of a list or values of a map.
fn field<'a>(schema: &'a Schema, name: &str) -> Option<&'a Schema> {
    let own = schema.field(name);
    own.or_else(|| inner(schema).next().and_then(|inner| field(inner, name)))
}

fn missing(at: &Schema, request: &Request<'_>, index: usize) -> String {
    let name = request.path[index];
    let before = [&[request.kind], &request.path[..index]].concat().join(".");
    let mut schema = at;
    while let Some(inner) = inner(schema).next() {
        schema = inner;
    }
    let names: Vec<&str> = schema.fields().map(|(name, _)| &**name).collect();
    let hint = match crate::base::diag::nearest(name, names.iter().copied()).as_slice() {
        [] if names.is_empty() => "it has no fields".to_owned(),
        [] => format!("it has {}", names.join(", ")),
        near => format!("did you mean `{}`?", near.join("` or `")),
    };
    format!("`{before}` has no field `{}`; {hint}", name.escape_debug())
}

/// Writes the fields of an object, or of the items of a list or values of a map.
fn list(out: &mut String, schema: &Schema, level: usize, recursive: bool) {
    for (name, field) in schema.fields() {
        let mark = if schema.required.contains(name) {
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
        let text = own_description(field).unwrap_or("<no description>");
        let text = wrap(text, 78_usize.saturating_sub(space));
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

fn type_of(schema: &Schema) -> String {
    if let Some(items) = schema.items() {
        return format!("[]{}", type_of(items));
    }
    if let Some(values) = schema.values() {
        return format!("map[string]{}", type_of(values));
    }
    let of_go = schema.unknown.get(TYPE_NAME).and_then(Value::as_str);
    match of_go.or(schema.type_.as_ref().map(SchemaType::name)) {
        None | Some("" | "object") => "Object".to_owned(),
        Some(name) => name.to_owned(),
    }
}

fn own_description(schema: &Schema) -> Option<&str> {
    let text = schema.description.as_deref();
    text.filter(|text| !text.is_empty())
}

/// Joins the descriptions of a field and of its items or values.
fn description(schema: &Schema) -> String {
    let own = own_description(schema);
    let mut text = own.map(|text| format!("{text}\n")).unwrap_or_default();
    for inner in inner(schema) {
        text.push_str(&description(inner));
    }
    text
}

fn external_docs(schema: &Schema, space: usize) -> String {
    let Some(docs) = schema.annotations.get("externalDocs") else {
        return String::new();
    };
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
fn values(schema: &Schema) -> String {
    let Some(values) = schema.enum_.as_ref().filter(|all| !all.is_empty()) else {
        return String::new();
    };
    let values: Vec<String> = values.iter().map(shown).collect();
    format!("ENUM:\n    {}", values.join("\n    "))
}

/// Lists the first values of an enum in a line.
fn short_values(schema: &Schema, space: usize) -> String {
    let Some(values) = schema.enum_.as_ref().filter(|all| !all.is_empty()) else {
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
