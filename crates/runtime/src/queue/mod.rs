//! A work queue that deduplicates items and hands each to one worker at a time.
mod item;
mod limiter;
mod metrics;
mod ready;
mod snapshot;
mod state;

use std::{fmt, hash::Hash, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use self::state::State;
pub use self::{
    limiter::{ExponentialLimiter, MaxOf, RateLimiter, TokenBucket, default_limiter},
    metrics::QueueMetrics,
    snapshot::{ProcessedItem, QueueSnapshot, ScheduledItem, WaitingItem},
};
use crate::deadline;
pub use crate::histogram::Histogram;

/// The priority of work that can wait (controller-runtime's value). Controllers use it for the objects of the first list and for unchanged
/// objects in a resync.
pub const LOW_PRIORITY: i32 = -100;

/// A queue with the semantics of client-go's work queue and controller-runtime's priority queue. Clones refer to the same queue.
///
/// - Items with a higher priority come first; items of one priority are first in, first out. If items of several priorities wait, every
///   16th item that is taken is the oldest of the lower priorities, so that none waits for ever.
/// - An item that is already queued is not queued again. It keeps the higher priority and the earlier time.
/// - No two workers hold the same item: an item added while a worker holds it is queued again after [`done`](Self::done).
/// - [`add_after`](Self::add_after) and [`add_rate_limited`](Self::add_rate_limited) queue an item later, with the priority it had when a
///   worker took it. [`add`](Self::add) queues a delayed item at once.
///
/// # Back-off
///
/// In client-go, an item that fails and also changes often is retried at every change, and each of these failures extends its back-off
/// ([kubernetes#112325](https://github.com/kubernetes/kubernetes/issues/112325)). Here, `add` retries an item in back-off at most once
/// before the back-off ends. If this attempt fails too, it does not count: the item is retried when its back-off would have ended anyway,
/// and later events wait until then. If a change makes earlier failures meaningless, [`forget`](Self::forget) ends the back-off.
///
/// # Use
///
/// Pass every item that [`get`](Self::get) returns to `done`, and to `forget` once it needs no more retries.
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
        Self {
            inner: Arc::new(Inner {
                state: Mutex::new(State::new()),
                limiter,
                changed: Notify::new(),
                drained: Notify::new(),
            }),
        }
    }

    /// Queues `item` with priority 0, unless it is already queued or the queue is shut down. For an item that failed, see
    /// [Back-off](Self#back-off).
    pub fn add(&self, item: T) {
        self.add_with_priority(item, 0);
    }

    /// Like [`add`](Self::add), with a priority. If the item is already queued, the higher priority wins.
    pub fn add_with_priority(&self, item: T, priority: i32) {
        if self.inner.state.lock().add(item, priority) {
            self.inner.changed.notify_one();
        }
    }

    /// Queues `item` after `delay`. If it is already scheduled, the earlier time wins.
    pub fn add_after(&self, item: T, delay: Duration) {
        self.schedule(item, delay, None);
    }

    /// Like [`add_after`](Self::add_after), with a priority. If the item is already scheduled, the higher priority wins.
    pub fn add_after_with_priority(&self, item: T, delay: Duration, priority: i32) {
        self.schedule(item, delay, Some(priority));
    }

    fn schedule(&self, item: T, delay: Duration, priority: Option<i32>) {
        if delay.is_zero() {
            return self.add_with_priority(item, priority.unwrap_or(0));
        }
        let at = deadline::after(Instant::now(), delay);
        // Every waiting worker watches the time of the next item, since any of them may be gone by then.
        if self.inner.state.lock().add_after(item, at, priority) {
            self.inner.changed.notify_waiters();
        }
    }

    /// Queues `item` for a retry after the limiter's delay. If the attempt was caused by an event during a back-off, the item instead
    /// stays in this [back-off](Self#back-off), and the limiter does not count the attempt.
    pub fn add_rate_limited(&self, item: T) {
        self.back_off(item, None);
    }

    /// Like [`add_rate_limited`](Self::add_rate_limited), with a priority.
    pub fn add_rate_limited_with_priority(&self, item: T, priority: i32) {
        self.back_off(item, Some(priority));
    }

    fn back_off(&self, item: T, priority: Option<i32>) {
        if self.inner.state.lock().keeps_back_off(&item) {
            return;
        }
        let at = deadline::after(Instant::now(), self.inner.limiter.when(&item));
        if self.inner.state.lock().back_off(item, at, priority) {
            self.inner.changed.notify_waiters();
        }
    }

    /// Resets the retries of `item`, so that its next retry has the shortest delay. A pending retry is cancelled if a worker holds the
    /// item; otherwise it stays scheduled, as if added by [`add_after`](Self::add_after).
    pub fn forget(&self, item: &T) {
        self.inner.limiter.forget(item);
        if self.inner.state.lock().forget(item) {
            self.inner.changed.notify_one();
        }
    }

    /// Returns how often `item` was added with [`add_rate_limited`](Self::add_rate_limited) since the last [`forget`](Self::forget).
    pub fn num_requeues(&self, item: &T) -> u32 {
        self.inner.state.lock().num_requeues(item)
    }

    /// Waits for an item. Returns `None` once the queue is shut down and empty. Any number of workers may wait, and may drop the future at
    /// any time.
    pub async fn get(&self) -> Option<T> {
        loop {
            let changed = self.inner.changed.notified();
            let next = {
                let mut state = self.inner.state.lock();
                state.promote();
                if let Some(item) = state.take() {
                    // The notification may have been for another item, too.
                    if state.ready() > 0 || state.is_shut_down() {
                        self.inner.changed.notify_one();
                    }
                    return Some(item);
                }
                if state.is_shut_down() {
                    self.inner.changed.notify_one();
                    return None;
                }
                state.next()
            };
            match next {
                Some(next) => {
                    tokio::select! { biased; () = changed => {}, () = sleep_until(next) => {} }
                }
                None => changed.await,
            }
        }
    }

    /// Marks `item` as processed. If it was added in the meantime, it is queued again.
    pub fn done(&self, item: &T) {
        let mut state = self.inner.state.lock();
        if state.done(item) {
            self.inner.changed.notify_one();
        }
        if state.processing() == 0 {
            self.inner.drained.notify_waiters();
        }
    }

    /// Returns how many items wait for a worker, not counting scheduled items.
    pub fn len(&self) -> usize {
        let mut state = self.inner.state.lock();
        state.promote();
        state.ready()
    }

    /// Whether no item waits for a worker.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Ignores further items and drops scheduled ones. Workers still receive the queued items, and then `None`.
    pub fn shut_down(&self) {
        let mut state = self.inner.state.lock();
        state.shut_down();
        self.inner.changed.notify_one();
    }

    /// Like [`shut_down`](Self::shut_down), and waits until all queued items are processed.
    pub async fn shut_down_with_drain(&self) {
        self.shut_down();
        loop {
            let drained = self.inner.drained.notified();
            {
                let state = self.inner.state.lock();
                if state.processing() == 0 && state.ready() == 0 {
                    return;
                }
            }
            drained.await;
        }
    }

    /// Whether the queue is shut down.
    pub fn is_shutting_down(&self) -> bool {
        self.inner.state.lock().is_shut_down()
    }

    /// Returns the current metrics.
    pub fn metrics(&self) -> QueueMetrics {
        let mut state = self.inner.state.lock();
        state.promote();
        state.metrics()
    }

    /// Returns the content of the queue, with at most `limit` items per section. The run time grows with the number of all items, so use
    /// it for debugging only.
    ///
    /// ```
    /// # use kube_codegen_runtime::queue::WorkQueue;
    /// let queue = WorkQueue::new();
    /// queue.add("a");
    /// let content = serde_json::to_value(queue.snapshot(100)).unwrap();
    /// assert_eq!(content["waiting"][0]["item"], "a");
    /// ```
    pub fn snapshot(&self, limit: usize) -> QueueSnapshot<T> {
        let mut state = self.inner.state.lock();
        state.promote();
        state.snapshot(limit)
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

impl<T: Eq + Hash + Clone> fmt::Debug for WorkQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.inner.state.lock();
        f.debug_struct("WorkQueue")
            .field("ready", &state.ready())
            .field("processing", &state.processing())
            .field("scheduled", &state.scheduled())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
