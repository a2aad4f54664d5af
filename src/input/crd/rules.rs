//! The validation rules (CEL) that the API server rejects.
//!
//! Build scripts do without: CEL would more than double the crates that they compile.
use std::collections::HashSet;

use kube_codegen_schema::{Reason, RuleProblem, Schema};
use serde_json::Value;

use super::reader::{At, CrdReader};
use crate::base::diag::{Code, Place};

/// Reports the rules of a schema that the API server rejects.
pub(super) fn report(reader: &mut CrdReader<'_>, root: &Value, at: &At<'_>) {
    let prefix = at.pointer();
    // A schema without the values of a wrong type is another one.
    if !has_rules(root) || reader.mistyped.iter().any(|it| it.starts_with(&prefix)) {
        return;
    }
    let Ok(schema) = Schema::new(root) else {
        return;
    };
    // A blank expression does not compile either.
    let reported: HashSet<Place> = reader
        .diagnostics
        .iter()
        .map(|it| it.place.clone())
        .collect();
    for problem in rule_problems(&schema) {
        let place = reader.place_of(&format!("{prefix}{}", problem.pointer));
        if reported.contains(&place) {
            continue;
        }
        let diagnostics = &mut *reader.diagnostics;
        // The text repeats the lines of the rule if it has positions in it.
        let hint = if problem.reason == Reason::Internal {
            "give the schema a `type`, and its items or values, too; the API server rejects the CRD"
        } else if problem.message == problem.brief {
            "the API server rejects the CRD"
        } else {
            "the API server rejects the CRD; line and column are those of the expression"
        };
        let finding = diagnostics.report(Code::InvalidRule, place, problem.brief);
        finding.hint(hint);
    }
}

/// Whether there are rules anywhere in a schema: to read it takes longer than to look for them.
fn has_rules(node: &Value) -> bool {
    match node {
        Value::Object(map) => map.iter().any(|(key, value)| {
            (key == "x-kubernetes-validations" && value.is_array()) || has_rules(value)
        }),
        Value::Array(items) => items.iter().any(has_rules),
        _ => false,
    }
}

/// Returns the problems of the rules of a schema, each once: what one rule costs too much is also too much for all together.
pub(crate) fn rule_problems(schema: &Schema) -> Vec<RuleProblem> {
    let mut problems = schema.rule_problems();
    let is_too_expensive = |it: &RuleProblem| it.reason == Reason::Forbidden && !it.of_total;
    if problems.iter().any(is_too_expensive) {
        problems.retain(|it| !it.of_total);
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_rule_that_costs_too_much_is_reported_once() {
        let list = json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-validations": [
            {"rule": "self.all(a, self.all(b, a == b))"}
        ]});
        let schema = json!({"type": "object", "properties": {"list": list}});
        let schema = Schema::new(&schema).unwrap();
        assert!(schema.rule_problems().iter().any(|it| it.of_total));
        let problems = rule_problems(&schema);
        let [problem] = problems.as_slice() else {
            panic!("{problems:?}");
        };
        assert!(problem.message.starts_with("estimated rule cost"));
    }
}
