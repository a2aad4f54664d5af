//! Checks that a schema is structural, which the API server requires: each node declares its type, and the branches of
//! `allOf`, `anyOf`, `oneOf` and `not` constrain only what is declared beside them.
use kube_codegen_schema::pattern_error;
use serde_json::{Value, json};

use super::{EMBEDDED, INT_OR_STRING, PRESERVE, Schema, child, extensions, flag, kind, list};
use super::{properties, text};
use crate::crd::reader::{At, Reader};
use crate::diag::Code;

/// What the root may not have if the version has a status subresource.
const NOT_BESIDE_STATUS: &[&str] = &[
    "allOf",
    "anyOf",
    "default",
    "enum",
    "maxProperties",
    "minProperties",
    "not",
    "oneOf",
    EMBEDDED,
    INT_OR_STRING,
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
];

/// What a branch may not have.
const NOT_IN_BRANCHES: &[&str] = &[
    "additionalProperties",
    "default",
    "description",
    "nullable",
    "title",
    "type",
    EMBEDDED,
    INT_OR_STRING,
    PRESERVE,
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-validations",
];

const HINT: &str = "the API server rejects the CRD: its schemas must be structural";

pub(super) fn check(reader: &mut Reader<'_>, root: &Schema, has_status: bool, at: &At<'_>) {
    let mut refused = |keyword: &str, why: &str| {
        let message = format!("`{keyword}` cannot be at the root of a schema{why}");
        reader
            .report_key(Code::NotStructural, &at.key(keyword), message)
            .hint(HINT);
    };
    for keyword in ["additionalProperties", "nullable"] {
        if root
            .get(keyword)
            .is_some_and(|it| is_set(it) || it.is_boolean() && keyword != "nullable")
        {
            refused(keyword, "");
        }
    }
    if has_status {
        let keywords = NOT_BESIDE_STATUS.iter();
        for keyword in keywords.filter(|keyword| root.get(**keyword).is_some_and(is_set)) {
            refused(keyword, " with a status subresource");
        }
    }
    node(reader, root, at, true);
}

/// Whether a keyword has a value other than its zero value.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}

fn node(reader: &mut Reader<'_>, schema: &Schema, at: &At<'_>, is_root: bool) {
    own(reader, schema, at, is_root);
    if flag(schema, EMBEDDED) || is_root {
        fixed(reader, schema, at, is_root);
    }
    extensions::check(reader, schema, at);
    constraints(reader, schema, at);
    branches(reader, schema, is_root.then_some(schema), at);
    if let Some(items) = child(schema, "items") {
        node(reader, items, &at.key("items"), false);
    }
    if let Some(values) = child(schema, "additionalProperties") {
        node(reader, values, &at.key("additionalProperties"), false);
    }
    let at = at.key("properties");
    for (name, property) in properties(schema) {
        node(reader, property, &at.key(name), false);
    }
}

/// Checks the keywords of a node. What lowering turns into raw JSON is reported there.
fn own(reader: &mut Reader<'_>, schema: &Schema, at: &At<'_>, is_root: bool) {
    let mut report = |keyword: Option<&str>, message: &str| {
        let keyword_at = keyword.map(|keyword| at.key(keyword));
        reader
            .report_key(
                Code::NotStructural,
                keyword_at.as_ref().unwrap_or(at),
                message,
            )
            .hint(HINT);
    };
    let is_typed = !kind(schema).is_empty();
    let is_embedded = flag(schema, EMBEDDED);
    if is_embedded {
        if kind(schema) != "object" {
            report(
                Some(EMBEDDED),
                "an embedded resource must have `type: object`",
            );
        }
        if schema.contains_key("additionalProperties") {
            report(
                Some("additionalProperties"),
                "`additionalProperties` in an embedded resource",
            );
        }
        if !flag(schema, PRESERVE) && properties(schema).next().is_none() {
            report(
                Some(EMBEDDED),
                "an embedded resource has neither `properties` nor `x-kubernetes-preserve-unknown-fields`",
            );
        }
    } else if !is_root && !is_typed && !flag(schema, INT_OR_STRING) && !flag(schema, PRESERVE) {
        let contents = ["properties", "additionalProperties"];
        if contents
            .iter()
            .any(|it| child(schema, it).is_some_and(|it| !it.is_empty()))
        {
            report(None, "a schema with fields has no `type: object`");
        } else if is_pair(list(schema, "anyOf"))
            || schema.get("anyOf") == Some(&json!([{"type": "string"}, {"type": "integer"}]))
        {
            report(
                Some("anyOf"),
                "integer or string without `x-kubernetes-int-or-string: true`",
            );
        }
    }
    if schema.get("additionalProperties") == Some(&Value::Bool(false))
        && properties(schema).next().is_some()
    {
        report(
            Some("additionalProperties"),
            "`additionalProperties: false` beside `properties`: undeclared fields are pruned without it",
        );
    }
}

