//! The lanes of a run, from the user to the controllers of children, and what a step draws on them.
use kube_codegen_look::picture::{Lane, Look, Parties, Shade, Sign, Step};

use crate::{
    schedule::{PointKind, Verb},
    state::is_plural,
    timeline::{Answered, Entry, Happening, Lag, Process, Replica},
};

/// The lanes, from left to right.
pub(super) struct Lanes {
    replicas: Vec<Replica>,
    parties: Parties,
}

/// What the cache of a replica lacks, at one step.
pub(super) type Stale = String;

impl Lanes {
    pub(super) fn of<'a>(entries: impl Iterator<Item = &'a Entry>) -> Self {
        let (mut replicas, mut cluster): (Vec<Replica>, _) = (Vec::new(), false);
        for entry in entries {
            cluster |= matches!(entry.what, Happening::Cluster { .. });
            replicas.extend(entry.replica());
        }
        if replicas.is_empty() {
            replicas.push(Replica::Only);
        }
        replicas.sort();
        replicas.dedup();
        let names = replicas.iter().map(Replica::to_string);
        Self {
            parties: Parties::new(names.collect(), cluster),
            replicas,
        }
    }

    fn replica(&self, entry: &Entry) -> usize {
        let replica = entry.replica();
        let mut replicas = self.replicas.iter();
        let found = replicas.position(|it| Some(*it) == replica);
        found.unwrap_or(0)
    }

    /// Returns the names of the lanes.
    pub(super) fn names(&self) -> Vec<Lane> {
        self.parties.lanes()
    }

    /// Returns what an entry is in the picture. `stale` is what the cache lacks then.
    pub(super) fn step(&self, entry: &Entry, stale: &[Stale]) -> Step {
        let shade = (self.parties.cache(self.replica(entry)), Shade::Stale);
        // A line about the cache says it already.
        let is_cache = matches!(entry.what, Happening::Cache(..));
        let lacks = stale.iter().filter(|_| !is_cache);
        let who = if entry.is_fault() {
            "fault".into()
        } else {
            entry.who()
        };
        Step {
            who: who.into_owned(),
            text: entry.what.to_string(),
            fault: entry.is_fault(),
            sign: self.sign(entry),
            shades: stale.first().map(|_| shade).into_iter().collect(),
            remarks: lacks.map(|lacks| format!("cache {lacks}")).collect(),
        }
    }

    fn sign(&self, entry: &Entry) -> Sign {
        let replica = self.replica(entry);
        let server = self.parties.server();
        let (operator, cache) = (self.parties.operator(replica), self.parties.cache(replica));
        let arrow = |from, to, look, answered| Sign::Arrow {
            from,
            to,
            look,
            answered,
        };
        match &entry.what {
            Happening::Request(_, Answered { point, status, .. }) => {
                let look = match (point.verb, status) {
                    // A read of what is not there yet, or not any more, has not failed.
                    (Verb::Get, 404) => Look::Note,
                    (_, 400..) => Look::Bad,
                    (_, ..400) => Look::Good,
                };
                arrow(operator, server, look, true)
            }
            Happening::Event { .. } => arrow(server, cache, Look::Event, false),
            Happening::User(_) => arrow(self.parties.user(), server, Look::User, false),
            Happening::Cluster { .. } => {
                arrow(self.parties.cluster(), server, Look::Cluster, false)
            }
            Happening::Fault { at, .. } if at.kind() == PointKind::Event => {
                Sign::Bolt { at: cache }
            }
            Happening::Fault { .. } => Sign::Bolt { at: operator },
            Happening::Process(_, process) => Sign::Dot {
                at: operator,
                look: match process {
                    Process::Starts => Look::Good,
                    Process::Crashes | Process::Ends(_) => Look::Bad,
                },
            },
            Happening::Cache(..) => Sign::Dot {
                at: cache,
                look: Look::Note,
            },
            // Most often, the operator has done it.
            Happening::Outside(_) => Sign::Dot {
                at: operator,
                look: Look::Note,
            },
            Happening::Phase { .. } | Happening::Simulation(_) | Happening::Bytes(..) => Sign::None,
        }
    }
}

pub(super) fn is_phase(entry: &Entry) -> bool {
    matches!(entry.what, Happening::Phase { .. })
}

impl Lag {
    fn name(&self) -> &str {
        self.place.rsplit('/').next().unwrap_or_default()
    }

    /// Whether an entry shows the object to the operator.
    fn is_seen(&self, entry: &Entry) -> bool {
        match &entry.what {
            Happening::Event { point, .. } => self.is_at(&point.resource, &point.place),
            Happening::Request(_, Answered { point, .. }) => {
                point.verb == Verb::List && is_plural(&point.resource, &self.kind)
            }
            Happening::Phase { .. }
            | Happening::User(_)
            | Happening::Process(..)
            | Happening::Cache(..)
            | Happening::Cluster { .. }
            | Happening::Outside(_)
            | Happening::Fault { .. }
            | Happening::Simulation(_)
            | Happening::Bytes(..) => false,
        }
    }

    fn is_at(&self, resource: &str, place: &str) -> bool {
        is_plural(resource, &self.kind) && place == self.place
    }

    /// Whether an entry changes the object.
    fn is_changed(&self, entry: &Entry) -> bool {
        match &entry.what {
            Happening::Request(_, answered) => {
                let at = &answered.point;
                answered.has_changed() && self.is_at(&at.resource, &at.place)
            }
            Happening::User(act) => {
                let mut parts = act.path.rsplit('/');
                let name = parts.next().unwrap_or_default();
                let is_same = name == self.name();
                is_same && parts.next().is_some_and(|it| is_plural(it, &self.kind))
            }
            Happening::Cluster { object, .. } => {
                object.ends_with(&format!("{} {}", self.kind, self.place))
            }
            Happening::Phase { .. }
            | Happening::Process(..)
            | Happening::Event { .. }
            | Happening::Cache(..)
            | Happening::Outside(_)
            | Happening::Fault { .. }
            | Happening::Simulation(_)
            | Happening::Bytes(..) => false,
        }
    }
}

/// Returns for each line of a run what the caches lack there. A line about the caches says it for a moment; it began with the first change of
/// the object that was not seen, and ends with the next event about it.
pub(super) fn stale(log: &[Entry]) -> Vec<Vec<Stale>> {
    let mut all: Vec<Vec<Stale>> = vec![Vec::new(); log.len()];
    for (at, entry) in log.iter().enumerate() {
        let Happening::Cache(_, lags) = &entry.what else {
            continue;
        };
        for lag in &lags.shown {
            let seen = log[..at].iter().rposition(|it| lag.is_seen(it));
            let seen = seen.map_or(0, |seen| seen + 1);
            let before = log[seen..at].iter().position(|it| lag.is_changed(it));
            let before = before.map_or(at, |before| seen + before);
            let starts = |it: &Entry| matches!(it.what, Happening::Process(_, Process::Starts));
            let mut after = log[at..].iter();
            let after = after.position(|it| lag.is_seen(it) || starts(it));
            let until = after.map_or(at + 2, |after| at + after).min(log.len());
            let lacks = lag.general().to_string();
            for lacking in &mut all[before..until.max(at + 1)] {
                if !lacking.contains(&lacks) {
                    lacking.push(lacks.clone());
                }
            }
        }
    }
    all
}
