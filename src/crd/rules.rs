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
