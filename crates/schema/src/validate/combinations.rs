//! Validates a value by `anyOf`, `oneOf`, `allOf` and `not`.

use kube_codegen_formats::go;
use serde_json::Value;

use super::{Outcome, Problem, walk};
use crate::{node::Node, work};

/// Validates a value by one of several schemas.
fn alternative(branch: &Node, value: &Value, path: &str) -> Outcome {
    work::add(work::BRANCH);
    walk(branch, value, path, None)
}

pub(super) fn combinations(schema: &Node, value: &Value, path: &str) -> Outcome {
    let mut outcome = Outcome::default();
    let quoted = || go::quote(path);
    if !schema.any_of.is_empty() {
        let mut best: Option<Outcome> = None;
        let mut is_valid = false;
        for branch in &schema.any_of {
            let found = alternative(branch, value, path);
            is_valid = found.is_valid();
            if is_valid || is_better(&found, best.as_ref()) {
                best = Some(found);
            }
            if is_valid {
                break;
            }
        }
        if !is_valid {
            let rule = "must validate at least one schema (anyOf)";
            outcome.add(Problem::nowhere(path, format!("{} {rule}", quoted())));
        }
        if let Some(best) = best {
            outcome.merge(best);
        }
    }
    if !schema.one_of.is_empty() {
        let mut best: Option<Outcome> = None;
        let mut valid = Vec::new();
        for branch in &schema.one_of {
            let found = alternative(branch, value, path);
            if found.is_valid() {
                valid.push(found);
            } else if is_better(&found, best.as_ref()) {
                best = Some(found);
            }
        }
        match valid.len() {
            1 => {
                for valid in valid {
                    outcome.merge(valid);
                }
            }
            count => {
                let how = match count {
                    0 => "Found none valid".to_owned(),
                    count => format!("Found {count} valid alternatives"),
                };
                let rule = "must validate one and only one schema (oneOf)";
                outcome.add(Problem::nowhere(
                    path,
                    format!("{} {rule}. {how}", quoted()),
                ));
                let best = best.filter(|_| count == 0);
                if let Some(best) = best {
                    outcome.merge(best);
                }
            }
        }
    }
    if !schema.all_of.is_empty() {
        let mut valid = 0;
        for branch in &schema.all_of {
            let found = alternative(branch, value, path);
            valid += usize::from(found.is_valid());
            outcome.merge(found);
        }
        if valid != schema.all_of.len() {
            let none = if valid == 0 { ". None validated" } else { "" };
            let rule = "must validate all the schemas (allOf)";
            outcome.add(Problem::nowhere(path, format!("{} {rule}{none}", quoted())));
        }
    }
    if let Some(not) = &schema.not
        && walk(not, value, path, None).is_valid()
    {
        let rule = "must not validate the schema (not)";
        outcome.add(Problem::nowhere(path, format!("{} {rule}", quoted())));
    }
    outcome.matched += 1;
    outcome
}

/// Of failed branches, the first with the most checks passed is reported.
fn is_better(found: &Outcome, best: Option<&Outcome>) -> bool {
    best.is_none_or(|best| found.matched > best.matched)
}
