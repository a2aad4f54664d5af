//! Runs the schedule of a failure again with each [`Experiment`] that can tell its cause.

use std::sync::Arc;

use crate::{
    experiment::Experiment,
    judge::Basis,
    oracles::{AfterRestart, Failure, Oracle},
    run::run,
    schedule::Schedule,
    settings::Setup,
    timeline::{Entry, Happening},
    workload::Workload,
};

/// Notes in a failure what each experiment makes of it.
pub(super) fn experiments(
    setup: &Arc<Setup>,
    workload: &Workload,
    schedule: &Schedule,
    basis: Basis<'_>,
    failure: &mut Failure,
    log: &[Entry],
) {
    let telling: &[Experiment] = match failure.oracle {
        Oracle::Idempotence if failure.after_restart == Some(AfterRestart::Writes) => {
            &[Experiment::WithoutStatus]
        }
        Oracle::Idempotence => &[Experiment::AskAgain],
        // Without a status, nothing is outdated, or nothing is wrong.
        Oracle::ObservedGeneration | Oracle::Eventually => {
            &[Experiment::AskAgain, Experiment::WithoutChild]
        }
        Oracle::EndState | Oracle::History | Oracle::Deletion | Oracle::Truth => &Experiment::ALL,
        Oracle::Rest
        | Oracle::Counts
        | Oracle::Preconditions
        | Oracle::OwnerReferences
        | Oracle::Conditions
        | Oracle::Panics
        | Oracle::Requests
        | Oracle::Leader
        | Oracle::Strangers
        | Oracle::Gaps
        | Oracle::Accepted
        | Oracle::Own
        | Oracle::Metadata
        | Oracle::Always => &[],
    };
    let phase = log.iter().rev().find_map(|it| match &it.what {
        Happening::Phase { index, .. } => Some(*index),
        Happening::User(_)
        | Happening::Process(..)
        | Happening::Request(..)
        | Happening::Event { .. }
        | Happening::Cache(..)
        | Happening::Cluster { .. }
        | Happening::Outside(_)
        | Happening::Fault { .. }
        | Happening::Simulation(_)
        | Happening::Bytes(..) => None,
    });
    let Some(phase) = phase.filter(|_| schedule.order.is_none()) else {
        return;
    };
    let try_out = |experiment: Experiment, failure: &mut Failure| {
        let schedule = Schedule {
            detailed: true,
            experiment: Some((experiment, phase)),
            ..schedule.clone()
        };
        let again = run(setup, workload, &schedule, basis).failure;
        // An operator that is not deterministic may fail elsewhere.
        let same = again.filter(|it| it.oracle == failure.oracle);
        if let Some(shown) = same.and_then(|it| it.shown) {
            failure.experiments.insert(experiment, shown);
        }
    };
    for experiment in telling {
        try_out(*experiment, failure);
    }
    let asked = failure.experiments.get(&Experiment::AskAgain);
    let is_deaf = asked.is_some_and(|it| !it.is_right && !it.acts);
    if is_deaf && failure.after_restart == Some(AfterRestart::Right) {
        for experiment in Experiment::UNHEARD {
            try_out(experiment, failure);
        }
    }
}
