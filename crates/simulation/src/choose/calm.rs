//! Judges what an operator sends without faults: an operator whose writes are all rejected makes no difference between one run and another, so that no
//! comparison shows it.
//!
//! What is rejected each time is an error. What is rejected now and then may be right, such as where a user asks for what is not valid and the operator
//! says so in an Event or a status: that which is neither repeated nor reported is a doubt, which the last line of a test names.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    oracles::{Failure, Moment, Oracle, Rejected, judged},
    run::{Outcome, Passed},
    schedule::Verb,
    settings::{Setup, Workload},
    timeline::Rejection,
};

/// What the requests of a run without faults say about the operator.
#[derive(Debug, Default)]
pub(super) struct Calm {
    pub(super) failure: Option<Failure>,
    /// What may be an error, in sentences.
    pub(super) doubts: BTreeSet<String>,
    /// Whether the operator has written anything, also an Event.
    pub(super) writes: bool,
}

/// Whether a response says that a request has failed: that something exists already, or is gone, is an answer.
fn is_rejected(passed: &Passed) -> bool {
    let is_answer = matches!(
        (passed.point.verb, passed.status),
        (Verb::Get | Verb::Delete, 404) | (Verb::Create | Verb::Delete, 409)
    );
    passed.status >= 400 && !is_answer
}

/// Names a request with its response.
fn shown(passed: &Passed) -> String {
    Rejection::of(&passed.point, passed.status, passed.rejection.as_ref())
}

impl Calm {
    pub(super) fn of(setup: &Setup, workload: &Workload, outcome: &Outcome) -> Self {
        let answered = outcome.passed.iter().filter(|it| it.status > 0);
        let mut sorts: BTreeMap<_, Vec<&Passed>> = BTreeMap::new();
        for passed in answered {
            let at = &passed.point;
            let sort = (at.verb, &at.resource, &at.subresource);
            sorts.entry(sort).or_default().push(passed);
        }
        let mut calm = Self {
            writes: outcome
                .passed
                .iter()
                .any(|it| it.effect && it.point.verb.is_write()),
            ..Self::default()
        };
        // What is stored without validation, the server rejects when it is written again.
        let is_judged = workload.is_valid() && !setup.demands.without.contains(&Oracle::Accepted);
        if !is_judged || workload.scenario.is_some() {
            return calm;
        }
        for passed in sorts.into_values() {
            let Some(last) = passed
                .last()
                .filter(|_| passed.iter().all(|it| is_rejected(it)))
            else {
                continue;
            };
            let what = match passed.len() {
                1 => "the only such request".to_owned(),
                count => format!("each of {count} such requests"),
            };
            let sentence = format!("{what} was rejected without any fault: {}", shown(last));
            if last.point.verb.is_write() && !last.report {
                let rejected = Rejected {
                    verb: last.point.verb,
                    status: last.status,
                    why: last.rejection.clone().unwrap_or_default(),
                };
                if calm.failure.is_none() {
                    calm.failure =
                        judged(&setup.demands, Moment::AllRejected { sentence, rejected });
                }
            } else {
                calm.doubts.insert(sentence);
            }
        }
        calm.doubts.extend(unrepeated(workload, outcome));
        calm.doubts.extend(outcome.unknown.iter().map(|path| {
            format!("the server does not have the resource of {path} (404): register its kind with `Simulation::crd`")
        }));
        calm
    }
}

/// Returns the writes that the server has rejected as invalid, and that the operator has neither repeated with success nor reported in the same phase.
fn unrepeated(workload: &Workload, outcome: &Outcome) -> Vec<String> {
    let mut left = Vec::new();
    for (phase, _) in workload.phases.iter().enumerate().filter(|(index, phase)| {
        // An operator that says in a Warning that it rejects a spec has reported it.
        !phase.hopeless && !outcome.rejected.contains(index)
    }) {
        let passed = outcome.passed.iter().filter(|it| it.phase == phase);
        let writes: Vec<&Passed> = passed.filter(|it| it.point.verb.is_write()).collect();
        for (at, passed) in writes.iter().enumerate() {
            let is_invalid = matches!(passed.status, 400 | 403 | 405 | 413 | 415 | 422);
            let is_settled = |later: &&&Passed| {
                let is_accepted = (200..300).contains(&later.status);
                let is_same = passed.point.is_of_same_object(&later.point);
                let reports = later.report || later.point.subresource == "status";
                is_accepted && (is_same || reports)
            };
            if is_invalid && !passed.report && writes[at..].iter().find(is_settled).is_none() {
                left.push(format!(
                    "without any fault, a write was rejected, and the operator neither retried it successfully nor reported it: {}",
                    shown(passed)
                ));
            }
        }
    }
    left
}
