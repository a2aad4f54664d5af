//! The items of a work queue: which wait, which are being processed, and which are scheduled.
//!
//! Each key has at most one entry, which can be in several states at once: queued, being processed, and scheduled for later. A key that is added
//! while it is processed is queued, and becomes ready when the worker is done; so no key is processed twice at the same time, and no event is lost.
//! An event takes back a later `add_after`, which it makes superfluous; it shortens a back-off once, and waits for the back-off after that, so that
//! frequent events do not make a failing key busy.
use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
    time::Duration,
};

use tokio::time::Instant;

use super::{
    item::{Backoff, Item, Queued, Slot, Timer, schedule},
    metrics::{QueueMetrics, Recorder},
    ready::Ready,
    snapshot::{ProcessedItem, QueueSnapshot, ScheduledItem, WaitingItem},
};

pub(super) struct State<T> {
    items: HashMap<T, Item>,
    ready: Ready<T>,
    timers: BTreeMap<Slot, T>,
    /// When each item that is being processed was taken.
    processing: BTreeMap<u64, Instant>,
    /// The next number of an item in one of the maps.
    order: u64,
    shut_down: bool,
    metrics: Recorder,
}

impl<T: Eq + Hash + Clone> State<T> {
    pub(super) fn new() -> Self {
        Self {
            items: HashMap::new(),
            ready: Ready::default(),
            timers: BTreeMap::new(),
            processing: BTreeMap::new(),
            order: 0,
            shut_down: false,
            metrics: Recorder::default(),
        }
    }

    /// Adds `key` for an event. Returns whether it is now ready for a worker.
    pub(super) fn add(&mut self, key: T, priority: i32) -> bool {
        if self.shut_down {
            return false;
        }
        if let Some(item) = self.items.get_mut(&key)
            && let Item {
                queued: None,
                processing: None,
                backoff: Some(backoff),
                ..
            } = item
        {
            if backoff.attempted {
                backoff.has_event = true;
                backoff.timer.priority = backoff.timer.priority.max(priority);
                return false;
            }
            backoff.attempted = true;
        }
        self.enqueue(key, priority)
    }

    /// Queues `key` and takes back its `add_after`. Returns whether it is now ready for a worker.
    fn enqueue(&mut self, key: T, mut priority: i32) -> bool {
        if !self.items.contains_key(&key) {
            self.items.insert(key.clone(), Item::default());
        }
        let Some(item) = self.items.get_mut(&key) else {
            return false;
        };
        if let Some(timer) = item.later.take() {
            self.timers.remove(&timer.slot);
            priority = priority.max(timer.priority);
        }
        let is_processed = item.processing.is_some();
        match &mut item.queued {
            Some(queued) if queued.priority >= priority => return false,
            Some(queued) => {
                if !is_processed {
                    self.ready.remove(queued.priority, queued.order);
                }
                queued.priority = priority;
                queued.order = self.order;
            }
            None => {
                self.metrics.adds += 1;
                item.queued = Some(Queued {
                    priority,
                    order: self.order,
                    since: Instant::now(),
                });
            }
        }
        if is_processed {
            return false;
        }
        self.ready.push(priority, self.order, key);
        self.order += 1;
        true
    }

    /// Schedules `key`. Returns whether it is now the first scheduled item.
    pub(super) fn add_after(&mut self, key: T, at: Instant, priority: Option<i32>) -> bool {
        if self.shut_down {
            return false;
        }
        self.metrics.retries += 1;
        let slot = (at, self.order);
        self.order += 1;
        let item = self.items.entry(key.clone()).or_default();
        let priority = priority.unwrap_or_else(|| item.kept_priority());
        let timer = Timer { slot, priority };
        schedule(&mut self.timers, &mut item.later, timer, key);
        self.is_first(slot)
    }

    /// Whether a failure of `key` starts no back-off of its own, because an event caused the attempt during one.
    pub(super) fn keeps_back_off(&self, key: &T) -> bool {
        self.items
            .get(key)
            .and_then(|item| item.backoff.as_ref())
            .is_some_and(|backoff| backoff.attempted)
    }

    /// Schedules the retry of `key`. Returns whether it is now the first scheduled item.
    pub(super) fn back_off(&mut self, key: T, at: Instant, priority: Option<i32>) -> bool {
        let slot = (at, self.order);
        self.order += 1;
        let item = self.items.entry(key.clone()).or_default();
        item.retries = item.retries.saturating_add(1);
        if self.shut_down {
            return false;
        }
        self.metrics.retries += 1;
        let priority = priority.unwrap_or_else(|| item.kept_priority());
        let before = item.backoff.take();
        let (attempted, has_event) = before
            .as_ref()
            .map_or((false, false), |b| (b.attempted, b.has_event));
        let mut timer = before.map(|backoff| backoff.timer);
        schedule(&mut self.timers, &mut timer, Timer { slot, priority }, key);
        item.backoff = timer.map(|timer| Backoff {
            timer,
            attempted,
            has_event,
        });
        self.is_first(slot)
    }

    fn is_first(&self, slot: Slot) -> bool {
        self.timers
            .first_key_value()
            .is_some_and(|(first, _)| *first == slot)
    }

