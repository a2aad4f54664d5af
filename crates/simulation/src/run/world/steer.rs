//! Lets the requests, answers and events of a run happen one at a time, in an order that is decided, not left to latencies.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::Value;
use tokio::sync::{Notify, oneshot};

use super::World;
use crate::{
    faults::Fault,
    request::Seen,
    schedule::{Point, PointKind, Verb},
};

/// Something that can happen next.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Move {
    pub(crate) point: Point,
    /// Whether the answer is delivered, and not the request.
    pub(crate) answer: bool,
    /// The object of the user that it concerns: the longest name that the name of its object begins with. `None` if that is unknown.
    pub(crate) family: Option<String>,
    /// Distinguishes the contents.
    pub(crate) content: u64,
}

impl Move {
    /// Whether it makes no difference which of two moves happens first.
    ///
    /// A write may delete objects of other kinds, which the garbage collector collects: reads commute with reads only.
    pub(crate) fn commutes(&self, other: &Self) -> bool {
        let known = self.family.is_some() && other.family.is_some();
        let reads = |it: &Self| it.point.kind() == PointKind::Read;
        (known && self.family != other.family) || (reads(self) && reads(other))
    }
}

/// What happens next: one of the moves, and a fault at it.
pub(crate) type Choice = (usize, Option<Fault>);

/// Decides what happens next.
pub(crate) trait Decide: Send {
    /// Returns the choice; `None` ends the run. `state` returns a hash of the state of the world.
    fn decide(
        &mut self,
        moves: &[Move],
        state: &mut dyn FnMut() -> u64,
        faults: &dyn Fn(&Move) -> Vec<Fault>,
    ) -> Option<Choice>;
}

/// Follows a list of choices, and lets happen what has waited longest after that.
pub(crate) struct Follow {
    pub(crate) order: Vec<usize>,
    pub(crate) at: usize,
}

impl Decide for Follow {
    fn decide(
        &mut self,
        moves: &[Move],
        _: &mut dyn FnMut() -> u64,
        _: &dyn Fn(&Move) -> Vec<Fault>,
    ) -> Option<Choice> {
        let index = self.order.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        Some((index.min(moves.len() - 1), None))
    }
}

struct Waiting {
    next: Move,
    incarnation: u64,
    turn: oneshot::Sender<Option<Fault>>,
}

#[derive(Default)]
struct Inner {
    waiting: Vec<Waiting>,
    /// What the operator has seen of each object, by replica, resource and place; that of a list has no place.
    caches: BTreeMap<(usize, String, String), u64>,
    /// What each replica has received since it last waited for events alone, by family.
    received: BTreeMap<(usize, Option<String>), u64>,
    /// The last hash of the server, with its revision.
    server: (u64, u64),
}

/// Orders the moves of a run.
pub(crate) struct Steering {
    inner: Mutex<Inner>,
    arrived: Notify,
    decide: Arc<Mutex<dyn Decide>>,
    /// Names of the user's objects, the longest first.
    names: Vec<String>,
}

