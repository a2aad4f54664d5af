//! The rules for single keywords, in nodes and in branches.

use kube_codegen_formats::pointer;
use serde_json::Value;

use super::{
    EMBEDDED, MAP_TYPE, Node, PRESERVE, Path, Rule, Stage, Violations, child, children, entry,
    flag, is_set, kind, list, lists, properties, text,
};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// The keywords that no schema of a definition has.
const UNSUPPORTED: [(&str, &str); 6] = [
    ("id", "id is not supported"),
    ("additionalItems", "additionalItems is not supported"),
    ("patternProperties", "patternProperties is not supported"),
    ("definitions", "definitions is not supported"),
    ("dependencies", "dependencies is not supported"),
    ("$ref", "$ref is not supported"),
];

/// The reasons that a rule may give.
const REASONS: [&str; 4] = [
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
];

/// What holds below a node.
#[derive(Clone, Copy, Default)]
struct Scope<'a> {
    in_metadata: bool,
    /// Why a default is not permitted here.
    no_default: Option<&'a str>,
}

pub(super) fn root(root: &Node, at: &Path<'_>, found: &mut Violations) {
    node(root, Scope::default(), at, found);
}

fn node(schema: &Node, scope: Scope<'_>, at: &Path<'_>, found: &mut Violations) {
    single(schema, scope, at, found);
    let values_at = at.child("additionalProperties");
    let values = entry(schema, "additionalProperties");
    if properties(schema).next().is_some() && values.is_some_and(|it| *it != Value::Bool(true)) {
        let violation = found.add(Stage::Keywords, Rule::ClosedProperties, &values_at);
        violation.forbidden(
            &values_at,
            "additionalProperties and properties are mutual exclusive",
        );
    }
    if let Some(values) = values.and_then(Value::as_object) {
        let inside = "inside additionalProperties applying to object metadata";
        let no_default = if scope.in_metadata {
            Some(inside)
        } else {
            scope.no_default
        };
        node(
            values,
            Scope {
                no_default,
                ..scope
            },
            &values_at,
            found,
        );
    }
    let inner = at.child("properties");
    for (name, property) in properties(schema) {
        let mut scope = scope;
        let top_level = match name.as_str() {
            "apiVersion" => "in top-level apiVersion",
            "kind" => "in top-level kind",
            "metadata" => "in top-level metadata",
            _ => "",
        };
        let is_root = at.is_root();
        if !top_level.is_empty() && (is_root || flag(schema, EMBEDDED)) {
            scope.in_metadata = true;
            scope.no_default = if is_root {
                Some(top_level)
            } else {
                scope.no_default
            };
        }
        node(property, scope, &inner.key(name), found);
    }
    if let Some(not) = child(schema, "not") {
        node(not, scope, &at.child("not"), found);
    }
    for keyword in ["allOf", "oneOf", "anyOf"] {
        let at = at.child(keyword);
        for (index, one) in list(schema, keyword).iter().enumerate() {
            if let Value::Object(one) = one {
                node(one, scope, &at.index(index), found);
            }
        }
    }
    if let Some(items) = child(schema, "items") {
        node(items, scope, &at.child("items"), found);
    }
    for keyword in ["definitions", "dependencies"] {
        let at = at.child(keyword);
        for (name, inner) in children(schema, keyword) {
            node(inner, scope, &at.key(name), found);
        }
    }
    extensions(schema, at, found);
    lists::check(schema, at, found);
    let at = at.child("x-kubernetes-validations");
    for (index, one) in list(schema, "x-kubernetes-validations").iter().enumerate() {
        if let Value::Object(one) = one {
            rule(one, &at.index(index), found);
        }
    }
}

/// Returns the JSON pointer of the first `$schema`, which no schema of a definition has. The server looks for it after everything else.
pub(super) fn dialect(schema: &Value) -> Option<String> {
    let schema = schema.as_object()?;
    if text(schema, "$schema").is_some_and(|it| !it.is_empty()) {
        return Some("/$schema".to_owned());
    }
    let inside = |keyword: &str, inner: &Value| Some(format!("/{keyword}{}", dialect(inner)?));
    let one = ["items", "additionalProperties", "not"].into_iter();
    let mut one = one.filter_map(|keyword| inside(keyword, schema.get(keyword)?));
    let many = ["allOf", "anyOf", "oneOf"].into_iter();
    let mut many = many.filter_map(|keyword| {
        let mut branches = list(schema, keyword).iter().enumerate();
        branches.find_map(|(index, inner)| inside(&format!("{keyword}/{index}"), inner))
    });
    let mut declared = child(schema, "properties").into_iter().flatten();
    let of_property = declared
        .find_map(|(name, inner)| inside(&format!("properties/{}", pointer::escape(name)), inner));
    of_property.or_else(|| one.next()).or_else(|| many.next())
}

