//! Checks `default`: the API server refuses a default that its own schema does not accept.
use super::validate::{pruned, violation};
use super::{EMBEDDED, Schema, child, flag, properties};
use crate::crd::reader::{At, Reader, entry};
use crate::diag::Code;

pub(super) fn check(reader: &mut Reader<'_>, root: &Schema, at: &At<'_>) {
    node(reader, root, at, true);
}

/// Checks a node and what is below it, except `additionalProperties`: the server does not check defaults there.
fn node(reader: &mut Reader<'_>, schema: &Schema, at: &At<'_>, is_root: bool) {
    if let Some(default) = entry(schema, "default") {
        let unfit = violation(schema, default).or_else(|| {
            pruned(schema, default, is_root).map(|path| format!("{path} is not declared"))
        });
        let unfit = unfit.or_else(|| {
            let mut fixed = ["apiVersion", "kind"].into_iter();
            let is_text = |name: &&str| default[*name].as_str().is_some_and(|it| !it.is_empty());
            fixed
                .find(|name| flag(schema, EMBEDDED) && !is_text(name))
                .map(|name| format!("an embedded resource needs `{name}`"))
        });
        if let Some(why) = unfit {
            reader
                .report(
                    Code::InvalidDefault,
                    &at.key("default"),
                    format!("the default does not fit its schema: {why}"),
                )
                .hint("the API server rejects the CRD; correct the default or the schema");
        }
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
