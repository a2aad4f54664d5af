//! What has happened so far: the timeline, the choice points that were passed, and what the operator has created, deleted and written.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;

use crate::{
    judge::Counts,
    request::Seen,
    schedule::{Point, PointKind, Verb},
    state::text,
    timeline::{Entry, Rejection},
};

/// A choice point that a run passed.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    pub(crate) point: Point,
    /// Of the workload.
    pub(crate) phase: usize,
    /// Whether a write changed the server.
    pub(crate) effect: bool,
    /// Of the response; 0 where there was none.
    pub(crate) status: u16,
    /// Why the server rejected it; only in a run without faults.
    pub(crate) rejection: Option<Rejection>,
    /// Whether only an Event or a Lease is written.
    pub(crate) report: bool,
    /// What a write created.
    pub(crate) child: Option<Child>,
    /// How a list or a watch asked for objects; only in a run without faults.
    pub(crate) asked: Option<Asked>,
}

impl Passed {
    /// Notes how objects were asked for.
    pub(super) fn note_asked(&mut self, seen: &Seen, answer: &[u8]) {
        self.asked = if seen.is_streaming_list() {
            Some(Asked::Stream)
        } else if let Some(path) = seen.with_small_pages() {
            let list: Value = serde_json::from_slice(answer).unwrap_or_default();
            let items = list.get("items").and_then(Value::as_array);
            let several = items.is_some_and(|items| items.len() > 1);
            Some(Asked::Pages { path, several })
        } else {
            None
        };
    }
}

/// How a run without faults has asked for the objects of a resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Asked {
    /// In pages.
    Pages {
        /// The path with its query, with pages of one object.
        path: String,
        /// Whether there was more than one object.
        several: bool,
    },
    /// By a watch.
    Stream,
}

/// An object that the operator has created.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Child {
    pub(crate) path: String,
    /// Whether the operator has set what [`Fault::Drift`](crate::Fault::Drift) changes. What it has left to others, such as the replicas of a
    /// Deployment that an autoscaler sets, it need not put back.
    pub(crate) drifts: bool,
    pub(crate) is_owned: bool,
    /// Whether the cluster removes it when it has ended, so that it need not be put back.
    pub(crate) expires: bool,
}

impl Child {
    /// Returns the key of a Job in a state.
    pub(crate) fn key(&self) -> Option<String> {
        let (namespace, name) = self
            .path
            .strip_prefix("/apis/batch/v1/namespaces/")?
            .split_once("/jobs/")?;
        Some(format!("batch/Job {namespace}/{name}"))
    }

    /// Returns the plural of its kind.
    pub(crate) fn plural(&self) -> &str {
        self.path.rsplit('/').nth(1).unwrap_or_default()
    }
}

#[derive(Default)]
pub(super) struct Inner {
    pub(super) phase: usize,
    pub(super) log: Vec<Entry>,
    pub(super) passed: Vec<Passed>,
    pub(super) counts: Counts,
    /// The places of objects with generated names.
    pub(super) generated: HashMap<String, String>,
    /// The objects with fields that the operator may write at any time, without these.
    pub(super) fixed: HashMap<String, Value>,
    /// Writes of the operator that changed the server, without reports.
    pub(super) changes: usize,
    /// Warning Events that the operator wrote; counted in runs without faults.
    pub(super) warnings: usize,
    /// The paths of requests for resources that the server does not have.
    pub(super) unknown: BTreeSet<String>,
    /// The namespaces whose objects the operator watches. An empty name means all namespaces.
    pub(super) watched: BTreeSet<String>,
}

#[derive(Default)]
pub(crate) struct History(Mutex<Inner>);

/// What is left of a history when its run has ended.
pub(crate) struct Told {
    pub(crate) counts: Counts,
    pub(crate) passed: Vec<Passed>,
    pub(crate) log: Vec<Entry>,
    pub(crate) unknown: BTreeSet<String>,
}

impl History {
    /// The history of a run that continues another one.
    pub(super) fn after(counts: Counts, generated: HashMap<String, String>) -> Self {
        Self(Mutex::new(Inner {
            counts,
            generated,
            ..Inner::default()
        }))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn phase(&self) -> usize {
        self.lock().phase
    }

    /// Returns how often the operator has changed the server.
    pub(crate) fn changes(&self) -> usize {
        self.lock().changes
    }

    /// Returns how many requests the operator has sent that are neither watches nor of a leader election.
    pub(crate) fn requests(&self) -> usize {
        let inner = self.lock();
        let is_one = |it: &&Passed| {
            let is_request = it.point.kind() != PointKind::Event && it.point.verb != Verb::Watch;
            is_request && !matches!(it.point.resource.as_str(), "leases" | "leasecandidates")
        };
        inner.passed.iter().filter(is_one).count()
    }

    /// Returns how often the operator has changed the server, and how many Warnings it has written.
    pub(crate) fn written(&self) -> (usize, usize) {
        let inner = self.lock();
        (inner.changes, inner.warnings)
    }

    /// Returns the length of the timeline.
    pub(crate) fn logged(&self) -> usize {
        self.lock().log.len()
    }

    pub(crate) fn counts(&self) -> Counts {
        self.lock().counts.clone()
    }

    /// Names the last write that has changed something.
    pub(crate) fn last_write(&self) -> Option<String> {
        let inner = self.lock();
        let mut passed = inner.passed.iter().rev();
        let last = passed.find(|passed| passed.effect && !passed.report);
        last.map(|passed| passed.point.what().to_string())
    }

    pub(super) fn passes(&self, point: &Point, report: bool) {
        let mut inner = self.lock();
        let phase = inner.phase;
        inner.passed.push(Passed {
            point: point.clone(),
            phase,
            effect: false,
            status: 0,
            rejection: None,
            report,
            child: None,
            asked: None,
        });
    }

    /// Changes what is noted about a choice point, which is one of the newest.
    pub(super) fn note(&self, point: &Point, note: impl FnOnce(&mut Passed)) {
        let mut inner = self.lock();
        let mut newest = inner.passed.iter_mut().rev();
        if let Some(passed) = newest.find(|passed| passed.point == *point) {
            note(passed);
        }
    }

    pub(super) fn counts_warning(&self, event: &[u8]) {
        let event: Value = serde_json::from_slice(event).unwrap_or_default();
        if text(&event, "/type") == "Warning" {
            self.lock().warnings += 1;
        }
    }

    /// Notes a request for a resource that the server does not have. Discovery of what may be absent is none.
    pub(crate) fn lacks_resource(&self, path: &str) {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let is_resource = matches!(parts.as_slice(), ["api", _, _, ..] | ["apis", _, _, _, ..]);
        if is_resource {
            self.lock().unknown.insert(path.to_owned());
        }
    }

    /// Whether an object is of a namespace in which the operator watches its objects. One that only reads is taken to look everywhere.
    pub(crate) fn is_in_reach(&self, object: &Value) -> bool {
        let watched = &self.lock().watched;
        let namespace = text(object, "/metadata/namespace");
        watched.is_empty() || watched.contains("") || watched.contains(namespace)
    }

    pub(crate) fn take(&self) -> Told {
        let mut inner = self.lock();
        Told {
            counts: std::mem::take(&mut inner.counts),
            passed: std::mem::take(&mut inner.passed),
            log: std::mem::take(&mut inner.log),
            unknown: std::mem::take(&mut inner.unknown),
        }
    }
}

/// How a count changes.
pub(super) fn count<'c>(counts: &'c mut Counts, key: &str) -> &'c mut (u32, u32) {
    counts.entry(key.to_owned()).or_default()
}
