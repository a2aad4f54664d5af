//! The rules that the API server refuses.
use kube_codegen_schema::{Reason, RuleProblem, Schema};

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
