//! What the API server has recorded, in the order of its resource versions: the terms of the leaders, and the writes of the replicas.
//!
//! What a replica believes does not count: one that was not scheduled may believe for a moment that it leads. What counts is that the API
//! server accepted no write of a replica outside of that replica's term.

use std::{
    collections::{BTreeMap, HashSet},
    fmt::Debug,
    ops::ControlFlow,
    pin::pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::StreamExt as _;
use k8s_openapi::{
    api::{coordination::v1::Lease, core::v1::ConfigMap},
    jiff::{SignedDuration, Timestamp},
};
use kube::{
    Api, Client, Resource,
    api::{ListParams, WatchEvent, WatchParams},
};
use serde::de::DeserializeOwned;
use tokio::{task::JoinSet, time::sleep};

use crate::chaos::{LEASE, WRITER, api, replica::Writer};

/// One recorded state of the lease.
#[derive(Clone, Debug)]
struct Record {
    holder: String,
    term: i32,
    acquired: Timestamp,
    renewed: Timestamp,
    duration: SignedDuration,
}

#[derive(Default)]
struct Recorded {
    lease: BTreeMap<u64, Record>,
    /// Writes of the replicas by resource version.
    writes: BTreeMap<u64, Writer>,
    /// Writes that were already stored when a watch had to start again: their resource versions may be those of later writes.
    known: HashSet<String>,
}

/// Records until it is dropped.
pub(crate) struct History {
    recorded: Arc<Mutex<Recorded>>,
    _watches: JoinSet<()>,
}

/// What a [`History`] proves.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// The leaders in the order of their terms.
    pub(crate) leaders: Vec<String>,
    /// Number of writes that were compared with the terms.
    pub(crate) writes: usize,
    pub(crate) problems: Vec<String>,
}

impl History {
    /// Starts to record. `client` must have no faults.
    pub(crate) fn start(client: &Client, namespace: &str) -> Self {
        let recorded = Arc::new(Mutex::new(Recorded::default()));
        let mut watches = JoinSet::new();
        let leases = Api::<Lease>::namespaced(client.clone(), namespace);
        let shared = Arc::clone(&recorded);
        watches.spawn(follow(leases, move |version, lease, _| {
            shared.lock().unwrap().lease(version, &lease);
        }));
        let shared = Arc::clone(&recorded);
        watches.spawn(follow(
            api(client, namespace),
            move |version, map, watched| {
                shared.lock().unwrap().write(version, &map, watched);
            },
        ));
        Self {
            recorded,
            _watches: watches,
        }
    }

    /// Compares what was recorded so far.
    pub(crate) fn check(&self) -> Summary {
        self.recorded.lock().unwrap().check()
    }
}

impl Recorded {
    fn lease(&mut self, version: u64, lease: &Lease) {
        let Some(spec) = lease
            .spec
            .clone()
            .filter(|_| lease.metadata.name.as_deref() == Some(LEASE))
        else {
            return;
        };
        let record = Record {
            holder: spec.holder_identity.unwrap_or_default(),
            term: spec.lease_transitions.unwrap_or_default(),
            acquired: spec.acquire_time.unwrap().0,
            renewed: spec.renew_time.unwrap().0,
            duration: SignedDuration::from_secs(spec.lease_duration_seconds.unwrap().into()),
        };
        self.lease.insert(version, record);
    }

    fn write(&mut self, version: u64, map: &ConfigMap, watched: bool) {
        let Some(text) = map.data.as_ref().and_then(|data| data.get(WRITER)) else {
            return;
        };
        if self.known.insert(text.clone()) && watched {
            self.writes.insert(version, text.parse().unwrap());
        }
    }