/// Checks the schemas of what every object has.
fn fixed(reader: &mut Reader<'_>, schema: &Schema, at: &At<'_>, is_root: bool) {
    let at = at.key("properties");
    for (name, property) in properties(schema) {
        let wanted = match name.as_str() {
            "apiVersion" | "kind" => "string",
            "metadata" => "object",
            _ => continue,
        };
        let at = at.key(name);
        if kind(property) != wanted {
            reader
                .report(
                    Code::NotStructural,
                    &at.key("type"),
                    format!("`{name}` of an object must have `type: {wanted}`"),
                )
                .hint(HINT);
        }
        if !is_root || name != "metadata" {
            continue;
        }
        let others = property.iter().filter(|(keyword, value)| {
            !matches!(keyword.as_str(), "type" | "default" | "properties") && is_set(value)
        });
        for (keyword, _) in others {
            metadata(reader, &at.key(keyword), keyword);
        }
        let at = at.key("properties");
        for (name, _) in properties(property) {
            if !matches!(name.as_str(), "name" | "generateName") {
                metadata(reader, &at.key(name), name);
            }
        }
    }
}

fn metadata(reader: &mut Reader<'_>, at: &At<'_>, what: &str) {
    reader
        .report_key(
            Code::NotStructural,
            at,
            format!(
                "`metadata` at the root may restrict `name` and `generateName` only, not {what:?}"
            ),
        )
        .hint(HINT);
}

/// Checks the constraints that nodes and branches have.
fn constraints(reader: &mut Reader<'_>, schema: &Schema, at: &At<'_>) {
    if flag(schema, "uniqueItems") {
        reader
            .report_key(
                Code::NotStructural,
                &at.key("uniqueItems"),
                "`uniqueItems: true` is not supported",
            )
            .hint("use `x-kubernetes-list-type: set`");
    }
    if let Some(why) = text(schema, "pattern").and_then(pattern_error) {
        reader
            .report(
                Code::InvalidPattern,
                &at.key("pattern"),
                format!("the pattern is not valid in Go: {why}"),
            )
            .hint("the API server rejects the CRD; it reads patterns as Go's `regexp` does (RE2)");
    }
}

/// Whether the branches are those of `x-kubernetes-int-or-string`, in the order that the API server knows.
fn is_pair(any_of: &[Value]) -> bool {
    matches!(any_of, [first, second]
        if *first == json!({"type": "integer"}) && *second == json!({"type": "string"}))
}

/// Checks the branches of a node or a branch; `declared` is the node that they constrain.
///
/// The API server requires only of branches of the root that they constrain what is declared.
fn branches(reader: &mut Reader<'_>, schema: &Schema, declared: Option<&Schema>, at: &At<'_>) {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let branches = list(schema, keyword);
        if keyword == "anyOf" && is_pair(branches) {
            continue;
        }
        let at = at.key(keyword);
        for (index, one) in branches.iter().enumerate() {
            if let Value::Object(one) = one {
                branch(reader, one, declared, &at.index(index));
            }
        }
    }
    if let Some(not) = child(schema, "not") {
        branch(reader, not, declared, &at.key("not"));
    }
}

fn branch(reader: &mut Reader<'_>, schema: &Schema, declared: Option<&Schema>, at: &At<'_>) {
    let keywords = NOT_IN_BRANCHES.iter();
    for keyword in keywords.filter(|keyword| schema.get(**keyword).is_some_and(is_set)) {
        let message = format!("`{keyword}` in a branch of `allOf`, `anyOf`, `oneOf` or `not`");
        reader
            .report_key(Code::NotStructural, &at.key(keyword), message)
            .hint("the API server rejects the CRD: branches constrain, they do not declare; move it out");
    }
    constraints(reader, schema, at);
    branches(reader, schema, declared, at);
    if let Some(items) = child(schema, "items") {
        let at = at.key("items");
        let inner = declared.and_then(|declared| child(declared, "items"));
        if declared.is_some() && inner.is_none() {
            undeclared(reader, "items", &at);
        }
        branch(reader, items, inner, &at);
    }
    let at = at.key("properties");
    for (name, property) in properties(schema) {
        let at = at.key(name);
        if name == "metadata" {
            reader
                .report_key(Code::NotStructural, &at, "`metadata` in a branch")
                .hint(HINT);
        }
        let all = declared.and_then(|declared| child(declared, "properties"));
        let inner = all.and_then(|all| child(all, name));
        if declared.is_some() && inner.is_none() {
            undeclared(reader, name, &at);
        }
        branch(reader, property, inner, &at);
    }
}

fn undeclared(reader: &mut Reader<'_>, name: &str, at: &At<'_>) {
    reader
        .report_key(
            Code::RequiredUndeclared,
            at,
            format!("a branch constrains {name:?}, which is not declared"),
        )
        .hint(
            "declare it in the schema that the branch constrains; the API server rejects the CRD",
        );
}
