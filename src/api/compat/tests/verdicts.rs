//! Verdicts about one field each, as a table.
use std::collections::BTreeSet;

use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    old: Value,
    new: Value,
    verdicts: BTreeSet<String>,
}

#[test]
fn the_verdict_and_the_proof_of_each_change() {
    let cases: Vec<Case> = serde_yaml::from_str(include_str!("verdicts.yaml")).unwrap();
    let mut wrong = Vec::new();
    for case in cases {
        let with = |schema: &Value| {
            let mut crd = crd();
            at(&mut crd, "SPEC/properties")["field"] = schema.clone();
            crd
        };
        let found = compare_crd(&with(&case.old), &with(&case.new), &Meter::silent());
        let verdict = |it: &Finding| {
            let proof = proof(it).split(',').next().unwrap_or_default();
            format!("{} {} {proof}", it.rule.name(), it.level)
                .trim_end()
                .to_owned()
        };
        let verdicts: BTreeSet<String> = found.iter().map(verdict).collect();
        if verdicts != case.verdicts {
            wrong.push(format!("{} and {}: {verdicts:?}", case.old, case.new));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
