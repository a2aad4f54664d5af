//! A work queue: items come in as often as they like, each goes out to one worker at a time. Never holds an item twice, never runs a task of its own.
mod limiter;
mod metrics;

pub use limiter::{ExponentialLimiter, MaxOf, RateLimiter, TokenBucket, default_limiter};
pub use metrics::{Histogram, QueueMetrics};

use metrics::Recorder;
use parking_lot::Mutex;
use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    fmt,
    hash::Hash,
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

/// A queue with client-go's semantics. A clone is a handle on the same queue.
///
/// - first in, first out; an item that waits already is not queued again;
/// - an item is never with two workers at once: added while it is worked on, it comes up once more after [`done`](Self::done);
/// - [`add_after`](Self::add_after) and [`add_rate_limited`](Self::add_rate_limited) bring an item in later, the earliest of several times wins.
///
/// Every item that [`get`](Self::get) gives must be handed to `done`, and to [`forget`](Self::forget) once it needs no more retries.
pub struct WorkQueue<T> {
    inner: Arc<Inner<T>>,
}

struct Inner<T> {
    state: Mutex<State<T>>,
    limiter: Box<dyn RateLimiter<T>>,
    /// Something came up for a worker, or the queue shuts down.
    changed: Notify,
    /// The queue is drained.
    drained: Notify,
}

struct State<T> {
    /// What waits for a worker, in order.
    ready: VecDeque<T>,
    /// What needs work: all of `ready`, and what was added while it was worked on.
    dirty: HashSet<T>,
    processing: HashSet<T>,
    delayed: Delayed<T>,
    shut_down: bool,
    metrics: Recorder<T>,
}

/// Items that come in later. `order` breaks ties so that equal times stay first in, first out.
struct Delayed<T> {
    due: BTreeMap<(Instant, u64), T>,
    when: HashMap<T, (Instant, u64)>,
    order: u64,
}

impl<T: Eq + Hash + Clone + Send + 'static> WorkQueue<T> {
    /// A queue with client-go's default limiter: per item 5 ms doubling to 1,000 s, over all 10 per second after a burst of 100.
    pub fn new() -> Self {
        Self::with_limiter(default_limiter())
    }

    /// A queue whose [`add_rate_limited`](Self::add_rate_limited) asks `limiter`.
    pub fn with_limiter(limiter: impl RateLimiter<T>) -> Self {
        Self::with_boxed_limiter(Box::new(limiter))
    }

    /// Like [`with_limiter`](Self::with_limiter), for a limiter chosen at run time.
    pub fn with_boxed_limiter(limiter: Box<dyn RateLimiter<T>>) -> Self {
        let state = State {
            ready: VecDeque::new(),
            dirty: HashSet::new(),
            processing: HashSet::new(),
            delayed: Delayed {
                due: BTreeMap::new(),
                when: HashMap::new(),
                order: 0,
            },
            shut_down: false,
            metrics: Recorder::default(),
        };
        Self {
            inner: Arc::new(Inner {
                state: Mutex::new(state),
                limiter,
                changed: Notify::new(),
                drained: Notify::new(),
            }),
        }
    }

    /// Queues `item`, unless it waits already or the queue is shut down.
    pub fn add(&self, item: T) {
        if self.inner.state.lock().add(item) {
            self.inner.changed.notify_one();
        }
    }

    /// Queues `item` after `delay`. If it is to come in at another time already, the earlier one counts.
    pub fn add_after(&self, item: T, delay: Duration) {
        if delay.is_zero() {
            return self.add(item);
        }
        let mut state = self.inner.state.lock();
        if !state.shut_down && state.delayed.insert(item, Instant::now() + delay) {
            self.inner.changed.notify_one();
        }
    }

    /// Queues `item` when the limiter allows it: for retries.
    pub fn add_rate_limited(&self, item: T) {
        self.inner.state.lock().metrics.retries += 1;
        let delay = self.inner.limiter.when(&item);
        self.add_after(item, delay);
    }

    /// Ends the retries of `item`: its next one starts from the shortest delay again.
    pub fn forget(&self, item: &T) {
        self.inner.limiter.forget(item);
    }

    /// How often `item` came in by [`add_rate_limited`](Self::add_rate_limited) since it was last forgotten.
    pub fn num_requeues(&self, item: &T) -> u32 {
        self.inner.limiter.num_requeues(item)
    }

    /// Waits for an item; `None` once the queue is shut down and holds no more. May be awaited by any number of workers, and dropped at any time.
    pub async fn get(&self) -> Option<T> {
        loop {
            let changed = self.inner.changed.notified();
            let next = {
                let mut state = self.inner.state.lock();
                state.promote();
                if let Some(item) = state.take() {
                    // Another item may wait for a worker that this one's notification has woken.
                    if !state.ready.is_empty() || state.shut_down {
                        self.inner.changed.notify_one();
                    }
                    return Some(item);
                }
                if state.shut_down {
                    self.inner.changed.notify_one();
                    return None;
                }
                state.delayed.next()
            };
            match next {
                Some(next) => tokio::select! { () = changed => {}, () = sleep_until(next) => {} },
                None => changed.await,
            }
        }
    }

    /// Ends the work on `item`. If it was added meanwhile, it is queued again.
    pub fn done(&self, item: &T) {
        let mut state = self.inner.state.lock();
        if state.done(item) {
            self.inner.changed.notify_one();
        }
        if state.processing.is_empty() {
            self.inner.drained.notify_waiters();
        }
    }

    /// How many items wait for a worker; those that come in later are not counted.
    pub fn len(&self) -> usize {
        let mut state = self.inner.state.lock();
        state.promote();
        state.ready.len()
    }

    /// Whether no item waits for a worker.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes in no more items and drops those that are delayed; workers get what is queued, then `None`.
    pub fn shut_down(&self) {
        let mut state = self.inner.state.lock();
        state.shut_down = true;
        state.delayed.clear();
        self.inner.changed.notify_one();
    }

    /// Like [`shut_down`](Self::shut_down), then waits until all that was queued and worked on is done.
    pub async fn shut_down_with_drain(&self) {
        self.shut_down();
        loop {
            let drained = self.inner.drained.notified();
            {
                let state = self.inner.state.lock();
                if state.processing.is_empty() && state.ready.is_empty() {
                    return;
                }
            }
            drained.await;
        }
    }

    /// Whether the queue has been shut down.
    pub fn is_shutting_down(&self) -> bool {
        self.inner.state.lock().shut_down
    }

    /// Numbers for monitoring, as of now.
    pub fn metrics(&self) -> QueueMetrics {
        let mut state = self.inner.state.lock();
        state.promote();
        let depth = state.ready.len();
        state.metrics.snapshot(depth)
    }
}

