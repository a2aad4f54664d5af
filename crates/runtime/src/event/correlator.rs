//! Decides which occurrences become requests, by series, combinations of similar ones, and limits.
//!
//! client-go has one limit per object: repeats of one reason use it up, and the one event that matters is lost. Here each reason of an object has
//! that limit, and the object has a larger one, for reasons without number.
use std::{collections::HashSet, time::Duration};

use k8s_openapi::api::core::v1::ObjectReference;
use tokio::time::Instant;

use super::{Occurrence, recent::Recent};
use crate::queue::TokenBucket;

/// A series ends this long after its last occurrence (events.k8s.io: 6 minutes).
const SERIES_LIFETIME: Duration = Duration::from_secs(6 * 60);
/// Events that differ only in their note are similar within this time.
const SIMILAR_WITHIN: Duration = Duration::from_secs(10 * 60);
/// This many similar events are combined.
const SIMILAR: usize = 10;
/// Burst of requests per object, type and reason.
const BURST: u32 = 25;
/// Requests per second after that: one in five minutes.
const RATE: f64 = 1.0 / 300.0;
/// How many reasons of an object may reach their limits before the object reaches its own.
const REASONS: u32 = 4;
/// Capacity of each map (client-go's cache size).
const CAPACITY: usize = 4096;

/// Prefix of the note of combined events.
const COMBINED: &str = "(combined from similar events): ";

/// The texts that identify an event.
pub(super) type EventKey = Vec<String>;

/// What to do with an occurrence.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// Send nothing: the object, or this reason of it, has reached its limit.
    Suppress,
    /// Create an Event with this note.
    Create(String),
    /// Set the count of the Event of this name, or create it with this note and count if it has expired.
    Repeat {
        name: String,
        count: i32,
        note: String,
    },
}

pub(super) struct Correlator {
    similar: Recent<EventKey, Similar>,
    series: Recent<EventKey, Series>,
    limits: Recent<EventKey, TokenBucket>,
}

struct Similar {
    since: Instant,
    notes: HashSet<String>,
}

struct Series {
    /// Name of the Event object, once it is stored.
    name: Option<String>,
    count: i32,
}

impl Correlator {
    pub(super) fn new() -> Self {
        // After this time the burst is fully available again.
        let limit_lifetime = Duration::from_secs(300) * BURST;
        Self {
            similar: Recent::new(SIMILAR_WITHIN, CAPACITY),
            series: Recent::new(SERIES_LIFETIME, CAPACITY),
            limits: Recent::new(limit_lifetime, CAPACITY),
        }
    }

    /// Decides what to do with one occurrence. The key identifies it to [`created`](Self::created) and [`lost`](Self::lost).
    pub(super) fn judge(&mut self, occurrence: &Occurrence) -> (EventKey, Verdict) {
        let now = Instant::now();
        let (key, note) = self.combine(occurrence, now);
        let series = self.series.touch(&key, now, || Series {
            name: None,
            count: 0,
        });
        series.count = series.count.saturating_add(1);
        let (name, count) = (series.name.clone(), series.count);
        let object = object_key(&occurrence.regarding);
        let mut reason = object.clone();
        reason.extend([occurrence.type_name().to_owned(), occurrence.reason.clone()]);
        let of_reason = || TokenBucket::new(RATE, BURST);
        let of_object = || TokenBucket::new(RATE * f64::from(REASONS), BURST * REASONS);
        // What the limit of its reason suppresses does not count for the object.
        let is_sent = self.limits.touch(&reason, now, of_reason).try_take()
            && self.limits.touch(&object, now, of_object).try_take();
        let verdict = match name {
            _ if !is_sent => Verdict::Suppress,
            Some(name) => Verdict::Repeat { name, count, note },
            None => Verdict::Create(note),
        };
        (key, verdict)
    }

    /// Records that the Event is stored under this name. Later occurrences repeat it.
    pub(super) fn created(&mut self, key: &EventKey, name: String) {
        self.series
            .touch(key, Instant::now(), || Series {
                name: None,
                count: 1,
            })
            .name = Some(name);
    }

    /// Ends the series: its Event could not be stored. The next occurrence creates a new one.
    pub(super) fn lost(&mut self, key: &EventKey) {
        self.series.remove(key);
    }

    /// Returns key and note of an occurrence, or of the combination that it belongs to.
    fn combine(&mut self, occurrence: &Occurrence, now: Instant) -> (EventKey, String) {
        let without_note = key_without_note(occurrence);
        let similar = self.similar.touch(&without_note, now, || Similar {
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
            let mut key = without_note;
            key.push(occurrence.note.clone());
            (key, occurrence.note.clone())
        } else {
            (without_note, format!("{COMBINED}{}", occurrence.note))
        }
    }
}

fn key_without_note(occurrence: &Occurrence) -> EventKey {
    let mut key = object_key(&occurrence.regarding);
    key.extend(
        occurrence
            .related
            .as_ref()
            .map(object_key)
            .into_iter()
            .flatten(),
    );
    key.extend([
        occurrence.type_name().to_owned(),
        occurrence.reason.clone(),
        occurrence.action.clone(),
    ]);
    key
}

pub(super) fn object_key(object: &ObjectReference) -> EventKey {
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
#[path = "correlator_tests.rs"]
mod tests;
