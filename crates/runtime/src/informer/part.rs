//! The part of a kind that an informer caches: the objects of some ranges of a ring of hashes. Ranges come and go while it runs.
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use parking_lot::Mutex;
use tokio::sync::watch;

/// How the objects of a kind are divided among processes, and which of them this process needs.
pub(crate) trait Division: Send + Sync {
    /// Returns the range of an object.
    fn range_of(&self, uid: &str, namespace: &str) -> u16;
    /// Returns the `shardSelector` of these ranges.
    fn selector(&self, ranges: &BTreeSet<u16>) -> String;
    /// Returns the ranges that this process needs, each with a number that is another one when it is taken again.
    fn wanted(&self) -> BTreeMap<u16, u64>;
    /// Returns a counter that changes with [`wanted`](Self::wanted).
    fn changes(&self) -> watch::Receiver<u64>;
    /// Makes each range that is taken from now on wait until one more cache has it. Returns the number of the cache.
    fn add_cache(&self) -> usize;
    /// Records that a cache has a range that was taken with this number.
    fn loaded(&self, cache: usize, range: u16, taken: u64);
}

/// The ranges of one list and watch.
pub(super) struct Part {
    pub(super) division: Arc<dyn Division>,
    /// The number of the cache.
    pub(super) cache: usize,
    /// Whether it is loaded for another list and watch, which then adopts it.
    pub(super) joins: bool,
    /// The versions up to which the cache has the objects of each range. Events up to then have been delivered.
    ranges: Mutex<BTreeMap<u16, u64>>,
    /// Counts the changes of the ranges. A watch serves the ranges with which it was opened.
    generation: watch::Sender<u64>,
}

/// The ranges that a request is for.
#[derive(Clone, Debug, Default)]
pub(super) struct Aim {
    /// `None` for all objects.
    pub(super) ranges: Option<BTreeSet<u16>>,
    pub(super) selector: Option<String>,
    pub(super) generation: u64,
}

impl Part {
    /// Creates the part of an informer, which has no range yet.
    pub(super) fn new(division: Arc<dyn Division>) -> Self {
        let cache = division.add_cache();
        Self::with(division, cache, false)
    }

    /// Returns a part that is loaded to join this one.
    pub(super) fn joining(&self) -> Self {
        Self::with(Arc::clone(&self.division), self.cache, true)
    }

    fn with(division: Arc<dyn Division>, cache: usize, joins: bool) -> Self {
        Self {
            division,
            cache,
            joins,
            ranges: Mutex::default(),
            generation: watch::Sender::new(0),
        }
    }

    pub(super) fn range_of(&self, meta: &ObjectMeta) -> u16 {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        self.division
            .range_of(&text(&meta.uid), &text(&meta.namespace))
    }

    pub(super) fn ranges(&self) -> BTreeSet<u16> {
        self.ranges.lock().keys().copied().collect()
    }

    pub(super) fn has(&self, range: u16) -> bool {
        self.ranges.lock().contains_key(&range)
    }

    /// Whether an event of `version` changes an object of this part, and was not delivered before.
    pub(super) fn accepts(&self, meta: &ObjectMeta) -> bool {
        let version = meta.resource_version.as_deref().unwrap_or_default();
        let ranges = self.ranges.lock();
        let known = ranges.get(&self.range_of(meta));
        known.is_some_and(|known| number(version).is_none_or(|version| version > *known))
    }

    /// Waits until there is a range, and returns what to request.
    pub(super) async fn aim(&self) -> Aim {
        let mut changes = self.generation.subscribe();
        loop {
            let generation = *changes.borrow_and_update();
            let ranges = self.ranges();
            if !ranges.is_empty() {
                return Aim {
                    selector: Some(self.division.selector(&ranges)),
                    ranges: Some(ranges),
                    generation,
                };
            }
            // This part has a sender.
            let _ = changes.changed().await;
        }
    }

    pub(super) fn is_current(&self, generation: u64) -> bool {
        *self.generation.borrow() == generation
    }

    /// Waits until the ranges are others than those of `generation`.
    pub(super) async fn changed_since(&self, generation: u64) {
        let mut changes = self.generation.subscribe();
        let _ = changes.wait_for(|current| *current != generation).await;
    }

    /// Adds ranges that are about to be listed.
    pub(super) fn add(&self, ranges: impl Iterator<Item = u16>) {
        self.ranges.lock().extend(ranges.map(|range| (range, 0)));
        self.bump();
    }

    /// Removes ranges. Their objects are still in the cache.
    pub(super) fn remove(&self, gone: &BTreeSet<u16>) {
        self.ranges.lock().retain(|range, _| !gone.contains(range));
        self.bump();
    }

    /// Adds the ranges of `other`, which is complete up to the version `theirs`, to this part, which is so up to `own`. Returns the version from
    /// which one watch completes both.
    pub(super) fn adopt(&self, own: &str, other: &Self, theirs: &str) -> String {
        let mut ranges = self.ranges.lock();
        let is_first = ranges.is_empty();
        let (at, added) = (number(own).unwrap_or(0), number(theirs).unwrap_or(0));
        ranges
            .values_mut()
            .for_each(|known| *known = at.max(*known));
        let joined = other.ranges.lock();
        ranges.extend(joined.keys().map(|range| (*range, added)));
        drop((ranges, joined));
        self.bump();
        if is_first || added < at {
            theirs.to_owned()
        } else {
            own.to_owned()
        }
    }

    /// Records a list of `version` that had these ranges, while the watch had delivered everything up to `own`. Returns the version from which a
    /// watch completes all ranges: some may have been adopted meanwhile.
    pub(super) fn listed(&self, listed: &BTreeSet<u16>, version: &str, own: &str) -> String {
        let (at, own) = (number(version).unwrap_or(0), number(own).unwrap_or(0));
        let mut ranges = self.ranges.lock();
        for (range, known) in ranges.iter_mut() {
            *known = if listed.contains(range) {
                at
            } else {
                own.max(*known)
            };
        }
        match ranges.values().min() {
            Some(first) if *first < at => first.to_string(),
            _ => version.to_owned(),
        }
    }

    fn bump(&self) {
        self.generation
            .send_modify(|generation| *generation = generation.wrapping_add(1));
    }
}

fn number(version: &str) -> Option<u64> {
    version.parse().ok()
}
