//! Validates a value by `allOf`, `anyOf`, `oneOf` and `not`.

use serde_json::Value;

use super::{Causes, walk};
use crate::{object::list, status::cause};

pub(super) fn all_of(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let before = causes.len();
    for branch in list(schema, "/allOf") {
        walk(branch, value, path, causes);
    }
    if causes.len() > before {
        mismatch(path, "must validate all the schemas (allOf)", causes);
    }
}

pub(super) fn any_of(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let branches = list(schema, "/anyOf");
    if !branches.iter().any(|branch| is_valid(branch, value, path)) {
        mismatch(path, "must validate at least one schema (anyOf)", causes);
        // The errors of the best branch follow; of equal ones, the first.
        if let Some(first) = branches.first() {
            walk(first, value, path, causes);
        }
    }
}

pub(super) fn one_of(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let branches = list(schema, "/oneOf");
    let found = branches
        .iter()
        .filter(|branch| is_valid(branch, value, path))
        .count();
    if found != 1 {
        let how = if found == 0 {
            "Found none valid".to_owned()
        } else {
            format!("Found {found} valid alternatives")
        };
        mismatch(
            path,
            &format!("must validate one and only one schema (oneOf). {how}"),
            causes,
        );
        if let Some(first) = branches.first().filter(|_| found == 0) {
            walk(first, value, path, causes);
        }
    }
}

pub(super) fn not(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    if is_valid(&schema["not"], value, path) {
        mismatch(path, "must not validate the schema (not)", causes);
    }
}

fn is_valid(schema: &Value, value: &Value, path: &str) -> bool {
    let mut causes = Causes::new();
    walk(schema, value, path, &mut causes);
    causes.is_empty()
}

/// Reports a combination of schemas that a value does not match; Go's validator reports it without value and field.
fn mismatch(path: &str, rule: &str, causes: &mut Causes) {
    let message = format!("Invalid value: \"\": \"{path}\" {rule}");
    causes.push(cause("<nil>", "FieldValueInvalid", message));
}
