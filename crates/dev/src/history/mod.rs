//! What has happened since the start, in memory and with a bound: the entries of the timeline, and the versions of objects.

mod entry;
mod line;
mod objects;
mod process;

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};
use tokio::sync::watch;

pub(crate) use entry::{Entry, Fact, Topic};
pub(crate) use line::Line;
use line::Mark;
use objects::Objects;
pub(crate) use objects::{Change, Versions};
use process::Replica;
pub(crate) use process::{Operator, Simulation};

/// How many entries are kept.
pub(crate) const ENTRIES: usize = 100_000;

/// How many bytes their texts have.
const TEXT: usize = 64 * 1024 * 1024;

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
    /// The bytes of their texts.
    bytes: usize,
    /// The number of the first entry that is kept.
    first: u64,
    objects: Objects,
    /// Reconciles that have not ended.
    running: BTreeMap<String, Running>,
    replicas: Vec<Replica>,
    /// The replica that holds each Lease.
    leases: BTreeMap<String, usize>,
    simulation: Simulation,
    url: String,
    kubeconfig: String,
}

/// A reconcile that has not ended.
#[derive(Clone, Copy)]
struct Running {
    replica: usize,
    /// The microsecond at which it started, and the number of the next entry then.
    since: u64,
    first: u64,
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
                bytes: 0,
                first: 0,
                objects: Objects::default(),
                running: BTreeMap::new(),
                replicas: Vec::new(),
                leases: BTreeMap::new(),
                simulation: Simulation::Absent,
                url: String::new(),
                kubeconfig: String::new(),
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

    /// Adds a line of the output of a replica. Returns whether it only marks the start or the end of a reconcile.
    pub(crate) fn line(&self, replica: usize, text: &str) -> bool {
        let line = Line::read(text);
        let now = self.now();
        let mut inner = self.lock();
        let object = line
            .object
            .map(|(kind, key)| inner.objects.key(kind, key))
            .unwrap_or_default();
        let is_mark = line.mark.is_some();
        let has_failed = line.mark.as_ref().is_some_and(Mark::is_failure);
        match line.mark {
            Some(Mark::Start) => {
                let first = inner.next();
                let it = Running {
                    replica,
                    since: now,
                    first,
                };
                inner.running.insert(object, it);
            }
            Some(Mark::End {
                outcome,
                microseconds,
                ..
            }) => {
                let running = inner.running.remove(&object);
                let mut entry = Entry::new(Topic::Reconcile, object, outcome).of(replica);
                if has_failed && let Some(running) = running {
                    entry.why = inner.why(running, &entry.object);
                }
                entry.took = Some(microseconds);
                inner.add(now.saturating_sub(microseconds), entry.failed(has_failed));
            }
            None => {
                let mut entry = Entry::new(Topic::Log, object, text).of(replica);
                entry.why = line.message.unwrap_or_default();
                inner.add(now, entry.failed(line.failed));
            }
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
        let (key, changed) = inner.objects.change(change, now, number);
        if let Some((what, by)) = changed {
            let text = match by.as_str() {
                "" => what.to_owned(),
                by => format!("{what} by {by}"),
            };
            let mut entry = Entry::new(Topic::Object, key, text);
            entry.by = by;
            inner.add(now, entry);
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

    pub(crate) fn set_operator(
        &self,
        replica: usize,
        operator: Operator,
        text: &str,
        failed: bool,
    ) {
        let mut inner = self.lock();
        let it = inner.replica(replica);
        let starts = operator == Operator::Running && it.operator != Operator::Paused;
        it.operator = operator;
        let takes_part = it.takes_part();
        if operator != Operator::Paused {
            // What has not ended by then never does.
            inner.running.retain(|_, it| it.replica != replica);
        }
        drop(inner);
        let mut entry = Entry::new(Topic::Process, String::new(), text).of(replica);
        entry.fact = Fact::Process { starts, takes_part };
        self.add(entry.failed(failed));
    }

    pub(crate) fn operator(&self, replica: usize) -> Operator {
        self.lock().replica(replica).operator
    }

    pub(crate) fn set_network(&self, replica: usize, works: bool) {
        let mut inner = self.lock();
        let it = inner.replica(replica);
        it.network = works;
        let takes_part = it.takes_part();
        drop(inner);
        let text = if works {
            "the operator has its network again"
        } else {
            "the network of the operator is away"
        };
        let mut entry = Entry::new(Topic::Process, String::new(), text).of(replica);
        entry.fact = Fact::Process {
            starts: false,
            takes_part,
        };
        self.add(entry.failed(!works));
    }

    /// Remembers that a replica has written a Lease with itself as the holder, or without a holder.
    pub(crate) fn lease(&self, replica: usize, lease: &str, holds: bool) {
        let mut inner = self.lock();
        let before = inner.leases.get(lease).copied();
        let text = match (before == Some(replica), holds) {
            (false, true) => format!("holds the Lease {lease}"),
            (true, false) => format!("has released the Lease {lease}"),
            _ => return,
        };
        if holds {
            inner.leases.insert(lease.to_owned(), replica);
        } else {
            inner.leases.remove(lease);
        }
        drop(inner);
        let mut entry = Entry::new(Topic::Process, String::new(), text).of(replica);
        entry.fact = Fact::Lease {
            name: lease.to_owned(),
            holds,
        };
        self.add(entry);
    }

    /// Returns all entries with the microsecond at which each began, and the number of replicas.
    pub(crate) fn entries(&self) -> (Vec<(u64, Entry)>, usize) {
        let inner = self.lock();
        (
            inner.entries.iter().cloned().collect(),
            inner.replicas.len(),
        )
    }

    pub(crate) fn simulation(&self) -> Simulation {
        self.lock().simulation.clone()
    }

    pub(crate) fn set_simulation(&self, simulation: Simulation) {
        self.lock().simulation = simulation;
        self.wake();
    }

    /// Sets the address of the API server, and where its kubeconfig is.
    pub(crate) fn set_server(&self, url: &str, kubeconfig: &Path) {
        let mut inner = self.lock();
        url.clone_into(&mut inner.url);
        inner.kubeconfig = kubeconfig.display().to_string();
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
                u8::from(entry.failed),
                entry.replica,
                entry.lease(),
                if entry.topic == Topic::Reconcile {
                    &entry.why
                } else {
                    ""
                }
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
                "replicas": inner.replicas.iter().copied().map(Replica::json).collect::<Vec<_>>(),
                "leases": inner.leases,
                "simulation": inner.simulation.json(),
                "url": inner.url,
                "kubeconfig": inner.kubeconfig,
                "running": inner.running.iter().map(|(key, it)| (key, it.since)).collect::<BTreeMap<_, _>>(),
                "limit": ENTRIES,
            }),
        }
    }
}