impl Steering {
    pub(crate) fn new(decide: Arc<Mutex<dyn Decide>>, mut names: Vec<String>) -> Self {
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        Self {
            inner: Mutex::default(),
            arrived: Notify::new(),
            decide,
            names,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn family(&self, name: &str) -> Option<String> {
        let mut names = self.names.iter();
        let found = names.find(|owner| {
            name.strip_prefix(owner.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        });
        found.cloned()
    }

    /// Describes the answer to a request.
    pub(crate) fn answer(&self, point: &Point, seen: &Seen, status: u16, body: &[u8]) -> Move {
        let request = self.request(point, seen, body);
        Move {
            answer: true,
            content: mix(request.content, &status),
            ..request
        }
    }

    /// Describes a request.
    pub(crate) fn request(&self, point: &Point, seen: &Seen, body: &[u8]) -> Move {
        Move {
            point: point.clone(),
            answer: false,
            family: self.family(&seen.name),
            content: hash(&serde_json::from_slice::<Value>(body).unwrap_or_default()),
        }
    }

    /// Describes a watch event.
    pub(crate) fn event(&self, point: &Point, name: &str, object: &[u8]) -> Move {
        Move {
            point: point.clone(),
            answer: false,
            family: self.family(name),
            content: hash(&serde_json::from_slice::<Value>(object).unwrap_or_default()),
        }
    }

    /// Describes the report of a status by the cluster, which counts as one more replica.
    pub(crate) fn report(&self, replica: usize, id: &str, status: &Value) -> Move {
        let name = id.rsplit(['/', ' ']).next().unwrap_or_default();
        Move {
            point: Point {
                replica,
                verb: Verb::Report,
                resource: String::new(),
                subresource: String::new(),
                place: id.to_owned(),
                occurrence: 1,
            },
            answer: false,
            family: self.family(name),
            content: hash(status),
        }
    }

    /// Remembers the answer of a list, from which a cache begins.
    pub(crate) fn lists(&self, replica: usize, resource: &str, answer: &[u8]) {
        let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
        let mut inner = self.lock();
        inner
            .caches
            .retain(|(of, kind, _), _| *of != replica || kind != resource);
        let list = (replica, resource.to_owned(), String::new());
        inner.caches.insert(list, hash(&answer));
    }

    /// Waits for the turn of a move, and returns the fault at it.
    pub(crate) async fn turn(&self, next: Move, incarnation: u64) -> Option<Fault> {
        let (turn, mut chosen) = oneshot::channel();
        self.lock().waiting.push(Waiting {
            next,
            incarnation,
            turn,
        });
        self.arrived.notify_one();
        // Closes when the run ends.
        (&mut chosen).await.ok().flatten()
    }

    /// Remembers what a process receives: it decides what the process does next.
    pub(crate) fn receives(&self, what: &Move) {
        let mut inner = self.lock();
        let replica = what.point.replica;
        let received = inner.received.entry((replica, what.family.clone()));
        let received = received.or_default();
        *received = mix(*received, &(what.point.target(), what.answer, what.content));
        if what.point.kind() == PointKind::Event {
            let Point {
                resource, place, ..
            } = &what.point;
            let key = (replica, resource.clone(), place.clone());
            inner.caches.insert(key, what.content);
        }
    }

    /// Forgets what a process knew.
    pub(crate) fn restarts(&self, replica: usize) {
        let mut inner = self.lock();
        inner.caches.retain(|(of, ..), _| *of != replica);
        inner.received.retain(|(of, _), _| *of != replica);
    }

    /// Lets one move after the other happen, each when nothing else can.
    pub(crate) async fn conduct(&self, world: &World) {
        loop {
            while self.lock().waiting.is_empty() {
                self.arrived.notified().await;
            }
            // The paused clock advances when everything waits.
            tokio::time::sleep(Duration::from_millis(1)).await;
            let mut waiting = std::mem::take(&mut self.lock().waiting);
            // Closed by the end of a process.
            waiting.retain(|it| {
                !it.turn.is_closed()
                    && (it.incarnation == u64::MAX
                        || world
                            .replicas
                            .is_running(it.next.point.replica, it.incarnation))
            });
            if waiting.is_empty() {
                continue;
            }
            let moves: Vec<Move> = waiting.iter().map(|it| it.next.clone()).collect();
            let choice = {
                let mut decide = self.decide.lock().unwrap_or_else(PoisonError::into_inner);
                let faults = |it: &Move| world.faults_at(it);
                decide.decide(&moves, &mut || self.state(world, &moves), &faults)
            };
            let Some((index, fault)) = choice else {
                world.stop();
                return;
            };
            let chosen = waiting.remove(index);
            self.lock().waiting.splice(0..0, waiting);
            // The process may have just ended.
            let _ = chosen.turn.send(fault);
        }
    }

    /// Returns a hash of the server, of the caches of the operator, and of what has been sent but not received.
    fn state(&self, world: &World, moves: &[Move]) -> u64 {
        let mut inner = self.lock();
        // Between two reconciles, an operator knows its caches only.
        for replica in 0..world.setup.replicas {
            let busy = moves
                .iter()
                .any(|it| it.point.replica == replica && it.point.kind() != PointKind::Event);
            if !busy {
                inner.received.retain(|(of, _), _| *of != replica);
            }
        }
        let revision = world.server.revision();
        if inner.server.0 != revision {
            inner.server = (revision, world.server_hash());
        }
        let mut hasher = DefaultHasher::new();
        (inner.server, &inner.caches, &inner.received).hash(&mut hasher);
        let mut waiting: Vec<_> = moves
            .iter()
            .map(|it| (it.point.target(), it.point.replica, it.answer, it.content))
            .collect();
        waiting.sort();
        waiting.hash(&mut hasher);
        world.progress().hash(&mut hasher);
        hasher.finish()
    }
}

fn mix(hash: u64, value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash.hash(&mut hasher);
    value.hash(&mut hasher);
    hasher.finish()
}

/// Hashes an object without its resource version, uid and times, which depend on the order of other requests.
pub(crate) fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash_into(value, &mut hasher);
    hasher.finish()
}

fn hash_into(value: &Value, hasher: &mut DefaultHasher) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let differs = matches!(
                    name.as_str(),
                    "resourceVersion"
                        | "managedFields"
                        | "uid"
                        | "clusterIP"
                        | "clusterIPs"
                        | "nodePort"
                        | "healthCheckNodePort"
                ) || name.ends_with("Timestamp")
                    || name.ends_with("Time");
                if !differs {
                    name.hash(hasher);
                    hash_into(field, hasher);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| hash_into(item, hasher)),
        Value::String(text) => text.hash(hasher),
        other => other.to_string().hash(hasher),
    }
    0xff_u8.hash(hasher);
}
