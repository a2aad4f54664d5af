//! Validates what a schema contains besides types: defaults, patterns and rules.

use kube_codegen_schema::{Schema, pattern_error};
use serde_json::Value;

use super::Report;
use crate::values::object::{at, list, text};

/// Validates the default, the pattern and the rules of one schema, not of those inside it.
pub(super) fn check(schema: &Value, path: &str, report: &mut Report) {
    pattern(schema, path, report);
    rules(schema, path, report);
    default(schema, path, report);
}

/// A pattern must compile.
pub(super) fn pattern(schema: &Value, path: &str, report: &mut Report) {
    let pattern = at(schema, "/pattern");
    if let Some(why) = pattern.as_str().and_then(pattern_error) {
        let why = format!("must be a valid regular expression, but isn't: {why}");
        report.invalid(&format!("{path}.pattern"), pattern, &why);
    }
}

/// The fields of a rule must have values. Its expressions are checked with the whole schema.
fn rules(schema: &Value, path: &str, report: &mut Report) {
    const REASONS: [&str; 4] = [
        "FieldValueDuplicate",
        "FieldValueForbidden",
        "FieldValueInvalid",
        "FieldValueRequired",
    ];
    for (index, rule) in list(schema, "/x-kubernetes-validations").iter().enumerate() {
        let path = format!("{path}.x-kubernetes-validations[{index}]");
        let source = text(rule, "/rule").trim();
        let message = text(rule, "/message");
        if source.is_empty() {
            report.required(&format!("{path}.rule"), "rule is not specified");
        } else if !message.is_empty() && message.trim().is_empty() {
            let why = "must be non-empty if specified";
            report.invalid(&format!("{path}.message"), at(rule, "/message"), why);
        } else if has_break(message.trim()) {
            let why = "must not contain line breaks";
            report.invalid(&format!("{path}.message"), at(rule, "/message"), why);
        } else if has_break(source) && message.is_empty() {
            let why = "message must be specified if rule contains line breaks";
            report.required(&format!("{path}.message"), why);
        }
        let expression = text(rule, "/messageExpression");
        if !expression.is_empty() && expression.trim().is_empty() {
            let why = "messageExpression must be non-empty if specified";
            report.required(&format!("{path}.messageExpression"), why);
        }
        let reason = at(rule, "/reason");
        if reason.as_str().is_some_and(|it| !REASONS.contains(&it)) {
            report.unsupported(&format!("{path}.reason"), reason, &REASONS);
        }
        let field = at(rule, "/fieldPath");
        let name = field.as_str().unwrap_or_default();
        let path = format!("{path}.fieldPath");
        if !name.is_empty() && name.trim().is_empty() {
            report.invalid(&path, field, "must be non-empty if specified");
            report.invalid(&path, field, "must be a valid path");
        }
        if has_break(name) {
            report.invalid(&path, field, "must not contain line breaks");
        }
    }
}

fn has_break(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

/// The expressions of all rules must be usable with the schema, and not cost too much.
#[cfg(feature = "cel")]
pub(super) fn expressions(schema: &Value, path: &str, report: &mut Report) {
    const UNORDERED: &str =
        "oldSelf cannot be used on the uncorrelatable portion of the schema within ";
    let Ok(rules) = Schema::new(schema) else {
        return;
    };
    for problem in rules.rule_problems() {
        let (pointer, mut message) = (problem.pointer.as_str(), problem.message);
        let field_path = format!("{path}{}", field(pointer));
        if problem.reason == kube_codegen_schema::Reason::Forbidden {
            report.forbidden(&field_path, &message);
            continue;
        }
        let (rule, name) = pointer.rsplit_once('/').unwrap_or_default();
        let mut value = match name {
            "rule" | "messageExpression" => rule,
            _ => pointer,
        };
        if let Some(list) = message.strip_prefix(UNORDERED) {
            message = format!("{UNORDERED}{path}{}", field(list.trim_end_matches('/')));
            value = pointer;
        }
        report.invalid(&field_path, at(schema, value), &message);
    }
}

/// Returns the path of a field as messages have it, such as `.properties[spec].items`.
#[cfg(feature = "cel")]
fn field(pointer: &str) -> String {
    let mut path = String::new();
    let mut parts = pointer.split('/').skip(1);
    while let Some(part) = parts.next() {
        path = format!("{path}.{part}");
        if matches!(part, "properties" | "allOf" | "x-kubernetes-validations")
            && let Some(name) = parts.next()
        {
            let name = name.replace("~1", "/").replace("~0", "~");
            path = format!("{path}[{name}]");
        }
    }
    path
}

/// A default must be valid, and have no unknown fields.
fn default(schema: &Value, path: &str, report: &mut Report) {
    let Some(default) = schema.get("default").filter(|it| !it.is_null()) else {
        return;
    };
    let Ok(rules) = Schema::new(schema) else {
        return;
    };
    let path = format!("{path}.default");
    let mut pruned = default.clone();
    if default.is_object() {
        rules.prune(&mut pruned);
    }
    if pruned != *default {
        report.invalid(&path, default, "must not have unknown fields");
    }
    for cause in rules.validate(default) {
        let field = match cause.field.as_str() {
            "<nil>" => path.clone(),
            inner => format!("{path}.{inner}"),
        };
        // The items of a set are not compared here.
        if cause.reason.as_str() == "FieldValueDuplicate" {
            continue;
        }
        report.add(&field, cause.reason.as_str(), cause.message);
    }
}
