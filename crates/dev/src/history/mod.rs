//! What has happened since the start, in memory and with a bound: the entries of the timeline, and the versions of objects.

mod line;
mod objects;

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};
use tokio::sync::watch;

pub(crate) use line::Line;
use line::Mark;
use objects::Objects;
pub(crate) use objects::{Change, Versions};

/// How many entries are kept.
pub(crate) const ENTRIES: usize = 100_000;

/// What an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// What this command and its user do.
    Dev,
    /// An Event.
    Event,
    /// A line of the operator's output.
    Log,
    /// A change of an object.
    Object,
    /// The operator starts, ends, or is paused.
    Process,
    /// A reconcile, from its start to its end.
    Reconcile,
    /// A request of the operator.
    Request,
    /// An event of a watch that the operator gets.
    Watch,
}

impl Topic {
    const fn name(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Event => "event",
            Self::Log => "log",
            Self::Object => "object",
            Self::Process => "process",
            Self::Reconcile => "reconcile",
            Self::Request => "request",
            Self::Watch => "watch",
        }
    }
}

/// An entry of the timeline.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) topic: Topic,
    /// The key of the object that it is about; empty if there is none.
    pub(crate) object: String,
    pub(crate) text: String,
    /// Microseconds that it took; it is entered at its end.
    pub(crate) took: Option<u64>,
    pub(crate) failed: bool,
}

impl Entry {
    pub(crate) fn new(topic: Topic, object: String, text: impl Into<String>) -> Self {
        Self {
            topic,
            object,
            text: text.into(),
            took: None,
            failed: false,
        }
    }

    pub(crate) fn failed(mut self, failed: bool) -> Self {
        self.failed = failed;
        self
    }
}

/// Whether the operator works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Absent,
    Running,
    Paused,
    Ended,
}

/// The record of a run; clones are handles to the same record.
#[derive(Clone)]
pub(crate) struct History(Arc<Shared>);

struct Shared {
    start: Instant,
    inner: Mutex<Inner>,
    changed: watch::Sender<u64>,
}

struct Inner {
    /// Entries with the microsecond at which each began.
    entries: VecDeque<(u64, Entry)>,
    /// The number of the first entry that is kept.
    first: u64,
    objects: Objects,
    /// Reconciles that have not ended, and when they started.
    running: BTreeMap<String, u64>,
    operator: Operator,
    network: bool,
    url: String,
}

/// What a page does not know yet.
pub(crate) struct News {
    /// The number of the next entry.
    pub(crate) next: u64,
    pub(crate) entries: Vec<Value>,
    pub(crate) objects: Vec<Value>,
    pub(crate) state: Value,
}

impl History {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Shared {
            start: Instant::now(),
            inner: Mutex::new(Inner {
                entries: VecDeque::new(),
                first: 0,
                objects: Objects::default(),
                running: BTreeMap::new(),
                operator: Operator::Absent,
                network: true,
                url: String::new(),
            }),
            changed: watch::Sender::new(0),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) {
        self.0.changed.send_modify(|changes| *changes += 1);
    }