    fn check(&self) -> Summary {
        let mut summary = Summary::default();
        let records: Vec<_> = self.lease.iter().collect();
        for (_, record) in &records {
            if !record.holder.is_empty() && summary.leaders.last() != Some(&record.holder) {
                summary.leaders.push(record.holder.clone());
            }
        }
        for pair in records.windows(2) {
            let [(_, old), (version, new)] = pair else {
                continue;
            };
            let waited = new.acquired.duration_since(old.renewed);
            let is_same_leader = new.holder == old.holder || new.holder.is_empty();
            let is_free = old.holder.is_empty() || waited >= old.duration;
            if !(new.term == old.term && is_same_leader || new.term > old.term && is_free) {
                summary
                    .problems
                    .push(format!("the lease at {version}: {new:?} follows {old:?}"));
            }
        }
        for (version, writer) in &self.writes {
            let before = self.lease.range(..version).next_back();
            let after = self.lease.range(version..).next();
            // The state with which the term of the writer began.
            let began = self.lease.get(&writer.term);
            let (Some((_, record)), Some((_, next)), Some(began)) = (before, after, began) else {
                // The lease was not recorded around this write.
                continue;
            };
            if next.term > record.term + 1 {
                continue;
            }
            summary.writes += 1;
            if (&record.holder, record.term) != (&writer.replica, began.term) {
                summary.problems.push(format!(
                    "the write at {version}: {writer:?} in the term of {record:?}"
                ));
            }
        }
        summary
    }
}

/// Calls `on` with the resource version of each state of each object, and whether it was watched or listed.
async fn follow<K>(api: Api<K>, mut on: impl FnMut(u64, K, bool))
where
    K: Resource + Clone + DeserializeOwned + Debug + Send + 'static,
{
    let number = |object: &K| {
        let version = object.meta().resource_version.as_deref();
        version.unwrap_or_default().parse().unwrap_or_default()
    };
    loop {
        if let Ok(list) = api.list(&ListParams::default()).await {
            let mut version = list.metadata.resource_version.unwrap_or_default();
            for object in list.items {
                on(number(&object), object, false);
            }
            while watch(&api, &mut version, |object| {
                on(number(&object), object, true);
            })
            .await
            .is_continue()
            {
                sleep(Duration::from_millis(50)).await;
            }
        }
        sleep(Duration::from_millis(50)).await;
    }
}

/// Watches from `version` on, until the connection ends. Breaks if the API server no longer has the version.
async fn watch<K>(api: &Api<K>, version: &mut String, mut on: impl FnMut(K)) -> ControlFlow<()>
where
    K: Resource + Clone + DeserializeOwned + Debug + Send + 'static,
{
    let Ok(events) = api.watch(&WatchParams::default(), version).await else {
        return ControlFlow::Continue(());
    };
    let mut events = pin!(events);
    while let Some(Ok(event)) = events.next().await {
        let object = match event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => object,
            WatchEvent::Deleted(object) => {
                object
                    .meta()
                    .resource_version
                    .as_ref()
                    .unwrap()
                    .clone_into(version);
                continue;
            }
            WatchEvent::Bookmark(bookmark) => {
                *version = bookmark.metadata.resource_version;
                continue;
            }
            WatchEvent::Error(status) if status.code == 410 => return ControlFlow::Break(()),
            WatchEvent::Error(_) => return ControlFlow::Continue(()),
        };
        object
            .meta()
            .resource_version
            .as_ref()
            .unwrap()
            .clone_into(version);
        on(object);
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a history of one take-over, from "one" at 10 s to "two" at `taken`, with a write by "one" in its term at `version`.
    fn history(taken: i64, version: u64) -> Recorded {
        let at = |second| Timestamp::from_second(second).unwrap();
        let record = |holder: &str, term, acquired, renewed| Record {
            holder: holder.to_owned(),
            term,
            acquired: at(acquired),
            renewed: at(renewed),
            duration: SignedDuration::from_secs(8),
        };
        let mut recorded = Recorded::default();
        recorded.lease.insert(1, record("one", 0, 9, 9));
        recorded.lease.insert(3, record("one", 0, 9, 10));
        recorded.lease.insert(6, record("two", 1, taken, taken));
        recorded.lease.insert(9, record("two", 1, taken, taken + 1));
        // The term of "one" began with version 1 of the Lease.
        recorded.writes.insert(version, "one 1 7".parse().unwrap());
        recorded
    }

    #[test]
    fn a_write_in_the_term_of_another_replica_is_a_problem() {
        let good = history(18, 5).check();
        assert_eq!((good.writes, good.problems.len()), (1, 0), "{good:?}");
        assert_eq!(good.leaders, ["one", "two"]);
        let late = history(18, 7).check();
        assert_eq!((late.writes, late.problems.len()), (1, 1), "{late:?}");
    }

    #[test]
    fn a_lease_that_was_taken_too_early_is_a_problem() {
        assert_eq!(history(17, 5).check().problems.len(), 1);
    }
}