impl<T> Clone for WorkQueue<T> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
        }
    }
}

impl<T: Eq + Hash + Clone + Send + 'static> Default for WorkQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for WorkQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.inner.state.lock();
        f.debug_struct("WorkQueue")
            .field("ready", &state.ready.len())
            .field("processing", &state.processing.len())
            .field("delayed", &state.delayed.when.len())
            .finish_non_exhaustive()
    }
}

impl<T: Eq + Hash + Clone> State<T> {
    /// Takes `item` in; `true` if a worker can have it now.
    fn add(&mut self, item: T) -> bool {
        if self.shut_down || !self.dirty.insert(item.clone()) {
            return false;
        }
        self.metrics.added(&item);
        if self.processing.contains(&item) {
            return false;
        }
        self.ready.push_back(item);
        true
    }

    fn take(&mut self) -> Option<T> {
        let item = self.ready.pop_front()?;
        self.dirty.remove(&item);
        self.processing.insert(item.clone());
        self.metrics.started(&item);
        Some(item)
    }

    /// `true` if the item waits again.
    fn done(&mut self, item: &T) -> bool {
        if !self.processing.remove(item) {
            return false;
        }
        self.metrics.finished(item);
        let again = self.dirty.contains(item);
        if again {
            self.ready.push_back(item.clone());
        }
        again
    }

    /// Queues what is due.
    fn promote(&mut self) {
        let now = Instant::now();
        while let Some(item) = self.delayed.pop_due(now) {
            self.add(item);
        }
    }
}

impl<T: Eq + Hash + Clone> Delayed<T> {
    /// Plans `item`; `true` if that changed when the next one is due.
    fn insert(&mut self, item: T, at: Instant) -> bool {
        if let Some(known) = self.when.get(&item).copied() {
            if known.0 <= at {
                return false;
            }
            self.due.remove(&known);
        }
        let slot = (at, self.order);
        self.order += 1;
        self.when.insert(item.clone(), slot);
        self.due.insert(slot, item);
        self.due
            .first_key_value()
            .is_some_and(|(first, _)| *first == slot)
    }

    fn pop_due(&mut self, now: Instant) -> Option<T> {
        let entry = self
            .due
            .first_entry()
            .filter(|entry| entry.key().0 <= now)?;
        let item = entry.remove();
        self.when.remove(&item);
        Some(item)
    }

    fn next(&self) -> Option<Instant> {
        self.due.first_key_value().map(|((at, _), _)| *at)
    }

    fn clear(&mut self) {
        self.due.clear();
        self.when.clear();
    }
}

#[cfg(test)]
mod tests;