impl Inner {
    /// Returns why a reconcile of an object has failed: the warning about the object, or the request that failed last.
    fn why(&self, running: Running, object: &str) -> String {
        let start = running.first.saturating_sub(self.first);
        let since = self
            .entries
            .iter()
            .skip(usize::try_from(start).unwrap_or(usize::MAX));
        let mut failed = since
            .rev()
            .map(|(_, it)| it)
            .filter(|it| it.failed && it.replica == running.replica);
        let warning = failed
            .clone()
            .find(|it| it.topic == Topic::Log && it.object == object && !it.why.is_empty());
        match warning {
            Some(it) => it.why.clone(),
            None => failed
                .find(|it| it.topic == Topic::Request)
                .map_or_else(String::new, |it| it.text.clone()),
        }
    }

    /// Returns a replica by its number, from 1 on.
    fn replica(&mut self, number: usize) -> &mut Replica {
        let count = self.replicas.len().max(number.max(1));
        let absent = Replica {
            operator: Operator::Absent,
            network: true,
        };
        self.replicas.resize(count, absent);
        &mut self.replicas[number.max(1) - 1]
    }

    fn next(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    fn add(&mut self, at: u64, entry: Entry) {
        self.bytes += entry.bytes();
        self.entries.push_back((at, entry));
        while self.entries.len() > ENTRIES || self.bytes > TEXT {
            let Some((_, gone)) = self.entries.pop_front() else {
                break;
            };
            self.bytes -= gone.bytes();
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
    fn long_entries_have_a_bound_of_their_own() {
        let history = History::new();
        let (kept, text) = (8, "x".repeat(TEXT / 8));
        for index in 0..2 * kept {
            history.note(&format!("{index:02}{}", &text[2..]), false);
        }
        let (entries, _) = history.entries();
        assert_eq!(entries.len(), kept);
        assert!(entries[0].1.text.starts_with("08x"));
        assert_eq!(history.since(None).next, 16);
    }

    #[test]
    fn a_reconcile_is_one_entry_at_its_start() {
        let history = History::new();
        let line = |text: &str| {
            history.line(1, &format!("2026-11-24T17:18:27Z DEBUG reconcile{{kind=Foo.example.com object=default/a}}: kube_codegen_runtime::controller::worker: {text}"))
        };
        assert!(line("starts phase=\"start\""));
        assert!(
            history.since(None).state["running"]["Foo.example.com/default/a"].is_u64(),
            "{:?}",
            history.since(None).state
        );
        assert!(!line("something else"));
        assert!(line(
            "ends phase=\"end\" outcome=\"failed\" failed=true microseconds=7"
        ));
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
