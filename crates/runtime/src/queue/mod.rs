//! A work queue that deduplicates items and gives each to one worker at a time.
mod limiter;
mod metrics;

use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    fmt,
    hash::Hash,
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use self::metrics::Recorder;
pub use self::{
    limiter::{ExponentialLimiter, MaxOf, RateLimiter, TokenBucket, default_limiter},
    metrics::QueueMetrics,
};
pub use crate::histogram::Histogram;

/// Delay of an item whose time no clock reaches.
const FAR_FUTURE: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// A queue with client-go's semantics. A clone is a handle on the same queue.
///
/// - Items are first in, first out. An item that is already queued is not queued again.
/// - No two workers have the same item: an item added while a worker has it is queued again after [`done`](Self::done).
/// - [`add_after`](Self::add_after) and [`add_rate_limited`](Self::add_rate_limited) queue an item later. The earliest of several times wins.
///
/// Pass every item that [`get`](Self::get) returns to `done`, and to [`forget`](Self::forget) once it needs no more retries.
///
/// ```
/// use kube_codegen_runtime::queue::WorkQueue;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let queue = WorkQueue::new();
/// queue.add("a");
/// queue.add("a");
/// queue.shut_down();
/// while let Some(item) = queue.get().await {
///     println!("{item}"); // "a", once
///     queue.forget(&item);
///     queue.done(&item);
/// }
/// # }
/// ```
pub struct WorkQueue<T> {
    inner: Arc<Inner<T>>,
}

struct Inner<T> {
    state: Mutex<State<T>>,
    limiter: Box<dyn RateLimiter<T>>,
    /// An item may be ready for a worker, or the queue shuts down.
    changed: Notify,
    /// No item is being processed.
    drained: Notify,
}

struct State<T> {
    /// Items waiting for a worker, in order.
    ready: VecDeque<T>,
    /// Items that need processing: `ready`, and items added while being processed.
    dirty: HashSet<T>,
    processing: HashSet<T>,
    delayed: Delayed<T>,
    /// Retries since the last `forget`. Not every limiter counts them.
    retries: HashMap<T, u32>,
    shut_down: bool,
    metrics: Recorder<T>,
}

/// Items to queue later. `order` breaks ties, so that equal times stay first in, first out.
struct Delayed<T> {
    due: BTreeMap<(Instant, u64), T>,
    when: HashMap<T, (Instant, u64)>,
    order: u64,
}

impl<T: Eq + Hash + Clone + Send + 'static> WorkQueue<T> {
    /// Creates a queue with [`default_limiter`].
    pub fn new() -> Self {
        Self::with_limiter(default_limiter())
    }

    /// Creates a queue whose [`add_rate_limited`](Self::add_rate_limited) uses `limiter`.
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
            retries: HashMap::new(),
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

    /// Queues `item`, unless it is already queued or the queue is shut down.
    pub fn add(&self, item: T) {
        if self.inner.state.lock().add(item) {
            self.inner.changed.notify_one();
        }
    }

    /// Queues `item` after `delay`. If it is already scheduled, the earlier time wins.
    pub fn add_after(&self, item: T, delay: Duration) {
        if delay.is_zero() {
            return self.add(item);
        }
        let now = Instant::now();
        let at = now.checked_add(delay).unwrap_or(now + FAR_FUTURE);
        let mut state = self.inner.state.lock();
        state.metrics.retries += u64::from(!state.shut_down);
        // Every waiting worker watches the time of the next item, since any of them may be gone by then.
        if !state.shut_down && state.delayed.insert(item, at) {
            self.inner.changed.notify_waiters();
        }
    }

    /// Queues `item` for a retry, after the limiter's delay.
    pub fn add_rate_limited(&self, item: T) {
        let delay = self.inner.limiter.when(&item);
        let mut state = self.inner.state.lock();
        let retries = state.retries.entry(item.clone()).or_insert(0);
        *retries = retries.saturating_add(1);
        drop(state);
        self.add_after(item, delay);
    }

    /// Resets the retries of `item`: its next retry has the shortest delay.
    pub fn forget(&self, item: &T) {
        self.inner.limiter.forget(item);
        self.inner.state.lock().retries.remove(item);
    }

    /// Returns how often `item` was added by [`add_rate_limited`](Self::add_rate_limited) since the last [`forget`](Self::forget).
    pub fn num_requeues(&self, item: &T) -> u32 {
        let state = self.inner.state.lock();
        state.retries.get(item).copied().unwrap_or(0)
    }

    /// Waits for an item. Returns `None` once the queue is shut down and empty. Any number of workers may await it, and drop it at any time.
    pub async fn get(&self) -> Option<T> {
        loop {
            let changed = self.inner.changed.notified();
            let next = {
                let mut state = self.inner.state.lock();
                state.promote();
                if let Some(item) = state.take() {
                    // The notification may have been for another item, too.
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

    /// Ends the processing of `item`. If it was added meanwhile, it is queued again.
    pub fn done(&self, item: &T) {
        let mut state = self.inner.state.lock();
        if state.done(item) {
            self.inner.changed.notify_one();
        }
        if state.processing.is_empty() {
            self.inner.drained.notify_waiters();
        }
    }

    /// Returns how many items wait for a worker, without scheduled ones.
    pub fn len(&self) -> usize {
        let mut state = self.inner.state.lock();
        state.promote();
        state.ready.len()
    }

    /// Whether no item waits for a worker.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Ignores further items and drops scheduled ones. Workers get the queued items, then `None`.
    pub fn shut_down(&self) {
        let mut state = self.inner.state.lock();
        state.shut_down = true;
        state.delayed.clear();
        self.inner.changed.notify_one();
    }

    /// Like [`shut_down`](Self::shut_down), and waits until all queued items are processed.
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

    /// Whether the queue is shut down.
    pub fn is_shutting_down(&self) -> bool {
        self.inner.state.lock().shut_down
    }

    /// Returns the current metrics.
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
    /// Adds `item`. Returns `true` if it is ready for a worker.
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

    /// Ends the processing of `item`. Returns `true` if it is queued again.
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

    /// Queues the items that are due.
    fn promote(&mut self) {
        let now = Instant::now();
        while let Some(item) = self.delayed.pop_due(now) {
            self.add(item);
        }
    }
}

impl<T: Eq + Hash + Clone> Delayed<T> {
    /// Schedules `item`. Returns `true` if it is now the next one.
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
