//! Counts the changes that a comparison has judged, for a bar on the terminal, and those that its budget leaves no search for.
use std::sync::atomic::{AtomicUsize, Ordering};

use super::side::VALUES;

/// Counts changes, and reports how many of how many known ones are judged.
pub(crate) struct Meter<'r> {
    report: &'r (dyn Fn(usize, usize) + Sync),
    done: AtomicUsize,
    known: AtomicUsize,
    unsearched: AtomicUsize,
    /// How many values the search validates for all changes of a version.
    pub(super) values: usize,
}

impl<'r> Meter<'r> {
    pub(crate) fn new(report: &'r (dyn Fn(usize, usize) + Sync)) -> Self {
        Self {
            report,
            done: AtomicUsize::new(0),
            known: AtomicUsize::new(0),
            unsearched: AtomicUsize::new(0),
            values: VALUES,
        }
    }

    /// Reports nothing.
    #[cfg(test)]
    pub(crate) fn silent() -> Self {
        Self::new(&|_, _| {})
    }

    /// Returns how many changes were judged without a search, or with one that ended early.
    pub(crate) fn unsearched(&self) -> usize {
        self.unsearched.load(Ordering::Relaxed)
    }

    /// Notes that a search ended early.
    pub(super) fn skip(&self) {
        self.unsearched.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds changes that are to be judged.
    pub(super) fn add(&self, changes: usize) {
        self.known.fetch_add(changes, Ordering::Relaxed);
    }

    /// Notes that one more is judged.
    pub(super) fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        (self.report)(done, self.known.load(Ordering::Relaxed));
    }
}
