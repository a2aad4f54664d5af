//! The rules of structural schemas: each node declares its type, and what every object has is declared as every object has it.

use serde_json::{Map, Value};

use super::{
    EMBEDDED, INT_OR_STRING, LIST_KEYS, LIST_TYPE, MAP_TYPE, Node, PRESERVE, Path, Rule, Stage,
    Violations, branches, child, entry, flag, is_set, kind, properties,
};

/// What the root may not have if the version has a status subresource.
const NOT_BESIDE_STATUS: &[&str] = &[
    "additionalProperties",
    "allOf",
    "anyOf",
    "default",
    "enum",
    "maxProperties",
    "minProperties",
    "not",
    "nullable",
    "oneOf",
    EMBEDDED,
    INT_OR_STRING,
    LIST_KEYS,
    LIST_TYPE,
    MAP_TYPE,
];

/// What the root may have then, as the server lists it.
const BESIDE_STATUS: &str = "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled";

/// Where a node is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// Checks the root and everything below it.
pub(super) fn root(root: &Node, has_status: bool, at: &Path<'_>, found: &mut Violations) {
    if has_status {
        beside_status(root, at, found);
    }
    if flag(root, "nullable") {
        let at = at.child("nullable");
        let violation = found.add(Stage::Root, Rule::AtRoot, &at);
        violation.forbidden(&at, "nullable cannot be true at the root");
    }
    node(root, Level::Root, at, found);
    branches::declared(root, at, found);
}

fn beside_status(root: &Node, at: &Path<'_>, found: &mut Violations) {
    let type_ = kind(root);
    if !type_.is_empty() && type_ != "object" {
        let at = at.child("type");
        let why = "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled";
        let violation = found.add(Stage::Root, Rule::RootType, &at);
        violation.invalid(&at, &type_.into(), why);
    }
    let keywords = NOT_BESIDE_STATUS.iter();
    for (index, keyword) in keywords
        .filter(|keyword| root.get(**keyword).is_some_and(is_set))
        .enumerate()
    {
        let violation = found.add(Stage::Root, Rule::BesideStatus, &at.child(keyword));
        // The server reports the first.
        if index == 0 {
            violation.invalid(at, &Value::Object(root.clone()), BESIDE_STATUS);
        }
    }
}

fn node(schema: &Node, level: Level, at: &Path<'_>, found: &mut Violations) {
    let is_root = level == Level::Root;
    if kind(schema) == "array" && entry(schema, "items").is_none() {
        let at = at.child("items");
        let violation = found.add(Stage::Structure, Rule::NoItems, &at);
        violation.required(&at, "must be specified");
    }
    if let Some(items) = child(schema, "items") {
        node(items, Level::Item, &at.child("items"), found);
    }
    let inner = at.child("properties");
    for (name, property) in properties(schema) {
        node(property, Level::Field, &inner.key(name), found);
    }
    let values_at = at.child("additionalProperties");
    if is_root && entry(schema, "additionalProperties").is_some() {
        let violation = found.add(Stage::Structure, Rule::AtRoot, &values_at);
        violation.forbidden(&values_at, "must not be used at the root");
    }
    if let Some(values) = child(schema, "additionalProperties") {
        node(values, Level::Field, &values_at, found);
    }
    for keyword in [PRESERVE, EMBEDDED] {
        if flag(schema, INT_OR_STRING) && flag(schema, keyword) {
            let at = at.child(keyword);
            let violation = found.add(Stage::Structure, Rule::IntOrString, &at);
            let why = "must be false if x-kubernetes-int-or-string is true";
            violation.invalid(&at, &true.into(), why);
        }
    }
    branches::values(schema, at, true, found);
    own_type(schema, level, at, found);
    if is_root || flag(schema, EMBEDDED) {
        fixed(schema, is_root, &inner, found);
    }
}

/// Checks the type of a node, and what an embedded resource needs.
fn own_type(schema: &Node, level: Level, at: &Path<'_>, found: &mut Violations) {
    let type_at = at.child("type");
    let type_ = kind(schema);
    let is_embedded = flag(schema, EMBEDDED);
    if is_embedded && type_ != "object" {
        let why = "must be object if x-kubernetes-embedded-resource is true";
        let violation = found.add(Stage::Structure, Rule::EmbeddedType, &at.child(EMBEDDED));
        if type_.is_empty() {
            violation.required(&type_at, why);
        } else {
            violation.invalid(&type_at, &type_.into(), why);
        }
    } else if type_.is_empty() && !flag(schema, INT_OR_STRING) && !flag(schema, PRESERVE) {
        let (rule, why) = match level {
            Level::Root => (Rule::RootType, "must not be empty at the root"),
            Level::Item => (Rule::NoType, "must not be empty for specified array items"),
            Level::Field => (
                Rule::NoType,
                "must not be empty for specified object fields",
            ),
        };
        let violation = found.add(Stage::Structure, rule, at);
        violation.required(&type_at, why);
    }
    if is_embedded && entry(schema, "additionalProperties").is_some() {
        let at = at.child("additionalProperties");
        let violation = found.add(Stage::Structure, Rule::EmbeddedValues, &at);
        violation.forbidden(
            &at,
            "must not be used if x-kubernetes-embedded-resource is set",
        );
    }
    if level == Level::Root && !type_.is_empty() && type_ != "object" {
        let violation = found.add(Stage::Structure, Rule::RootType, &type_at);
        violation.invalid(&type_at, &type_.into(), "must be object at the root");
    }
    if is_embedded && !flag(schema, PRESERVE) && properties(schema).next().is_none() {
        let violation = found.add(Stage::Structure, Rule::EmbeddedEmpty, &at.child(EMBEDDED));
        violation.required(&at.child("properties"), "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields");
    }
}

/// Checks the schemas of what every object has.
fn fixed(schema: &Node, is_root: bool, at: &Path<'_>, found: &mut Violations) {
    for (name, property) in properties(schema) {
        let (wanted, why) = match name.as_str() {
            "apiVersion" | "kind" => ("string", "must be string"),
            "metadata" => ("object", "must be object"),
            _ => continue,
        };
        let at = at.key(name);
        if kind(property) != wanted {
            let at = at.child("type");
            let violation = found.add(Stage::Structure, Rule::FixedType, &at);
            violation.invalid(&at, &kind(property).into(), why);
        }
        if is_root && name == "metadata" {
            metadata(property, &at, found);
        }
    }
}

fn metadata(schema: &Map<String, Value>, at: &Path<'_>, found: &mut Violations) {
    let inner = at.child("properties");
    let keywords = schema.iter().filter(|(keyword, value)| {
        !matches!(keyword.as_str(), "type" | "default" | "properties") && is_set(value)
    });
    let names =
        properties(schema).filter(|(name, _)| !matches!(name.as_str(), "name" | "generateName"));
    let wrong = keywords
        .map(|(keyword, _)| at.child(keyword))
        .chain(names.map(|(name, _)| inner.key(name)));
    for (index, wrong) in wrong.enumerate() {
        let violation = found.add(Stage::Structure, Rule::Metadata, &wrong);
        // The server reports them once.
        if index == 0 {
            violation.forbidden(at, "must not specify anything other than name and generateName, but metadata is implicitly specified");
        }
    }
}
