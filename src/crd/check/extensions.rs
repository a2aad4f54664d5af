//! Checks the `x-kubernetes-*` keywords of a node and their combinations.
use serde_json::Value;

use super::{EMBEDDED, INT_OR_STRING, PRESERVE, Schema, child, flag, kind, list, text, texts};
use crate::crd::reader::{At, Reader, closest, entry};
use crate::diag::Code;

const LIST_TYPE: &str = "x-kubernetes-list-type";
const LIST_KEYS: &str = "x-kubernetes-list-map-keys";
const MAP_TYPE: &str = "x-kubernetes-map-type";

/// The reasons that a rule may give.
const REASONS: [&str; 4] = [
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
];

pub(super) fn check(reader: &mut Reader<'_>, schema: &Schema, at: &At<'_>) {
    if schema.get(PRESERVE) == Some(&Value::Bool(false)) {
        report(reader, &at.key(PRESERVE), "must be true or absent");
    }
    for keyword in [PRESERVE, EMBEDDED] {
        if flag(schema, INT_OR_STRING) && flag(schema, keyword) {
            report(
                reader,
                &at.key(keyword),
                "excludes `x-kubernetes-int-or-string`",
            );
        }
    }
    if let Some(map_type) = text(schema, MAP_TYPE) {
        one_of(reader, map_type, &["atomic", "granular"], &at.key(MAP_TYPE));
        if kind(schema) != "object" {
            report(reader, &at.key(MAP_TYPE), "requires `type: object`");
        }
    }
    lists(reader, schema, at);
    let at = at.key("x-kubernetes-validations");
    for (index, rule) in list(schema, "x-kubernetes-validations").iter().enumerate() {
        if let Value::Object(rule) = rule {
            self::rule(reader, rule, &at.index(index));
        }
    }
}

fn report(reader: &mut Reader<'_>, at: &At<'_>, why: &str) {
    let message = format!("`{}` {why}", at.name());
    reader
        .report(Code::InvalidExtension, at, message)
        .hint("the API server rejects the CRD");
}

fn one_of(reader: &mut Reader<'_>, value: &str, known: &[&str], at: &At<'_>) {
    if known.contains(&value) {
        return;
    }
    let hint = match closest(value, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("use one of {}", known.join(", ")),
    };
    let message = format!("`{}` cannot be {value:?}", at.name());
    reader
        .report(Code::InvalidExtension, at, message)
        .hint(hint);
}

fn lists(reader: &mut Reader<'_>, schema: &Schema, at: &At<'_>) {
    let keys: Vec<&str> = texts(schema, LIST_KEYS).collect();
    let list_type = text(schema, LIST_TYPE);
    let type_at = at.key(LIST_TYPE);
    if let Some(list_type) = list_type {
        one_of(reader, list_type, &["atomic", "set", "map"], &type_at);
        if kind(schema) != "array" {
            report(reader, &type_at, "requires `type: array`");
        }
    }
    if !keys.is_empty() && list_type != Some("map") {
        report(
            reader,
            &at.key(LIST_KEYS),
            "requires `x-kubernetes-list-type: map`",
        );
    }
    let Some(items) = child(schema, "items") else {
        return;
    };
    let items_at = at.key("items");
    if matches!(list_type, Some("map" | "set")) && flag(items, "nullable") {
        report(
            reader,
            &items_at.key("nullable"),
            "is not allowed for the items of a set or a map",
        );
    }
    match list_type {
        Some("set") => {
            let is_atomic = match kind(items) {
                "array" => text(items, LIST_TYPE).is_none_or(|it| it == "atomic"),
                "object" => text(items, MAP_TYPE) == Some("atomic"),
                _ => true,
            };
            if !is_atomic {
                report(reader, &type_at, "cannot be set: its items are not atomic");
            }
        }
        Some("map") => {
            if keys.is_empty() {
                report(reader, &type_at, "requires `x-kubernetes-list-map-keys`");
            }
            if kind(items) == "object" {
                map_keys(reader, items, &keys, at);
            } else {
                report(reader, &type_at, "cannot be map: its items are not objects");
            }
        }
        _ => {}
    }
}

/// Checks the keys of a list of type map.
fn map_keys(reader: &mut Reader<'_>, items: &Schema, keys: &[&str], at: &At<'_>) {
    let keys_at = at.key(LIST_KEYS);
    for (index, key) in keys.iter().enumerate() {
        let at = keys_at.index(index);
        let mut report = |why: &str, hint: &str| {
            reader
                .report(
                    Code::InvalidExtension,
                    &at,
                    format!("the key {key:?} {why}"),
                )
                .hint(hint);
        };
        if keys[..index].contains(key) {
            report("is listed twice", "remove it");
            continue;
        }
        let Some(property) = child(items, "properties").and_then(|all| child(all, key)) else {
            report(
                "is not a property of the items",
                "declare it under the items' `properties`",
            );
            continue;
        };
        if matches!(kind(property), "array" | "object") {
            report(
                "is not a scalar",
                "a key is a string, a number or a boolean",
            );
        }
        if !texts(items, "required").any(|name| name == *key)
            && entry(property, "default").is_none()
        {
            report(
                "is neither required nor has a default",
                "add it to the items' `required`, or give it a default",
            );
        }
        if flag(property, "nullable") {
            report("is nullable", "remove `nullable`");
        }
    }
}

/// Checks what a CEL rule has apart from its expressions, which only the API server compiles.
fn rule(reader: &mut Reader<'_>, rule: &Schema, at: &At<'_>) {
    let is_blank =
        |name: &str| text(rule, name).is_some_and(|it| !it.is_empty() && it.trim().is_empty());
    let has_break =
        |name: &str| text(rule, name).is_some_and(|it| it.trim().contains(['\n', '\r']));
    let mut report = |name: &str, what: &str| {
        reader
            .report(Code::InvalidRule, &at.key(name), what)
            .hint("the API server rejects the CRD");
    };
    let expression = entry(rule, "rule").map_or(Some(""), Value::as_str);
    if expression.is_some_and(|expression| expression.trim().is_empty()) {
        report("rule", "a validation without a rule");
    } else if is_blank("message") {
        report("message", "the message is blank");
    } else if has_break("message") {
        report("message", "the message has a line break");
    } else if has_break("rule") && text(rule, "message").unwrap_or_default().trim().is_empty() {
        report("rule", "a rule with a line break needs a `message`");
    }
    if is_blank("messageExpression") {
        report("messageExpression", "the message expression is blank");
    }
    if is_blank("fieldPath") {
        report("fieldPath", "the field path is blank");
    }
    let reason = entry(rule, "reason").and_then(Value::as_str);
    if reason.is_some_and(|reason| !REASONS.contains(&reason)) {
        report(
            "reason",
            "the reason is not FieldValueInvalid, FieldValueForbidden, FieldValueRequired or FieldValueDuplicate",
        );
    }
}
