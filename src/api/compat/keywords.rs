//! Which keywords of a schema say what.
use crate::model::evolution::RULES;

/// Keywords that say nothing about values.
pub(super) const DESCRIPTIONS: [&str; 5] =
    ["description", "title", "example", "externalDocs", "id"];

/// Returns whether a keyword restricts values, and is part of a change of bounds, unlike rules and defaults.
pub(super) fn restricts(keyword: &str) -> bool {
    let mut others = DESCRIPTIONS
        .iter()
        .chain(&RULES)
        .chain(&["default", "nullable"]);
    !others.any(|it| *it == keyword)
}

/// Keywords that the comparison of schemas knows.
pub(super) const COMPARED: [&str; 32] = [
    "additionalProperties",
    "allOf",
    "anyOf",
    "default",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "nullable",
    "oneOf",
    "pattern",
    "properties",
    "required",
    "type",
    "uniqueItems",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
];
