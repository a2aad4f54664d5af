//! What the runs of a workload without faults show: the others are compared with it.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use kube_codegen_testing::ApiServer;

use crate::{
    schedule::Schedule,
    state::{Mask, State},
};

/// How often objects were created and deleted.
pub(crate) type Counts = BTreeMap<String, (u32, u32)>;

/// What a phase without faults leaves, from which other runs begin.
#[derive(Clone, Debug)]
pub(crate) struct Rested {
    pub(crate) server: ApiServer,
    /// The virtual time of the run.
    pub(crate) time: Duration,
    pub(crate) counts: Counts,
    pub(crate) occurrences: HashMap<(usize, String), u32>,
    pub(crate) generated: HashMap<String, String>,
}

/// What the runs without faults have shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reference {
    pub(crate) states: Vec<Arc<State>>,
    pub(crate) counts: Counts,
    /// After each phase.
    pub(crate) rested: Vec<Rested>,
    pub(crate) mask: Mask,
    /// Objects that are created more or less often without any fault.
    pub(crate) uncounted: BTreeSet<String>,
    /// Phases whose specs the operator refuses.
    pub(crate) refused: BTreeSet<usize>,
}

impl Reference {
    /// Returns what a schedule begins with; `None` for one that begins with nothing.
    pub(crate) fn before(&self, schedule: &Schedule) -> Option<&Rested> {
        self.rested.get(schedule.from.checked_sub(1)?)
    }

    pub(crate) fn ignore_counts(&mut self, object: &str) {
        self.uncounted.insert(object.to_owned());
    }
}
