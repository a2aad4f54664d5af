//! The lanes of a run, from the user to the controllers of children, and what a step draws on them.
use kube_codegen_look::picture::{Lane, Look, Parties, Shade, Sign, Step};

use crate::timeline::Entry;

/// The lanes, from left to right.
pub(super) struct Lanes {
    replicas: Vec<String>,
    parties: Parties,
}

/// What the cache of a replica lacks, at one step.
pub(super) type Stale = String;

impl Lanes {
    pub(super) fn of<'a>(entries: impl Iterator<Item = &'a Entry>) -> Self {
        let (mut replicas, mut cluster): (Vec<String>, _) = (Vec::new(), false);
        for entry in entries {
            match entry.who.trim() {
                "cluster" => cluster = true,
                who if is_replica(who) && !replicas.iter().any(|it| it == who) => {
                    replicas.push(who.to_owned());
                }
                _ => {}
            }
        }
        if replicas.is_empty() {
            replicas.push("operator".to_owned());
        }
        replicas.sort();
        Self {
            parties: Parties::new(replicas.clone(), cluster),
            replicas,
        }
    }

    fn replica(&self, who: &str) -> usize {
        self.replicas.iter().position(|it| it == who).unwrap_or(0)
    }

    /// Returns the names of the lanes.
    pub(super) fn names(&self) -> Vec<Lane> {
        self.parties.lanes()
    }

    /// Returns what an entry is in the picture. `stale` is what the cache lacks then.
    pub(super) fn step(&self, entry: &Entry, stale: &[Stale]) -> Step {
        let who = entry.who.trim();
        let shade = (self.parties.cache(self.replica(who)), Shade::Stale);
        // A line about the cache says it already.
        let lacks = stale.iter().filter(|_| who != "its cache");
        Step {
            who: if who == "FAULT" { "fault" } else { who }.to_owned(),
            text: entry.text.clone(),
            fault: entry.fault,
            sign: self.sign(entry),
            shades: stale.first().map(|_| shade).into_iter().collect(),
            remarks: lacks.map(|lacks| format!("cache {lacks}")).collect(),
        }
    }

    fn sign(&self, entry: &Entry) -> Sign {
        let json = entry.json();
        let kind = json["kind"].as_str().unwrap_or_default();
        let replica = self.replica(entry.who.trim());
        let server = self.parties.server();
        let (operator, cache) = (self.parties.operator(replica), self.parties.cache(replica));
        let arrow = |from, to, look, answered| Sign::Arrow {
            from,
            to,
            look,
            answered,
        };
        match kind {
            "request" => {
                let status = json["status"].as_u64().unwrap_or_default();
                // A read of what is not there yet, or not any more, has not failed.
                let failed = status >= 400 && !(status == 404 && json["verb"] == "get");
                let look = if failed { Look::Bad } else { Look::Good };
                arrow(operator, server, look, true)
            }
            "event" => arrow(server, cache, Look::Event, false),
            "user" => arrow(self.parties.user(), server, Look::User, false),
            "cluster" => arrow(self.parties.cluster(), server, Look::Cluster, false),
            "fault" if entry.text.contains(": event ") => Sign::Bolt { at: cache },
            "fault" => Sign::Bolt { at: operator },
            "process" => {
                let ends = entry.text.contains("crash") || entry.text.contains("end");
                Sign::Dot {
                    at: operator,
                    look: if ends { Look::Bad } else { Look::Good },
                }
            }
            "cache" => Sign::Dot {
                at: cache,
                look: Look::Note,
            },
            _ => Sign::None,
        }
    }
}

fn is_replica(who: &str) -> bool {
    !matches!(
        who,
        "user" | "cluster" | "simulation" | "its cache" | "FAULT"
    )
}

pub(super) fn is_phase(entry: &Entry) -> bool {
    entry.who.trim() == "user" && entry.text.starts_with("begins phase ")
}

/// Returns for each line of a run what the caches lack there. A line about the caches says it for a moment; it began with the first change of
/// the object that was not seen, and ends with the next event about it.
pub(super) fn stale(log: &[Entry]) -> Vec<Vec<Stale>> {
    let mut all: Vec<Vec<Stale>> = vec![Vec::new(); log.len()];
    for (at, entry) in log
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.who.trim() == "its cache")
    {
        for lacks in entry.text.split("; ") {
            let Some(object) = lacks.split([' ', ',']).find(|word| word.contains('/')) else {
                continue;
            };
            let name = object.rsplit('/').next().unwrap_or(object);
            // Before the place is the kind: its plural begins with it, but for the last letter.
            let kind = lacks.split(object).next().unwrap_or_default();
            let kind = kind.split_whitespace().last().unwrap_or_default();
            let kind = kind.to_lowercase();
            let kind = kind.strip_suffix('y').unwrap_or(&kind);
            let is_about = |it: &Entry| {
                let mut words = it.text.split([' ', '/', ':']);
                words.any(|word| word == name) && it.text.to_lowercase().contains(kind)
            };
            let is_event = |it: &Entry| it.text.starts_with("event ") && is_about(it);
            let is_change = |it: &Entry| {
                !it.fault
                    && it.text.contains(" → 2")
                    && !it.text.ends_with("(no change)")
                    && is_about(it)
                    && !["get", "list", "watch"]
                        .iter()
                        .any(|verb| it.text.starts_with(verb))
            };
            let is_list =
                |it: &Entry| it.text.starts_with("list ") && it.text.to_lowercase().contains(kind);
            let seen = log[..at]
                .iter()
                .rposition(|it| is_event(it) || is_list(it))
                .map_or(0, |seen| seen + 1);
            let before = log[seen..at].iter().position(is_change);
            let before = before.map_or(at, |before| seen + before);
            let after = log[at..]
                .iter()
                .position(|it| is_event(it) || it.text == "starts");
            let until = after.map_or(at + 2, |after| at + after).min(log.len());
            for lacking in &mut all[before..until.max(at + 1)] {
                let lacks = lacks.split(" (resourceVersion").next().unwrap_or(lacks);
                if !lacking.iter().any(|it| it == lacks) {
                    lacking.push(lacks.to_owned());
                }
            }
        }
    }
    all
}
