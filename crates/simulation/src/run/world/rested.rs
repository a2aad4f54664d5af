//! What a phase without faults leaves.

use super::World;
use crate::judge::Rested;

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
            outside: self.outside(),
        }
    }

    /// Numbers the choice points as in the run that this one continues.
    pub(crate) fn count_from(&self, before: &Rested) {
        self.lock().occurrences.clone_from(&before.occurrences);
    }
}
