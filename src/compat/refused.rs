//! Finds rules for which the API server refuses the new release itself.
use std::collections::BTreeSet;

use kube_codegen_schema::{Reason, RuleProblem, Schema};
use serde_json::Value;

use super::{Finding, manifest, rules::Rule};
use crate::{
    diag::pointer::steps,
    path::{SchemaPath, Segment},
};

/// Returns the rules of a release that the API server refuses, if it did not refuse them in the old one.
pub(super) fn compare(old: Option<&Value>, new: &Value) -> Vec<Finding> {
    let mut found = Vec::new();
    for (name, version) in manifest::versions_of(new) {
        let before = old.and_then(|old| manifest::version(old, name));
        let known: BTreeSet<_> = before
            .map(problems)
            .unwrap_or_default()
            .into_iter()
            .collect();
        for (path, message) in problems(version)
            .into_iter()
            .filter(|it| !known.contains(it))
        {
            let mut finding = Finding::at(Rule::CrdRefused, &path, message);
            finding.version = Some(name.to_owned());
            found.push(finding);
        }
    }
    found
}

/// Returns the places and texts of rules that the API server refuses.
fn problems(version: &Value) -> Vec<(String, String)> {
    let Some(definition) = version.pointer("/schema/openAPIV3Schema") else {
        return Vec::new();
    };
    let Ok(schema) = Schema::new(definition) else {
        return Vec::new();
    };
    let mut problems = schema.rule_problems();
    // What one rule costs too much is also too much for all together.
    let is_estimate = |it: &RuleProblem| it.message.starts_with("estimated ");
    if problems.iter().any(is_estimate) {
        problems.retain(|it| it.reason != Reason::Forbidden || is_estimate(it));
    }
    let problems = problems.into_iter();
    problems
        .map(|it| (path(&it.pointer).to_string(), it.message))
        .collect()
}

/// Returns the path of the schema that a pointer is in.
fn path(pointer: &str) -> SchemaPath {
    let mut path = SchemaPath::root();
    let mut steps = steps(pointer);
    while let Some(step) = steps.next() {
        path = match &*step {
            "properties" => match steps.next() {
                Some(name) => path.property(&name),
                None => break,
            },
            "items" => path.join(Segment::Items),
            "additionalProperties" => path.join(Segment::Values),
            _ => break,
        };
    }
    path
}
