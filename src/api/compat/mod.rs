//! Compares two releases of an API: what changed, and what that breaks in clusters and in Rust code, with proof.
//!
//! A list of changed keywords does not say what breaks: a narrower pattern may still match every stored value, and a new rule may follow from an
//! old one. So each change is judged by a search for an object that proves it:
//!
//! 1. `schema` and `manifest` list the changes; `satisfied`, `implied` and `language` drop those that no object can notice.
//! 2. `isolate` applies one change to the first release alone, so that a proof is about this change and no other.
//! 3. `candidates` makes objects that are valid before and unusual at the place of the change (`values`); `witness`, `updates` and `kept` look
//!    for one that the second release rejects, or stores differently. Random objects follow where the place is not known.
//! 4. `shrink` makes the object as small as it proves the same; `judge` gives the rule and the verdict.
//!
//! A `side` is a version of a release with its budget and its samples, a `part` the schema of one place in it. Both keep their schema as JSON: the
//! search edits keywords that it does not need to understand, and hands the result to the validator. What two schemas differ in,
//! `model::evolution` finds in typed ones.
//!
//! Of the generated code, `surface` and `api` list what a program can name in each release; `breaks` are what it does not compile with, and `rust`
//! tries which entries of the config file would keep it.
//!
//! Every search has a limit of objects, and each version a budget of validated values. Without a proof within them, a change keeps the level of
//! its rule, or becomes `rules-changed` where only a search could tell; the output says how many objects were tried.
mod api;
mod breaks;
mod candidates;
mod crd_rejected;
mod differing;
mod focus;
mod implied;
mod isolate;
mod judge;
mod kept;
mod keywords;
mod language;
mod lists;
mod manifest;
mod meter;
mod part;
mod proof;
mod ruled;
mod rules;
mod rust;
mod satisfied;
mod scale;
mod schema;
mod shrink;
mod side;
mod storage;
mod stored;
mod surface;
#[cfg(test)]
mod tests;
mod updates;
mod values;
mod versions;
mod witness;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use serde_json::Value;

pub(crate) use breaks::Break;
pub(crate) use meter::Meter;
pub(crate) use proof::{Proof, Witness};
pub(crate) use rules::{Level, Rule};
pub(crate) use rust::Releases;
pub(crate) use stored::{Effect, Group, Reading, readings};

use crate::{base::threads, input::path::SchemaPath};
use side::Side;
use witness::Search;

/// A change of a CRD, and what it breaks.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) rule: Rule,
    /// What it breaks in a cluster, after the user's levels.
    pub(crate) level: Level,
    /// The version, if it concerns one.
    pub(crate) version: Option<String>,
    /// The path in the schema, or in the CRD's `spec`; empty if it concerns all.
    pub(crate) path: String,
    /// The path in the second release, if it is another one.
    pub(crate) to: Option<String>,
    /// What differs.
    pub(crate) detail: String,
    /// An object that proves it.
    pub(crate) witness: Option<Witness>,
    /// How many objects were tried without success.
    pub(crate) tries: Option<usize>,
    /// Whether objects are written by the subresource `status`.
    pub(crate) is_status: bool,
    /// What it breaks in Rust code.
    pub(crate) rust: Vec<Break>,
}

impl Finding {
    fn new(rule: Rule, path: &SchemaPath, detail: String) -> Self {
        Self::at(rule, &path.to_string(), detail)
    }

    fn at(rule: Rule, path: &str, detail: String) -> Self {
        Self {
            rule,
            level: rule.level(),
            version: None,
            path: path.to_owned(),
            to: None,
            detail,
            witness: None,
            tries: None,
            is_status: false,
            rust: Vec::new(),
        }
    }

    fn searched(mut self, search: Search) -> Self {
        self.tries = search.witness.is_none().then_some(search.tries);
        self.witness = search.witness;
        self
    }

    /// Takes back what it says of a cluster.
    fn set_unserved(&mut self) {
        self.level = Level::Compatible;
        (self.witness, self.tries) = (None, None);
        let separator = if self.detail.is_empty() { "" } else { "; " };
        let _ = write!(self.detail, "{separator}not served");
    }

    /// Returns whether it has an object that is rejected now.
    fn rejects(&self) -> bool {
        let proof = self.witness.as_ref().map(|it| &it.proof);
        matches!(proof, Some(Proof::Rejected { .. }))
    }

    /// Returns what it breaks, in the cluster or in Rust.
    pub(crate) fn worst(&self) -> Level {
        if self.rust.is_empty() {
            self.level
        } else {
            Level::Breaking
        }
    }
}

/// Returns the name, the level, the meaning and the advice of each rule, for the documentation.
pub fn rules() -> impl Iterator<Item = [&'static str; 4]> {
    let all = Rule::ALL.iter();
    all.map(|rule| {
        [
            rule.name(),
            rule.level().name(),
            rule.means(),
            rule.advice(),
        ]
    })
}

/// The changes of one CRD.
#[derive(Clone, Debug)]
pub(crate) struct Changes {
    /// The name of the CRD, such as `widgets.example.com`.
    pub(crate) name: String,
    pub(crate) kind: String,
    /// The worst first.
    pub(crate) findings: Vec<Finding>,
}

