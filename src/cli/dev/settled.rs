//! Decides when an operator has done its work.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use tokio::time::{self, Instant};

use super::install::Name;

/// How long nothing may change.
const QUIET: Duration = Duration::from_secs(2);

/// What the view has seen of an object.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) name: Name,
    /// Whether all Pods are ready; `None` if the object was deleted.
    pub(super) ready: Option<bool>,
}

/// The objects, and when they last changed.
pub(super) struct Settled {
    applied: BTreeSet<Name>,
    ready: BTreeMap<Name, bool>,
    since: Option<Instant>,
}

impl Settled {
    /// Begins with the objects that were applied, which the operator has not made.
    pub(super) fn new(applied: BTreeSet<Name>) -> Self {
        Self {
            applied,
            ready: BTreeMap::new(),
            since: None,
        }
    }

    pub(super) fn seen(&mut self, seen: Seen) {
        match seen.ready {
            Some(ready) => self.ready.insert(seen.name, ready),
            None => self.ready.remove(&seen.name),
        };
        let has_made = self.ready.keys().any(|name| !self.applied.contains(name));
        let is_done = has_made && self.ready.values().all(|ready| *ready);
        self.since = is_done.then(Instant::now);
    }

    /// Waits until the operator has made an object, all are ready, and nothing has changed for a while.
    pub(super) async fn done(&self) {
        match self.since {
            Some(since) => time::sleep_until(since + QUIET).await,
            None => std::future::pending().await,
        }
    }
}