    /// Returns what changes with each change.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.0.changed.subscribe()
    }

    /// Microseconds since the start.
    pub(crate) fn now(&self) -> u64 {
        u64::try_from(self.0.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    pub(crate) fn add(&self, entry: Entry) {
        let at = self.now().saturating_sub(entry.took.unwrap_or(0));
        self.lock().add(at, entry);
        self.wake();
    }

    /// Adds what this command does.
    pub(crate) fn note(&self, text: &str, failed: bool) {
        let entry = Entry::new(Topic::Dev, String::new(), text);
        self.add(entry.failed(failed));
    }

    /// Adds a line of the operator's output. Returns whether it only marks the start or the end of a reconcile.
    pub(crate) fn line(&self, text: &str) -> bool {
        let line = Line::read(text);
        let now = self.now();
        let mut inner = self.lock();
        let object = line
            .object
            .map(|(kind, key)| inner.objects.key(kind, key))
            .unwrap_or_default();
        let is_mark = line.mark.is_some();
        match line.mark {
            Some(Mark::Start) => {
                inner.running.insert(object, now);
            }
            Some(Mark::End(outcome, took)) => {
                inner.running.remove(&object);
                let failed = outcome != "succeeded";
                let entry = Entry {
                    topic: Topic::Reconcile,
                    object,
                    text: outcome.to_owned(),
                    took: Some(took),
                    failed,
                };
                inner.add(now.saturating_sub(took), entry);
            }
            None => inner.add(
                now,
                Entry::new(Topic::Log, object, text).failed(line.failed),
            ),
        }
        drop(inner);
        self.wake();
        is_mark
    }

    /// Adds a change of an object.
    pub(crate) fn object(&self, change: Change) {
        let now = self.now();
        let mut inner = self.lock();
        let number = inner.next();
        let (key, text) = inner.objects.change(change, now, number);
        if let Some(text) = text {
            inner.add(now, Entry::new(Topic::Object, key, text));
        }
        drop(inner);
        self.wake();
    }

    /// Returns the key of an object by the name of its kind (`Pod` or `Deployment.apps`) and by `NAMESPACE/NAME`.
    pub(crate) fn key(&self, kind: &str, name: &str) -> String {
        self.lock().objects.key(kind, name)
    }

    /// Returns an object and the last versions of it.
    pub(crate) fn versions(&self, key: &str) -> Option<Versions> {
        self.lock().objects.versions(key)
    }

    /// Returns the newest versions of all objects that exist.
    pub(crate) fn state(&self) -> Vec<Value> {
        self.lock().objects.all()
    }

    pub(crate) fn set_operator(&self, operator: Operator, text: &str, failed: bool) {
        let mut inner = self.lock();
        inner.operator = operator;
        if operator != Operator::Paused {
            // What has not ended by then never does.
            inner.running.clear();
        }
        drop(inner);
        let entry = Entry::new(Topic::Process, String::new(), text);
        self.add(entry.failed(failed));
    }

    pub(crate) fn operator(&self) -> Operator {
        self.lock().operator
    }

    pub(crate) fn set_network(&self, works: bool) {
        self.lock().network = works;
        let text = if works {
            "the operator has its network again"
        } else {
            "the network of the operator is away"
        };
        let entry = Entry::new(Topic::Process, String::new(), text);
        self.add(entry.failed(!works));
    }

    pub(crate) fn set_url(&self, url: &str) {
        url.clone_into(&mut self.lock().url);
    }

    /// Returns what has happened since the entry with this number, or all.
    pub(crate) fn since(&self, known: Option<u64>) -> News {
        let now = self.now();
        let inner = self.lock();
        let start = known.unwrap_or(0).max(inner.first);
        let skipped = usize::try_from(start - inner.first).unwrap_or(usize::MAX);
        let is_whole = known.is_none_or(|known| known < inner.first);
        let new = inner.entries.iter().skip(skipped);
        let numbered = new.clone().zip(start..);
        let entries = numbered.map(|((at, entry), number)| {
            json!([
                number,
                at,
                entry.topic.name(),
                entry.object,
                entry.text,
                entry.took,
                u8::from(entry.failed)
            ])
        });
        let changed: HashSet<&str> = new
            .filter(|(_, entry)| entry.topic == Topic::Object)
            .map(|(_, entry)| entry.object.as_str())
            .collect();
        let objects = inner
            .objects
            .rows(|key, number| is_whole || number >= start || changed.contains(key));
        let time = SystemTime::now().duration_since(UNIX_EPOCH);
        News {
            next: inner.next(),
            entries: entries.collect(),
            objects,
            state: json!({
                "now": now,
                "time": u64::try_from(time.unwrap_or_default().as_millis()).unwrap_or_default(),
                "operator": match inner.operator {
                    Operator::Absent => "absent",
                    Operator::Running => "running",
                    Operator::Paused => "paused",
                    Operator::Ended => "ended",
                },
                "network": inner.network,
                "url": inner.url,
                "running": inner.running,
                "limit": ENTRIES,
            }),
        }
    }
}

impl Inner {
    fn next(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    fn add(&mut self, at: u64, entry: Entry) {
        self.entries.push_back((at, entry));
        while self.entries.len() > ENTRIES {
            self.entries.pop_front();
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_entries_are_kept() {
        let history = History::new();
        for index in 0..ENTRIES + 5 {
            history.note(&format!("note {index}"), false);
        }
        let news = history.since(None);
        assert_eq!(
            (news.entries.len(), news.next),
            (ENTRIES, ENTRIES as u64 + 5)
        );
        assert_eq!(news.entries[0][4], "note 5");
        // A page that has fallen back gets what is left.
        assert_eq!(history.since(Some(2)).entries.len(), ENTRIES);
        let rest = history.since(Some(ENTRIES as u64 + 3)).entries;
        assert_eq!(rest.len(), 2);
        assert_eq!(rest[1][4], format!("note {}", ENTRIES + 4));
    }

    #[test]
    fn a_reconcile_is_one_entry_at_its_start() {
        let history = History::new();
        let line = |text: &str| {
            history.line(&format!("2026-11-24T17:18:27Z DEBUG reconcile{{kind=Foo.example.com object=default/a}}: kube_codegen_runtime::controller::worker: {text}"))
        };
        assert!(line("starts"));
        assert!(
            history.since(None).state["running"]["Foo.example.com/default/a"].is_u64(),
            "{:?}",
            history.since(None).state
        );
        assert!(!line("something else"));
        assert!(line("failed after 7 µs"));
        let news = history.since(None);
        assert_eq!(news.state["running"], json!({}));
        assert_eq!(news.entries.len(), 2);
        let of = |index: usize| (&news.entries[index][2], &news.entries[index][3]);
        let object = json!("Foo.example.com/default/a");
        assert_eq!(of(0), (&json!("log"), &object));
        assert_eq!(of(1), (&json!("reconcile"), &object));
        assert_eq!(
            (
                &news.entries[1][4],
                &news.entries[1][5],
                &news.entries[1][6]
            ),
            (&json!("failed"), &json!(7), &json!(1))
        );
    }
}