/// What a comparison of two releases found.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) changes: Vec<Changes>,
    /// Breaks of Rust code that concern no kind.
    pub(crate) rest: Vec<Break>,
    /// Whether code was generated from both releases, and compared.
    pub(crate) is_rust_compared: bool,
    /// How many breaks of Rust code the user's levels leave out.
    pub(crate) left_out: usize,
}

/// Compares all CRDs of two releases; `levels` has the levels that the user sets.
pub(crate) fn compare(
    old: &[Value],
    new: &[Value],
    levels: &BTreeMap<Rule, Level>,
    mut rust: Releases,
    meter: &Meter<'_>,
) -> Comparison {
    let name = |crd: &Value| {
        let name = crd.pointer("/metadata/name").and_then(Value::as_str);
        name.unwrap_or_default().to_owned()
    };
    let by_name = |crds| -> BTreeMap<String, &Value> {
        let crds: &[Value] = crds;
        crds.iter().map(|crd| (name(crd), crd)).collect()
    };
    let (old, new) = (by_name(old), by_name(new));
    let mut all: Vec<&String> = old.keys().chain(new.keys()).collect();
    all.sort_unstable();
    all.dedup();
    let compared = threads::with_large_stack(|| {
        threads::map(&all, |name| match (old.get(*name), new.get(*name)) {
            (Some(_), None) => vec![Finding::at(Rule::CrdRemoved, "", String::new())],
            (None, Some(new)) => {
                let mut found = vec![Finding::at(Rule::CrdAdded, "", String::new())];
                found.extend(crd_rejected::compare(None, new));
                found
            }
            (Some(old), Some(new)) => compare_crd(old, new, meter),
            (None, None) => Vec::new(),
        })
    });
    let mut changes = Vec::new();
    let mut left_out = 0;
    let mut groups = BTreeSet::new();
    let is_rust_ignored = levels.get(&Rule::RustChanged) == Some(&Level::Compatible);
    let is_rust_compared = rust.are_compared;
    for (name, mut findings) in all.into_iter().zip(compared) {
        let crd = new.get(name).or(old.get(name)).copied();
        let crd = crd.unwrap_or(&Value::Null);
        let kind = crd["spec"]["names"]["kind"].as_str().unwrap_or_default();
        let group = crd["spec"]["group"].as_str().unwrap_or_default();
        groups.insert(group);
        rust.assign(group, kind, &mut findings);
        for finding in &mut findings {
            if let Some(level) = levels.get(&finding.rule) {
                finding.level = *level;
                if *level == Level::Compatible {
                    left_out += finding.rust.len();
                    finding.rust.clear();
                }
            }
        }
        let others = rust.rest(group, kind);
        if !others.is_empty() {
            let mut finding = Finding::at(Rule::RustChanged, "", String::new());
            finding.level = Level::Compatible;
            if is_rust_ignored {
                left_out += others.len();
            } else {
                finding.rust = others;
                findings.push(finding);
            }
        }
        findings.sort_by_key(|it| std::cmp::Reverse(it.worst()));
        if !findings.is_empty() {
            changes.push(Changes {
                name: name.clone(),
                kind: kind.to_owned(),
                findings,
            });
        }
    }
    let mut unassigned = rust.into_rest();
    // Breaks of a kind are those of kinds that the user does not compare.
    unassigned.retain(|it| {
        let group = it.module.split('/').next().unwrap_or_default();
        it.kind.is_none() && groups.contains(group)
    });
    if is_rust_ignored {
        left_out += unassigned.len();
        unassigned.clear();
    }
    Comparison {
        changes,
        rest: unassigned,
        is_rust_compared,
        left_out,
    }
}

fn compare_crd(old: &Value, new: &Value, meter: &Meter<'_>) -> Vec<Finding> {
    if old["spec"] == new["spec"] {
        return Vec::new();
    }
    let (old, new) = manifest::in_one_form(old, new);
    let (old, new) = (&*old, &*new);
    let mut found = manifest::compare(old, new);
    for (name, before) in versions::versions_of(old) {
        let Some(after) = versions::version(new, name) else {
            continue;
        };
        let (was, is) = (before, after);
        if let (Some(before), Some(after)) = (Side::new(old, before), Side::new(new, after)) {
            let (before, after) = Side::pair(before, after);
            let scaled = scale::compare(&before, &after, was, is).map(|mut it| {
                it.version = Some(name.to_owned());
                it
            });
            let mut changes = schema::compare(&before, &after, name, meter);
            changes.extend(scaled);
            let has_status = [was, is]
                .iter()
                .all(|it| it["subresources"]["status"].is_object());
            for finding in &mut changes {
                let first = finding.path.split(['.', '[']).next();
                finding.is_status = has_status && first == Some("status");
            }
            if !versions::is_in_use(old, new, name) {
                changes.iter_mut().for_each(Finding::set_unserved);
            }
            found.extend(changes);
        }
    }
    let rejected = crd_rejected::compare(Some(old), new);
    // The API server never runs a rule that it rejects.
    let is_rejected = |it: &Finding| {
        let mut rejected = rejected.iter();
        rejected.any(|other| (&other.version, &other.path) == (&it.version, &it.path))
    };
    let rules = [Rule::RulesAdded, Rule::RulesNarrowed, Rule::RulesChanged];
    found.retain(|it| !(rules.contains(&it.rule) && is_rejected(it)));
    found.extend(rejected);
    found
}
