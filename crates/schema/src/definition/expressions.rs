//! The rules for the expressions of a schema: they fit it, and do not cost too much.

use kube_codegen_formats::pointer;
use serde_json::Value;

use crate::{
    cause::{Cause, Reason},
    schema::Schema,
};

/// The start of a text that ends with the path of a list.
const UNORDERED: &str =
    "oldSelf cannot be used on the uncorrelatable portion of the schema within ";

/// Returns what the server reports for the expressions of a schema at `path`, each after its JSON pointer in the schema.
pub(super) fn causes(rules: &Schema, schema: &Value, path: &str) -> Vec<(String, Cause)> {
    let problems = rules.rule_problems().into_iter();
    let cause = |problem: crate::RuleProblem| {
        let (pointer, mut message) = (problem.pointer.as_str(), problem.message);
        let field = format!("{path}{}", self::field(pointer));
        if problem.reason != Reason::Invalid {
            let cause = Cause::new(&field, problem.reason, "", &message);
            return (problem.pointer, cause);
        }
        let (rule, name) = pointer.rsplit_once('/').unwrap_or_default();
        let mut value = match name {
            "rule" | "messageExpression" => rule,
            _ => pointer,
        };
        if let Some(list) = message.strip_prefix(UNORDERED) {
            let list = self::field(list.trim_end_matches('/'));
            message = format!("{UNORDERED}{path}{list}");
            value = pointer;
        }
        let value = schema.pointer(value).unwrap_or(&Value::Null);
        let cause = Cause::new(&field, Reason::Invalid, &value.to_string(), &message);
        (problem.pointer, cause)
    };
    problems.map(cause).collect()
}

/// Returns the path of a field as messages have it, such as `.properties[spec].items`.
fn field(pointer: &str) -> String {
    let mut path = String::new();
    let mut steps = pointer::steps(pointer);
    while let Some(step) = steps.next() {
        let has_name = matches!(&*step, "properties" | "allOf" | "x-kubernetes-validations");
        path = format!("{path}.{step}");
        if has_name && let Some(name) = steps.next() {
            path = format!("{path}[{name}]");
        }
    }
    path
}
