//! Which occurrences become requests: series of equal ones, aggregates of similar ones, a limit per object. Pure bookkeeping, no I/O.
use super::{EventType, Occurrence, recent::Recent};
use crate::queue::TokenBucket;
use k8s_openapi::api::core::v1::ObjectReference;
use std::{collections::HashSet, time::Duration};
use tokio::time::Instant;

/// How long after its last occurrence an event is still the same one (events.k8s.io: series end after 6 minutes).
const SERIES_LIFETIME: Duration = Duration::from_secs(6 * 60);
/// Events that differ by their note alone are similar within this time.
const SIMILAR_WITHIN: Duration = Duration::from_secs(10 * 60);
/// From this many similar events on they are taken together.
const SIMILAR: usize = 10;
/// Requests that one object can cause at once.
const BURST: u32 = 25;
/// Requests per second and object after that: one in five minutes.
const RATE: f64 = 1.0 / 300.0;
/// Most entries that are remembered of a sort (client-go's cache size).
const CAPACITY: usize = 4096;

/// Stands before the note of an event that was made of several similar ones.
const AGGREGATED: &str = "(combined from similar events): ";

/// What an event is remembered by: all its texts.
pub(super) type Key = Vec<String>;

/// What to do about an occurrence.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// Too much about this object already.
    Suppress,
    /// Send a new Event with this note.
    Create(String),
    /// Tell the Event of this name that it has happened so often by now.
    Repeat { name: String, count: i32 },
}

pub(super) struct Correlator {
    similar: Recent<Key, Similar>,
    series: Recent<Key, Series>,
    limits: Recent<Key, TokenBucket>,
}

struct Similar {
    since: Instant,
    notes: HashSet<String>,
}

struct Series {
    /// Name of the Event object, once it has been sent.
    name: Option<String>,
    count: i32,
}

impl Correlator {
    pub(super) fn new() -> Self {
        // A limit is back to where it began after this time.
        let limit_lifetime = Duration::from_secs(300) * BURST;
        Self {
            similar: Recent::new(SIMILAR_WITHIN, CAPACITY),
            series: Recent::new(SERIES_LIFETIME, CAPACITY),
            limits: Recent::new(limit_lifetime, CAPACITY),
        }
    }

    /// Decides over one occurrence. The key is needed to tell later what became of it.
    pub(super) fn judge(&mut self, occurrence: &Occurrence) -> (Key, Verdict) {
        let now = Instant::now();
        let (key, note) = self.aggregate(occurrence, now);
        let series = self.series.touch(&key, now, || Series {
            name: None,
            count: 0,
        });
        series.count = series.count.saturating_add(1);
        let (name, count) = (series.name.clone(), series.count);
        let limit = self
            .limits
            .touch(&object_key(&occurrence.regarding), now, || {
                TokenBucket::new(RATE, BURST)
            });
        let verdict = match name {
            _ if !limit.try_take() => Verdict::Suppress,
            Some(name) => Verdict::Repeat { name, count },
            None => Verdict::Create(note),
        };
        (key, verdict)
    }

    /// The Event has been stored under this name: what follows are repeats of it.
    pub(super) fn created(&mut self, key: &Key, name: String) {
        self.series
            .touch(key, Instant::now(), || Series {
                name: None,
                count: 1,
            })
            .name = Some(name);
    }

    /// The Event could not be stored, or is gone: the next occurrence starts anew.
    pub(super) fn lost(&mut self, key: &Key) {
        self.series.remove(key);
    }

    /// Key and note of an occurrence, or of the aggregate that it belongs to.
    fn aggregate(&mut self, occurrence: &Occurrence, now: Instant) -> (Key, String) {
        let alike = alike_key(occurrence);
        let similar = self.similar.touch(&alike, now, || Similar {
            since: now,
            notes: HashSet::new(),
        });
        if similar.since + SIMILAR_WITHIN <= now {
            *similar = Similar {
                since: now,
                notes: HashSet::new(),
            };
        }
        if similar.notes.len() < SIMILAR {
            similar.notes.insert(occurrence.note.clone());
        }
        if similar.notes.len() < SIMILAR {
            let mut key = alike;
            key.push(occurrence.note.clone());
            (key, occurrence.note.clone())
        } else {
            (alike, format!("{AGGREGATED}{}", occurrence.note))
        }
    }
}

/// All but the note.
fn alike_key(occurrence: &Occurrence) -> Key {
    let mut key = object_key(&occurrence.regarding);
    key.extend(
        occurrence
            .related
            .as_ref()
            .map(object_key)
            .into_iter()
            .flatten(),
    );
    let type_ = match occurrence.type_ {
        EventType::Normal => "Normal",
        EventType::Warning => "Warning",
    };
    key.extend([
        type_.to_owned(),
        occurrence.reason.clone(),
        occurrence.action.clone(),
    ]);
    key
}

fn object_key(object: &ObjectReference) -> Key {
    let ObjectReference {
        api_version,
        field_path,
        kind,
        name,
        namespace,
        resource_version: _,
        uid,
    } = object;
    [api_version, kind, namespace, name, uid, field_path]
        .map(|text| text.clone().unwrap_or_default())
        .into()
}

#[cfg(test)]
mod tests;
