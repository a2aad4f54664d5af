//! Validates the expressions of the rules in a schema.

use kube_codegen_schema::Schema;
use serde_json::Value;

use super::Report;
use crate::values::object::at;

/// The expressions of all rules must be usable with the schema, and not cost too much.
pub(super) fn check(schema: &Value, path: &str, report: &mut Report) {
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
