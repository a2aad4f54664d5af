//! Finds rules for which the API server rejects the new release itself.
use std::collections::BTreeSet;

use kube_codegen_schema::Schema;
use serde_json::Value;

use super::{Finding, rules::Rule, versions};
use crate::input::crd;

/// Returns the rules of a release that the API server rejects, if it did not reject them in the old one.
pub(super) fn compare(old: Option<&Value>, new: &Value) -> Vec<Finding> {
    let mut found = Vec::new();
    for (name, version) in versions::versions_of(new) {
        let before = old.and_then(|old| versions::version(old, name));
        // To compile the rules of a large schema takes as long as to read it.
        if before.is_some_and(|it| it["schema"] == version["schema"]) {
            continue;
        }
        let known: BTreeSet<_> = before
            .map(problems)
            .unwrap_or_default()
            .into_iter()
            .collect();
        for (path, message) in problems(version)
            .into_iter()
            .filter(|it| !known.contains(it))
        {
            let mut finding = Finding::at(Rule::CrdRejected, &path, message);
            finding.version = Some(name.to_owned());
            found.push(finding);
        }
    }
    found
}

/// Returns the places and texts of rules that the API server rejects.
fn problems(version: &Value) -> Vec<(String, String)> {
    let Some(definition) = version.pointer("/schema/openAPIV3Schema") else {
        return Vec::new();
    };
    let Ok(schema) = Schema::new(definition) else {
        return Vec::new();
    };
    let problems = crd::rule_problems(&schema).into_iter();
    problems
        .map(|it| (crd::schema_path(&it.pointer), it.message))
        .collect()
}