/// Checks the keywords that have their own rule.
fn single(schema: &Node, scope: Scope<'_>, at: &Path<'_>, found: &mut Violations) {
    let type_ = kind(schema);
    let type_at = at.child("type");
    if !type_.is_empty() && !TYPES.contains(&type_) {
        let violation = found.add(Stage::Keywords, Rule::UnknownType, &type_at);
        violation.unsupported(&type_at, type_, &TYPES);
    }
    if let (Some(why), Some(_)) = (scope.no_default, entry(schema, "default")) {
        let at = at.child("default");
        let violation = found.add(Stage::Keywords, Rule::DefaultInMetadata, &at);
        violation.forbidden(&at, &format!("must not be set {why}"));
    }
    for (keyword, why) in UNSUPPORTED {
        if schema.get(keyword).is_some_and(is_set) {
            let at = at.child(keyword);
            let violation = found.add(Stage::Keywords, Rule::Unsupported, &at);
            violation.forbidden(&at, why);
        }
    }
    if type_ == "null" {
        let violation = found.add(Stage::Keywords, Rule::UnknownType, &type_at);
        violation.forbidden(
            &type_at,
            "type cannot be set to null, use nullable as an alternative",
        );
    }
    if schema.get("items").is_some_and(Value::is_array) {
        let at = at.child("items");
        let violation = found.add(Stage::Keywords, Rule::Unsupported, &at);
        violation.forbidden(&at, "items must be a schema object and not an array");
    }
    if scope.in_metadata && flag(schema, EMBEDDED) {
        let at = at.child(EMBEDDED);
        let violation = found.add(Stage::Keywords, Rule::EmbeddedInMetadata, &at);
        violation.forbidden(&at, "must not be used inside of resource meta");
    }
    if flag(schema, "uniqueItems") {
        let at = at.child("uniqueItems");
        let violation = found.add(Stage::Keywords, Rule::UniqueItems, &at);
        violation.forbidden(
            &at,
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
        );
    }
}

fn extensions(schema: &Node, at: &Path<'_>, found: &mut Violations) {
    if schema.get(PRESERVE) == Some(&Value::Bool(false)) {
        let at = at.child(PRESERVE);
        let violation = found.add(Stage::Keywords, Rule::PreserveFalse, &at);
        violation.invalid(&at, &false.into(), "must be true or undefined");
    }
    let Some(map_type) = text(schema, MAP_TYPE) else {
        return;
    };
    let map_type_at = at.child(MAP_TYPE);
    if kind(schema) != "object" {
        let at = at.child("type");
        let why = "must be object if x-kubernetes-map-type is specified";
        let violation = found.add(Stage::Keywords, Rule::MapTypeOf, &map_type_at);
        if kind(schema).is_empty() {
            violation.required(&at, why);
        } else {
            violation.invalid(&at, &kind(schema).into(), why);
        }
    }
    let known = ["atomic", "granular"];
    if !known.contains(&map_type) {
        let violation = found.add(Stage::Keywords, Rule::MapType, &map_type_at);
        violation.unsupported(&map_type_at, map_type, &known);
    }
}

/// Checks what a CEL rule has apart from its expressions.
fn rule(rule: &Node, at: &Path<'_>, found: &mut Violations) {
    let value = |name: &str| text(rule, name).unwrap_or_default();
    let is_blank = |text: &str| !text.is_empty() && text.trim().is_empty();
    let has_break = |text: &str| text.contains(['\n', '\r']);
    let (source, message) = (value("rule").trim(), value("message"));
    let (source_at, message_at) = (at.child("rule"), at.child("message"));
    if source.is_empty() && entry(rule, "rule").is_none_or(Value::is_string) {
        let violation = found.add(Stage::Keywords, Rule::NoRule, &source_at);
        violation.required(&source_at, "rule is not specified");
    } else if is_blank(message) {
        let violation = found.add(Stage::Keywords, Rule::BlankMessage, &message_at);
        violation.invalid(
            &message_at,
            &message.into(),
            "must be non-empty if specified",
        );
    } else if has_break(message.trim()) {
        let violation = found.add(Stage::Keywords, Rule::LongMessage, &message_at);
        violation.invalid(&message_at, &message.into(), "must not contain line breaks");
    } else if has_break(source) && message.trim().is_empty() {
        let violation = found.add(Stage::Keywords, Rule::NoMessage, &source_at);
        violation.required(
            &message_at,
            "message must be specified if rule contains line breaks",
        );
    }
    if is_blank(value("messageExpression")) {
        let at = at.child("messageExpression");
        let violation = found.add(Stage::Keywords, Rule::BlankExpression, &at);
        violation.required(&at, "messageExpression must be non-empty if specified");
    }
    if let Some(reason) = text(rule, "reason").filter(|it| !REASONS.contains(it)) {
        let at = at.child("reason");
        let violation = found.add(Stage::Keywords, Rule::RuleReason, &at);
        violation.unsupported(&at, reason, &REASONS);
    }
    let path = value("fieldPath");
    let at = at.child("fieldPath");
    let mut wrong = |rule, why: &str| {
        let violation = found.add(Stage::Keywords, rule, &at);
        violation.invalid(&at, &path.into(), why);
    };
    if is_blank(path) {
        wrong(Rule::BlankFieldPath, "must be non-empty if specified");
    }
    if has_break(path) {
        wrong(Rule::LongFieldPath, "must not contain line breaks");
    }
    if is_blank(path) || has_break(path) {
        let rule = if is_blank(path) {
            Rule::BlankFieldPath
        } else {
            Rule::LongFieldPath
        };
        wrong(rule, "must be a valid path");
    }
}
