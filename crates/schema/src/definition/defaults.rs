//! The rules for `default`: its own schema accepts it, and declares its fields.

use serde_json::{Value, json};

use super::{EMBEDDED, Node, Path, Rule, Stage, Violations, child, entry, flag, properties};
use crate::{Cause, Reason, Schema};

/// Checks a node and what is below it, except `additionalProperties`: the server does not check defaults there.
pub(super) fn node(schema: &Node, at: &Path<'_>, is_root: bool, found: &mut Violations) {
    if let Some(default) = entry(schema, "default") {
        let at = at.child("default");
        if is_root {
            // Its values are whole objects.
            let mut resource = schema.clone();
            resource.insert(EMBEDDED.to_owned(), true.into());
            own(&resource, default, &at, found);
        } else {
            own(schema, default, &at, found);
        }
    }
    if let Some(items) = child(schema, "items") {
        node(items, &at.child("items"), false, found);
    }
    let at = at.child("properties");
    for (name, property) in properties(schema) {
        // Of these at the root there is none: see `keywords`.
        let is_fixed = matches!(name.as_str(), "apiVersion" | "kind" | "metadata");
        if !(is_root && is_fixed || flag(schema, EMBEDDED) && name == "metadata") {
            node(property, &at.key(name), false, found);
        }
    }
}

fn own(schema: &Node, default: &Value, at: &Path<'_>, found: &mut Violations) {
    // A schema that cannot be read breaks another rule.
    let whole = Value::Object(schema.clone());
    let Ok(validator) = Schema::new(&whole) else {
        return;
    };
    let why = problem(schema, default);
    let mut add = |rule, field: String, cause: Option<&Cause>| {
        let violation = found.add(Stage::Defaults, rule, at);
        violation.why = why.clone().unwrap_or_default();
        if let Some(cause) = cause {
            violation.as_cause(field, cause);
        }
    };
    if default.is_object() && !validator.prune(&mut default.clone()).is_empty() {
        let (value, detail) = (default.to_string(), "must not have unknown fields");
        let cause = Cause::new("", Reason::Invalid, &value, detail);
        add(Rule::Default, at.field(), Some(&cause));
    } else if why.is_some() {
        // The server says it below, if at all.
        add(Rule::Default, at.field(), None);
    }
    // Rules are evaluated only for what is valid without.
    let mut rule = Rule::Default;
    let mut causes = validator.without_rules().validate(default);
    if causes.is_empty() {
        rule = Rule::DefaultRules;
        let with_rules = Schema::new(&whole);
        causes = with_rules.map_or_else(|_| Vec::new(), |it| it.validate(default));
    }
    for cause in &causes {
        // The server does not look for duplicates here.
        if cause.reason != Reason::Duplicate {
            let field = match cause.field.as_str() {
                "<nil>" => at.field(),
                inner => format!("{}.{inner}", at.field()),
            };
            add(rule, field, Some(cause));
        }
    }
}

/// Returns why the server rejects a default, if it does: as the only field of an object, so that the text names it.
fn problem(schema: &Node, default: &Value) -> Option<String> {
    let whole = json!({"type": "object", "properties": {"default": schema}});
    let validator = Schema::new(&whole).ok()?.without_rules();
    let object = json!({ "default": default });
    if let Some(path) = validator.prune(&mut object.clone()).first() {
        return Some(format!("{path} is not declared"));
    }
    let mut causes = validator.validate(&object).into_iter();
    let cause = causes.find(|cause| cause.reason != Reason::Duplicate)?;
    let inside = cause.field.strip_prefix("default");
    Some(if inside.is_none_or(str::is_empty) {
        cause.message
    } else {
        cause.to_string()
    })
}
