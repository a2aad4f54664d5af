//! What a phase without faults leaves.

use std::{collections::HashMap, time::Duration};

use kube_codegen_testing::ApiServer;

use super::World;
use crate::reference::Counts;

/// What a phase without faults leaves, from which other runs begin.
#[derive(Clone, Debug)]
pub(crate) struct Rested {
    pub(super) server: ApiServer,
    /// The virtual time of the run.
    pub(crate) time: Duration,
    pub(crate) counts: Counts,
    occurrences: HashMap<(usize, String), u32>,
    pub(super) generated: HashMap<String, String>,
}

impl World {
    /// Returns what the run has led to so far, for runs that begin with it.
    pub(crate) fn rested(&self) -> Rested {
        let inner = self.lock();
        Rested {
            server: self.server.fork(),
            time: self.elapsed(),
            counts: inner.counts.clone(),
            occurrences: inner.occurrences.clone(),
            generated: inner.generated.clone(),
        }
    }

    /// Numbers the choice points as in the run that this one continues.
    pub(crate) fn count_from(&self, before: &Rested) {
        self.lock().occurrences.clone_from(&before.occurrences);
    }
}
