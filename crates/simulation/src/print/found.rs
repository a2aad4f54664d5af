//! A violation, with all that its report needs.

use std::fmt;

use crate::{
    oracle::{Failure, Oracle},
    schedule::Schedule,
    settings::Setup,
    timeline::Entry,
};

/// A violation, and the smallest schedule that shows it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found {
    /// The oracle.
    pub oracle: Oracle,
    /// What was found, in a sentence.
    pub message: String,
    /// The schedule.
    pub schedule: Schedule,
    /// How many faults the schedule had before it was shrunk.
    pub faults: usize,
    /// How many schedules ran before this one.
    pub schedules: u64,
    /// The name of the simulation.
    pub(crate) name: String,
    pub(crate) failure: Failure,
    pub(crate) log: Vec<Entry>,
}

/// The report that [`Simulation::run`](crate::Simulation::run) prints: timeline, difference and likely cause.
impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&super::failure(self, None))
    }
}

impl Found {
    pub(crate) fn new(
        setup: &Setup,
        schedule: Schedule,
        failure: Failure,
        log: Vec<Entry>,
        faults: usize,
        schedules: u64,
    ) -> Box<Self> {
        Box::new(Self {
            oracle: failure.oracle,
            message: failure.message.clone(),
            schedule,
            faults,
            schedules,
            name: setup.name.clone(),
            failure,
            log,
        })
    }
}
