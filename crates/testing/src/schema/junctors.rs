//! Judges an object by the schemas that another is made of: `allOf`, `anyOf`, `oneOf` and `not`; it changes nothing.
use serde_json::Value;

use super::validate::{Causes, shown, walk};
use crate::failure::cause;

fn fits(schema: &Value, value: &Value, path: &str) -> bool {
    let mut causes = Causes::new();
    walk(schema, value, path, &mut causes);
    causes.is_empty()
}

fn branches<'a>(schema: &'a Value, keyword: &str) -> &'a [Value] {
    schema[keyword]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
}

pub(super) fn all_of(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    for branch in branches(schema, "allOf") {
        walk(branch, value, path, causes);
    }
}

pub(super) fn any_of(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    if !branches(schema, "anyOf")
        .iter()
        .any(|branch| fits(branch, value, path))
    {
        junctor(
            value,
            path,
            "must validate at least one schema (anyOf)",
            causes,
        );
    }
}

pub(super) fn one_of(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let found = branches(schema, "oneOf")
        .iter()
        .filter(|branch| fits(branch, value, path))
        .count();
    if found != 1 {
        let how = if found == 0 {
            "Found none valid".to_owned()
        } else {
            format!("Found {found} valid alternatives")
        };
        junctor(
            value,
            path,
            &format!("must validate one and only one schema (oneOf). {how}"),
            causes,
        );
    }
}

pub(super) fn not(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    if fits(&schema["not"], value, path) {
        junctor(value, path, "must not validate the schema (not)", causes);
    }
}

fn junctor(value: &Value, path: &str, rule: &str, causes: &mut Causes) {
    let message = format!("Invalid value: {}: \"{path}\" {rule}", shown(value));
    causes.push(cause(path, "FieldValueInvalid", message));
}
