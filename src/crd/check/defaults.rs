//! Checks `default`: the API server refuses a default that its own schema does not accept.
use kube_codegen_schema::{Reason, Schema as Validator};
use serde_json::{Value, json};

use super::{EMBEDDED, Schema, child, flag, properties};
use crate::crd::reader::{At, Reader, entry};
use crate::diag::Code;

pub(super) fn check(reader: &mut Reader<'_>, root: &Schema, at: &At<'_>) {
    node(reader, root, at, true);
}

/// Checks a node and what is below it, except `additionalProperties`: the server does not check defaults there.
fn node(reader: &mut Reader<'_>, schema: &Schema, at: &At<'_>, is_root: bool) {
    let default = entry(schema, "default");
    if let Some(why) = default.and_then(|default| problem(schema, default)) {
        reader
            .report(
                Code::InvalidDefault,
                &at.key("default"),
                format!("the default does not fit its schema: {why}"),
            )
            .hint("the API server rejects the CRD; correct the default or the schema");
    }
    if let Some(items) = child(schema, "items") {
        node(reader, items, &at.key("items"), false);
    }
    let at = at.key("properties");
    for (name, property) in properties(schema) {
        let at = at.key(name);
        let is_fixed = matches!(name.as_str(), "apiVersion" | "kind" | "metadata");
        if is_root && is_fixed {
            forbidden(reader, property, &at);
        } else if !(flag(schema, EMBEDDED) && name == "metadata") {
            node(reader, property, &at, false);
        }
    }
}

/// Returns why the API server refuses a default, if it does: as the only field of an object, so that messages name it.
fn problem(schema: &Schema, default: &Value) -> Option<String> {
    let whole = json!({"type": "object", "properties": {"default": schema}});
    // A schema that cannot be read has its own diagnostic.
    let validator = Validator::new(&whole).ok()?.without_rules();
    let object = json!({ "default": default });
    if let Some(path) = validator.prune(&mut object.clone()).first() {
        return Some(format!("{path} is not declared"));
    }
    // The server does not look for duplicates here.
    let mut causes = validator.validate(&object).into_iter();
    let cause = causes.find(|cause| cause.reason != Reason::Duplicate)?;
    let inside = cause.field.strip_prefix("default");
    Some(if inside.is_none_or(str::is_empty) {
        cause.message
    } else {
        cause.to_string()
    })
}

/// Reports every default within `apiVersion`, `kind` or `metadata` of the root.
fn forbidden(reader: &mut Reader<'_>, schema: &Schema, at: &At<'_>) {
    if entry(schema, "default").is_some() {
        reader
            .report(
                Code::InvalidDefault,
                &at.key("default"),
                "a default within the top-level apiVersion, kind or metadata",
            )
            .hint("the API server rejects the CRD; remove the default");
    }
    let at = at.key("properties");
    for (name, property) in properties(schema) {
        forbidden(reader, property, &at.key(name));
    }
}
