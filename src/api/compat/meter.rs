//! Counts the changes that a comparison has judged, for a bar on the terminal.
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts changes, and reports how many of how many known ones are judged.
pub(crate) struct Meter<'r> {
    report: &'r (dyn Fn(usize, usize) + Sync),
    done: AtomicUsize,
    known: AtomicUsize,
}

impl<'r> Meter<'r> {
    pub(crate) fn new(report: &'r (dyn Fn(usize, usize) + Sync)) -> Self {
        Self {
            report,
            done: AtomicUsize::new(0),
            known: AtomicUsize::new(0),
        }
    }

    /// Reports to nobody.
    pub(crate) fn silent() -> Self {
        Self::new(&|_, _| {})
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
