//! Decides when an operator has done its work.

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value;
use tokio::time::{self, Instant};

use crate::cluster::AGENT;

/// How long nothing may change.
const QUIET: Duration = Duration::from_secs(2);

/// Plural, namespace and name.
type Name = (String, String, String);

/// What the view has seen of an object.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) name: Name,
    /// Whether the operator has written it, or a Normal Event about an object of its own kinds.
    pub(super) written: bool,
    /// Whether all Pods are ready; `None` if the object was deleted.
    pub(super) ready: Option<bool>,
}

/// The objects, and when they last changed.
#[derive(Default)]
pub(super) struct Settled {
    written: bool,
    ready: BTreeMap<Name, bool>,
    since: Option<Instant>,
}

impl Settled {
    pub(super) fn seen(&mut self, seen: Seen) {
        self.written |= seen.written;
        match seen.ready {
            Some(ready) => self.ready.insert(seen.name, ready),
            None => self.ready.remove(&seen.name),
        };
        let is_done = self.written && self.ready.values().all(|ready| *ready);
        self.since = is_done.then(Instant::now);
    }

    /// Counts the time from now on: something was applied that the operator has not seen.
    pub(super) fn touch(&mut self) {
        self.since = self.since.map(|_| Instant::now());
    }

    /// Waits until the operator has written an object, all are ready, and nothing has changed for a while.
    pub(super) async fn done(&self) {
        match self.since {
            Some(since) => time::sleep_until(since + QUIET).await,
            None => std::future::pending().await,
        }
    }
}

/// Returns whether a field manager besides this command and the control plane has written an object.
pub(super) fn written(metadata: &Value) -> bool {
    const OTHERS: [&str; 6] = [
        AGENT,
        "control-plane",
        "kube-apiserver",
        "kube-controller-manager",
        "kubectl",
        "kubelet",
    ];
    let mut owners = metadata["managedFields"].as_array().into_iter().flatten();
    owners.any(|owner| {
        owner["manager"]
            .as_str()
            .is_some_and(|name| !OTHERS.contains(&name))
    })
}
