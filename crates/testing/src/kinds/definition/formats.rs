//! Formats in the schemas of a definition that the server does not know: it ignores them, and says so.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::values::object::{at, list, text};

/// Returns the warnings about the formats that a definition has and its old state had not.
pub(crate) fn warnings(crd: &Value, old: Option<&Value>) -> Vec<String> {
    let found = |crd: &Value| {
        let mut found = BTreeSet::new();
        for version in list(crd, "/spec/versions") {
            collect(at(version, "/schema/openAPIV3Schema"), &mut found);
        }
        found
    };
    let before = old.map(found).unwrap_or_default();
    let new = found(crd).into_iter().filter(|name| !before.contains(name));
    new.map(|name| format!("unrecognized format {name:?}"))
        .collect()
}

fn collect(schema: &Value, found: &mut BTreeSet<String>) {
    let name = text(schema, "/format");
    let is_known = match text(schema, "/type") {
        "string" => kube_codegen_formats::is_known(name),
        "integer" | "number" => matches!(name, "int32" | "int64" | "float" | "double"),
        _ => true,
    };
    if !name.is_empty() && !is_known {
        found.insert(name.to_owned());
    }
    let fields = at(schema, "/properties").as_object();
    fields
        .into_iter()
        .flatten()
        .for_each(|(_, field)| collect(field, found));
    for inner in ["/items", "/additionalProperties", "/not"] {
        if let Some(inner) = schema.pointer(inner) {
            collect(inner, found);
        }
    }
    for branches in ["/allOf", "/anyOf", "/oneOf"] {
        for branch in list(schema, branches) {
            collect(branch, found);
        }
    }
}
