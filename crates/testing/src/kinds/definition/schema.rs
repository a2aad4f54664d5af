//! Validates that a schema is structural
//! (<https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema>).

use serde_json::Value;

use super::{Report, values};
use crate::values::object::{at, flag, list, strings, text};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// Validates the schema of a version.
pub(super) fn root(schema: &Value, path: &str, report: &mut Report) {
    match text(schema, "/type") {
        "object" => {}
        "" => report.required(&format!("{path}.type"), "must not be empty at the root"),
        _ => report.invalid(
            &format!("{path}.type"),
            at(schema, "/type"),
            "must be object at the root",
        ),
    }
    if flag(schema, "/nullable") {
        report.forbidden(
            &format!("{path}.nullable"),
            "nullable cannot be true at the root",
        );
    }
    let metadata = at(schema, "/properties/metadata");
    let fields = metadata.as_object().into_iter().flatten();
    let allowed = |name: &str| matches!(name, "type" | "properties" | "description");
    let inner = at(metadata, "/properties").as_object();
    if fields.into_iter().any(|(name, _)| !allowed(name))
        || inner.is_some_and(|inner| {
            inner
                .keys()
                .any(|name| !matches!(name.as_str(), "name" | "generateName"))
        })
    {
        report.forbidden(&format!("{path}.properties[metadata]"), "must not specify anything other than name and generateName, but metadata is implicitly specified");
    }
    node(schema, path, report, "must not be empty at the root", true);
}

/// Validates one schema of a value. `why` is the reason for which it needs a type.
fn node(schema: &Value, path: &str, report: &mut Report, why: &str, is_root: bool) {
    forms(schema, path, report);
    values::check(schema, path, report);
    let int_or_string = flag(schema, "/x-kubernetes-int-or-string");
    let preserves = flag(schema, "/x-kubernetes-preserve-unknown-fields");
    let found = text(schema, "/type");
    if found.is_empty() {
        if !int_or_string && !preserves && !is_root {
            report.required(&format!("{path}.type"), why);
        }
    } else if !TYPES.contains(&found) {
        report.unsupported(&format!("{path}.type"), at(schema, "/type"), &TYPES);
    }
    if found == "array" && at(schema, "/items").is_null() {
        report.required(&format!("{path}.items"), "must be specified");
    }
    list_type(schema, path, report);
    if let Some(properties) = at(schema, "/properties").as_object() {
        if !at(schema, "/additionalProperties").is_null() {
            report.forbidden(
                &format!("{path}.additionalProperties"),
                "additionalProperties and properties are mutual exclusive",
            );
        }
        for (name, property) in properties {
            let path = format!("{path}.properties[{name}]");
            let is_metadata =
                is_root && matches!(name.as_str(), "apiVersion" | "kind" | "metadata");
            if !is_metadata {
                node(
                    property,
                    &path,
                    report,
                    "must not be empty for specified object fields",
                    false,
                );
            }
        }
    }
    let inner = at(schema, "/additionalProperties");
    if inner.is_object() {
        let path = format!("{path}.additionalProperties");
        let why = "must not be empty for specified object fields";
        node(inner, &path, report, why, false);
    }
    match at(schema, "/items") {
        inner @ Value::Object(_) => node(
            inner,
            &format!("{path}.items"),
            report,
            "must not be empty for specified array items",
            false,
        ),
        Value::Array(_) => report.forbidden(
            &format!("{path}.items"),
            "items must be a schema object and not an array",
        ),
        _ => {}
    }
    constraints(schema, path, report);
}

/// Refuses the keywords that no structural schema has.
fn forms(schema: &Value, path: &str, report: &mut Report) {
    const ABSENT: [(&str, &str); 8] = [
        ("$ref", "$ref is not supported"),
        ("definitions", "definitions is not supported"),
        ("dependencies", "dependencies is not supported"),
        ("deprecated", "deprecated is not supported"),
        ("discriminator", "discriminator is not supported"),
        ("id", "id is not supported"),
        ("patternProperties", "patternProperties is not supported"),
        ("readOnly", "readOnly is not supported"),
    ];
    for (keyword, why) in ABSENT {
        if schema.get(keyword).is_some() {
            report.forbidden(&format!("{path}.{keyword}"), why);
        }
    }
    if flag(schema, "/uniqueItems") {
        report.forbidden(
            &format!("{path}.uniqueItems"),
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
        );
    }
}