    /// Resets the retries of `key`. A worker that has the item takes its back-off back with that; otherwise the back-off becomes a delay like
    /// any other. Returns whether the item is now ready for a worker.
    pub(super) fn forget(&mut self, key: &T) -> bool {
        let Some(item) = self.items.get_mut(key) else {
            return false;
        };
        item.retries = 0;
        let Some(backoff) = item.backoff.take() else {
            self.drop_if_idle(key);
            return false;
        };
        let Backoff {
            timer, has_event, ..
        } = backoff;
        self.timers.remove(&timer.slot);
        if has_event {
            return self.enqueue(key.clone(), timer.priority);
        }
        if item.processing.is_none() {
            schedule(&mut self.timers, &mut item.later, timer, key.clone());
        }
        false
    }

    pub(super) fn num_requeues(&self, key: &T) -> u32 {
        self.items.get(key).map_or(0, |item| item.retries)
    }

    pub(super) fn take(&mut self) -> Option<T> {
        let (priority, key) = self.ready.pop()?;
        let now = Instant::now();
        if let Some(item) = self.items.get_mut(&key) {
            if let Some(queued) = item.queued.take() {
                self.metrics.queue.observe_duration(now - queued.since);
            }
            item.processing = Some((self.order, priority));
        }
        self.processing.insert(self.order, now);
        self.order += 1;
        Some(key)
    }

    /// Ends the processing of `key`. Returns whether it is ready for a worker again.
    pub(super) fn done(&mut self, key: &T) -> bool {
        let Some(item) = self.items.get_mut(key) else {
            return false;
        };
        let Some((order, _)) = item.processing.take() else {
            return false;
        };
        if let Some(since) = self.processing.remove(&order) {
            self.metrics.work.observe_duration(since.elapsed());
        }
        let Some(queued) = &mut item.queued else {
            self.drop_if_idle(key);
            return false;
        };
        if let Some(backoff) = &mut item.backoff {
            if backoff.attempted {
                backoff.has_event = true;
                backoff.timer.priority = backoff.timer.priority.max(queued.priority);
                item.queued = None;
                return false;
            }
            backoff.attempted = true;
        }
        queued.order = self.order;
        self.ready.push(queued.priority, self.order, key.clone());
        self.order += 1;
        true
    }

    fn drop_if_idle(&mut self, key: &T) {
        if self.items.get(key).is_some_and(Item::is_idle) {
            self.items.remove(key);
        }
    }

    /// Queues the items that are due.
    pub(super) fn promote(&mut self) {
        let Some((first, _)) = self.timers.first_key_value() else {
            return;
        };
        let now = Instant::now();
        let mut next = first.0;
        while next <= now {
            let Some((slot, key)) = self.timers.pop_first() else {
                return;
            };
            if let Some(item) = self.items.get_mut(&key) {
                match item.later.take_if(|timer| timer.slot == slot) {
                    Some(timer) => drop(self.add(key, timer.priority)),
                    None => {
                        if let Some(backoff) = item.backoff.take() {
                            self.enqueue(key, backoff.timer.priority);
                        }
                    }
                }
            }
            match self.next() {
                Some(at) => next = at,
                None => return,
            }
        }
    }

    /// Returns when the next scheduled item is due.
    pub(super) fn next(&self) -> Option<Instant> {
        self.timers.first_key_value().map(|((at, _), _)| *at)
    }

    pub(super) fn shut_down(&mut self) {
        self.shut_down = true;
        for key in std::mem::take(&mut self.timers).into_values() {
            if let Some(item) = self.items.get_mut(&key) {
                item.later = None;
                item.backoff = None;
            }
            self.drop_if_idle(&key);
        }
    }

    pub(super) fn is_shut_down(&self) -> bool {
        self.shut_down
    }

    /// Returns how many items wait for a worker.
    pub(super) fn ready(&self) -> usize {
        self.ready.len()
    }

    pub(super) fn processing(&self) -> usize {
        self.processing.len()
    }

    pub(super) fn scheduled(&self) -> usize {
        self.timers.len()
    }

    /// Returns how many items have any state.
    #[cfg(test)]
    pub(super) fn known(&self) -> usize {
        self.items.len()
    }

    pub(super) fn metrics(&self) -> QueueMetrics {
        let since = |key: &T| Some(self.items.get(key)?.queued.as_ref()?.since);
        let oldest = self.ready.fronts().filter_map(since).min();
        self.metrics.snapshot(
            self.ready.depths(),
            oldest.map_or(Duration::ZERO, |since| since.elapsed()),
            self.processing.values(),
        )
    }

    pub(super) fn snapshot(&self, limit: usize) -> QueueSnapshot<T> {
        let now = Instant::now();
        let waiting = self.ready.iter().take(limit).filter_map(|(priority, key)| {
            let queued = self.items.get(key)?.queued.as_ref()?;
            Some(WaitingItem {
                item: key.clone(),
                priority,
                waits_for: now - queued.since,
            })
        });
        let running = self.items.iter().filter_map(|(key, item)| {
            let (order, priority) = item.processing?;
            Some(ProcessedItem {
                item: key.clone(),
                priority,
                runs_for: now - *self.processing.get(&order)?,
            })
        });
        let scheduled = self.timers.iter().take(limit).filter_map(|(slot, key)| {
            let item = self.items.get(key)?;
            Some(ScheduledItem {
                item: key.clone(),
                due_in: slot.0.saturating_duration_since(now),
                retries: item.retries,
                is_retry: item.backoff.as_ref().is_some_and(|b| b.timer.slot == *slot),
            })
        });
        let mut processing: Vec<_> = running.collect();
        processing.sort_by_key(|item| std::cmp::Reverse(item.runs_for));
        processing.truncate(limit);
        QueueSnapshot {
            waiting: waiting.collect(),
            processing,
            scheduled: scheduled.collect(),
        }
    }
}
