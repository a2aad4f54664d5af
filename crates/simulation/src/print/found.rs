//! A violation, with all that its report needs.

use std::collections::BTreeSet;

use serde_json::json;

use crate::{
    oracles::{Failure, Oracle},
    schedule::Schedule,
    settings::Setup,
    timeline::{Entry, Happening},
};

/// A violation, with the smallest schedule that shows it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Found {
    /// The violated oracle.
    pub oracle: Oracle,
    /// The violation, as a sentence.
    pub message: String,
    /// The schedule.
    pub schedule: Schedule,
    /// The number of faults in the schedule before it was shrunk.
    pub faults: usize,
    /// The number of schedules that ran before this one.
    pub schedules: u64,
    /// The name of the simulation.
    pub(crate) name: String,
    /// The seed of the runs without faults.
    pub(crate) learned: u64,
    pub(crate) failure: Failure,
    /// The names of the systems outside of the cluster.
    pub(crate) outside: Vec<String>,
    pub(crate) log: Vec<Entry>,
    /// The timeline of the same run without its faults; empty if it has none.
    pub(crate) calm: Vec<Entry>,
}

impl Found {
    /// Returns the report for other programs, for example to draw the timeline, as an object with `simulation`, `oracle`, `message`,
    /// `schedule`, `timeline` and `differences`. The format is described in docs/simulation.md.
    pub fn timeline_json(&self) -> String {
        let differences = self.failure.differences.iter().map(|it| {
            json!({"object": it.object, "path": it.path, "expected": it.expected, "found": it.found})
        });
        let report = json!({
            "simulation": self.name,
            "oracle": self.oracle,
            "message": self.message,
            "schedule": self.schedule,
            "timeline": self.log.iter().map(Entry::json).collect::<Vec<_>>(),
            "differences": differences.collect::<Vec<_>>(),
        });
        format!("{report:#}\n")
    }

    pub(crate) fn new(
        setup: &Setup,
        schedule: Schedule,
        failure: Failure,
        log: Vec<Entry>,
    ) -> Box<Self> {
        Box::new(Self {
            oracle: failure.oracle,
            message: failure.message.clone(),
            faults: schedule.size(),
            schedules: 0,
            name: setup.name.clone(),
            learned: schedule.seed,
            schedule,
            failure,
            outside: setup.outside.iter().map(|it| it.name.clone()).collect(),
            log,
            calm: Vec::new(),
        })
    }

    /// The objects of users that the server has found invalid, by their paths.
    pub(crate) fn invalid(&self) -> BTreeSet<String> {
        let acts = self.log.iter().filter_map(|it| {
            let Happening::User(act) = &it.what else {
                return None;
            };
            act.is_invalid().then(|| act.path.clone())
        });
        acts.collect()
    }

    /// Sets the timeline of the run without faults.
    pub(crate) fn beside(mut self: Box<Self>, calm: Vec<Entry>) -> Box<Self> {
        self.calm = calm;
        self
    }

    pub(crate) fn learned_with(mut self: Box<Self>, seed: u64) -> Box<Self> {
        self.learned = seed;
        self
    }

    /// Sets how many schedules ran until the failure, and how many faults the last one had.
    pub(crate) fn after(mut self: Box<Self>, schedules: u64, faults: usize) -> Box<Self> {
        (self.schedules, self.faults) = (schedules, faults);
        self
    }
}