fn list_type(schema: &Value, path: &str, report: &mut Report) {
    let kind = text(schema, "/x-kubernetes-list-type");
    let keys = strings(schema, "/x-kubernetes-list-map-keys");
    let (type_path, keys_path) = (
        format!("{path}.x-kubernetes-list-type"),
        format!("{path}.x-kubernetes-list-map-keys"),
    );
    if !kind.is_empty() && text(schema, "/type") != "array" {
        if text(schema, "/type").is_empty() {
            report.required(
                &format!("{path}.type"),
                "must be array if x-kubernetes-list-type is specified",
            );
        } else {
            report.invalid(
                &format!("{path}.type"),
                at(schema, "/type"),
                "must be array if x-kubernetes-list-type is specified",
            );
        }
    }
    match kind {
        "" | "atomic" | "set" => {
            if !keys.is_empty() {
                report.required(
                    &type_path,
                    "must be map if x-kubernetes-list-map-keys is non-empty",
                );
            }
        }
        "map" => {
            if keys.is_empty() {
                report.required(
                    &keys_path,
                    "must not be empty if x-kubernetes-list-type is map",
                );
            }
            let items = at(schema, "/items");
            if text(items, "/type") != "object" {
                report.invalid(
                    &format!("{path}.items.type"),
                    at(items, "/type"),
                    "must be object if parent array's x-kubernetes-list-type is map",
                );
            }
            for (index, key) in keys.iter().enumerate() {
                if items.pointer(&format!("/properties/{key}")).is_none() {
                    report.invalid(
                        &format!("{keys_path}[{index}]"),
                        &key.as_str().into(),
                        "entries must all be names of item properties",
                    );
                }
            }
        }
        _ => report.unsupported(
            &type_path,
            at(schema, "/x-kubernetes-list-type"),
            &["atomic", "map", "set"],
        ),
    }
}

fn constraints(schema: &Value, path: &str, report: &mut Report) {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for (index, inner) in list(schema, &format!("/{keyword}")).iter().enumerate() {
            constraint_only(
                inner,
                &format!("{path}.{keyword}[{index}]"),
                report,
                flag(schema, "/x-kubernetes-int-or-string"),
            );
        }
    }
    let not = at(schema, "/not");
    if not.is_object() {
        constraint_only(not, &format!("{path}.not"), report, false);
    }
}

/// Schemas inside `allOf` and so on describe no fields of their own.
fn constraint_only(schema: &Value, path: &str, report: &mut Report, int_or_string: bool) {
    values::pattern(schema, path, report);
    for (keyword, why) in [
        ("description", "must be empty to be structural"),
        ("title", "must be empty to be structural"),
        ("type", "must be empty to be structural"),
        ("default", "must be undefined to be structural"),
        ("additionalProperties", "must be undefined to be structural"),
        ("nullable", "must be false to be structural"),
        (
            "x-kubernetes-preserve-unknown-fields",
            "must be undefined to be structural",
        ),
    ] {
        let found = at(schema, &format!("/{keyword}"));
        let is_unset =
            found.is_null() || found == &Value::Bool(false) || keyword == "type" && int_or_string;
        if !is_unset {
            report.forbidden(&format!("{path}.{keyword}"), why);
        }
    }
    for (name, inner) in at(schema, "/properties").as_object().into_iter().flatten() {
        constraint_only(inner, &format!("{path}.properties[{name}]"), report, false);
    }
    let items = at(schema, "/items");
    if items.is_object() {
        constraint_only(items, &format!("{path}.items"), report, false);
    }
}
