//! The rules for `allOf`, `anyOf`, `oneOf` and `not`: branches constrain what is declared beside them, and declare nothing.

use kube_codegen_formats::pattern::pattern_error;
use serde_json::{Value, json};

use super::{
    EMBEDDED, INT_OR_STRING, LIST_KEYS, LIST_TYPE, MAP_TYPE, Node, PRESERVE, Path, Rule, Stage,
    Violations, child, entry, is_set, list, properties,
};

/// What a branch may not have, and how the server calls its zero value.
const NOT_IN_BRANCHES: &[(&str, &str)] = &[
    ("additionalProperties", "undefined"),
    ("default", "undefined"),
    ("description", "empty"),
    ("nullable", "false"),
    ("title", "empty"),
    ("type", "empty"),
    (EMBEDDED, "false"),
    (INT_OR_STRING, "false"),
    (PRESERVE, "false"),
    (LIST_KEYS, "empty"),
    (LIST_TYPE, "undefined"),
    (MAP_TYPE, "undefined"),
    ("x-kubernetes-validations", "empty"),
];

const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Whether the branches are those of `x-kubernetes-int-or-string`, in the order that the server knows.
fn is_pair(any_of: &[Value]) -> bool {
    matches!(any_of, [first, second]
        if *first == json!({"type": "integer"}) && *second == json!({"type": "string"}))
}

/// Checks the branches and the pattern of a node or a branch. `may_pair` says whether its `anyOf` may be that of
/// `x-kubernetes-int-or-string`; that of its first `allOf` may be it only if it is a node.
pub(super) fn values(schema: &Node, at: &Path<'_>, is_node: bool, found: &mut Violations) {
    values_of(schema, at, is_node, is_node, found);
}

fn values_of(schema: &Node, at: &Path<'_>, may_pair: bool, is_node: bool, found: &mut Violations) {
    for keyword in LISTS {
        let all = list(schema, keyword);
        if keyword == "anyOf" && may_pair && is_pair(all) {
            continue;
        }
        let at = at.child(keyword);
        for (index, one) in all.iter().enumerate() {
            if let Value::Object(one) = one {
                let may_pair = is_node && keyword == "allOf" && index == 0;
                branch(one, &at.index(index), may_pair, found);
            }
        }
    }
    if let Some(not) = child(schema, "not") {
        branch(not, &at.child("not"), false, found);
    }
    pattern(schema, at, found);
}

fn branch(schema: &Node, at: &Path<'_>, may_pair: bool, found: &mut Violations) {
    values_of(schema, at, may_pair, false, found);
    if let Some(items) = child(schema, "items") {
        branch(items, &at.child("items"), false, found);
    }
    let inner = at.child("properties");
    for (name, property) in properties(schema) {
        let at = inner.key(name);
        branch(property, &at, false, found);
        if name == "metadata" {
            let violation = found.add(Stage::Structure, Rule::MetadataInBranch, &at);
            violation.forbidden(&at, "must not be specified in a nested context");
        }
    }
    for (keyword, zero) in NOT_IN_BRANCHES {
        if schema.get(*keyword).is_some_and(is_set) {
            let at = at.child(keyword);
            let violation = found.add(Stage::Structure, Rule::InBranch, &at);
            violation.forbidden(&at, &format!("must be {zero} to be structural"));
        }
    }
}

/// Checks that what the branches of the root constrain is declared.
pub(super) fn declared(root: &Node, at: &Path<'_>, found: &mut Violations) {
    of_branches(root, Some(root), at, at, found);
}

fn of_branches(
    schema: &Node,
    declared: Option<&Node>,
    at: &Path<'_>,
    declared_at: &Path<'_>,
    found: &mut Violations,
) {
    for keyword in LISTS {
        let at = at.child(keyword);
        for (index, one) in list(schema, keyword).iter().enumerate() {
            if let Value::Object(one) = one {
                is_declared(one, declared, &at.index(index), declared_at, found);
            }
        }
    }
    if let Some(not) = child(schema, "not") {
        is_declared(not, declared, &at.child("not"), declared_at, found);
    }
}

fn is_declared(
    schema: &Node,
    declared: Option<&Node>,
    at: &Path<'_>,
    declared_at: &Path<'_>,
    found: &mut Violations,
) {
    let Some(declared) = declared else {
        let violation = found.add(Stage::Structure, Rule::Undeclared, at);
        violation
            .required(declared_at, "because it is defined in ")
            .in_other(at);
        return;
    };
    of_branches(schema, Some(declared), at, declared_at, found);
    if let Some(items) = child(schema, "items") {
        let (at, declared_at) = (at.child("items"), declared_at.child("items"));
        is_declared(items, child(declared, "items"), &at, &declared_at, found);
    }
    let (at, declared_at) = (at.child("properties"), declared_at.child("properties"));
    for (name, property) in properties(schema) {
        let inner = child(declared, "properties").and_then(|all| child(all, name));
        is_declared(
            property,
            inner,
            &at.key(name),
            &declared_at.key(name),
            found,
        );
    }
}

/// Checks the pattern of a node or a branch.
fn pattern(schema: &Node, at: &Path<'_>, found: &mut Violations) {
    let pattern = entry(schema, "pattern");
    let Some(why) = pattern.and_then(Value::as_str).and_then(pattern_error) else {
        return;
    };
    let at = at.child("pattern");
    let detail = format!("must be a valid regular expression, but isn't: {why}");
    let violation = found.add(Stage::Structure, Rule::Pattern, &at);
    violation.invalid(&at, pattern.unwrap_or(&Value::Null), &detail);
    violation.why = why;
}
