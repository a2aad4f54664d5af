//! What the runs of a workload without faults show: the others are compared with it.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use kube_codegen_testing::ApiServer;

use serde_json::Value;

use super::allocated::Allocated;
use crate::{
    names::Names,
    schedule::{Point, Schedule},
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
    pub(crate) occurrences: HashMap<Point, u32>,
    pub(crate) generated: HashMap<String, String>,
    /// The contents of the systems outside of the cluster.
    pub(crate) outside: Vec<Value>,
}

/// What a run begins with, and is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Basis<'a> {
    pub(crate) names: &'a Names,
    /// Decides the uids of objects.
    pub(crate) seed: u64,
    /// `None` for the runs without faults.
    pub(crate) reference: Option<&'a Reference>,
}

/// What the runs without faults have shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reference {
    /// The seed of the first run.
    pub(crate) seed: u64,
    pub(crate) names: Names,
    pub(crate) states: Vec<Arc<State>>,
    pub(crate) counts: Counts,
    /// After each phase.
    pub(crate) rested: Vec<Rested>,
    pub(crate) mask: Mask,
    /// Fields with numbers that the operator hands out.
    pub(crate) allocated: Allocated,
    /// Objects that are created more or less often without any fault.
    pub(crate) uncounted: BTreeSet<String>,
    /// Phases whose specs the operator rejects.
    pub(crate) rejected: BTreeSet<usize>,
}

impl Reference {
    pub(crate) fn basis(&self) -> Basis<'_> {
        Basis {
            names: &self.names,
            seed: self.seed,
            reference: Some(self),
        }
    }

    /// Returns what a schedule begins with; `None` for one that begins with nothing.
    pub(crate) fn before(&self, schedule: &Schedule) -> Option<&Rested> {
        self.rested.get(schedule.from.checked_sub(1)?)
    }

    pub(crate) fn ignore_counts(&mut self, object: &str) {
        self.uncounted.insert(object.to_owned());
    }
}
