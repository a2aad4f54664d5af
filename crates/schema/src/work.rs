//! What the search for a sample may cost on this thread: the work of validations that does not grow with the size of the value (alternatives
//! and rules), searches for texts, and the patterns that are left out of it.

use std::cell::Cell;
#[cfg(feature = "sample")]
use std::{cell::RefCell, collections::HashSet};

/// What one alternative costs, in bytes of a value.
pub(crate) const BRANCH: usize = 300;
/// What one unit of the cost of rules is, in bytes of a value.
#[cfg(feature = "cel")]
pub(crate) const UNIT: usize = 4;

thread_local! {
    static DONE: Cell<usize> = const { Cell::new(0) };
}

pub(crate) fn add(bytes: usize) {
    DONE.set(DONE.get().wrapping_add(bytes));
}

/// Returns how much this thread has done.
#[cfg(feature = "sample")]
pub(crate) fn done() -> usize {
    DONE.get()
}

/// How many texts are searched for in one sample: each search takes up to half a second.
#[cfg(feature = "sample")]
const SEARCHES: usize = 50;

#[cfg(feature = "sample")]
thread_local! {
    static LEFT_OUT: RefCell<HashSet<String>> = RefCell::default();
    static SEARCHES_LEFT: Cell<usize> = const { Cell::new(SEARCHES) };
}

/// The limits of one sample, on this thread, until it is dropped. The schema is shared, and checks its patterns for all other objects.
#[cfg(feature = "sample")]
pub(crate) struct Limits(());

#[cfg(feature = "sample")]
impl Limits {
    /// `left_out`: patterns that match every text.
    pub(crate) fn new(left_out: HashSet<String>) -> Self {
        LEFT_OUT.set(left_out);
        SEARCHES_LEFT.set(SEARCHES);
        Self(())
    }
}

#[cfg(feature = "sample")]
impl Drop for Limits {
    fn drop(&mut self) {
        LEFT_OUT.take();
    }
}

#[cfg(feature = "sample")]
pub(crate) fn is_left_out(pattern: &str) -> bool {
    LEFT_OUT.with_borrow(|all| all.contains(pattern))
}

/// Counts a search for a text; returns whether there may be one more.
#[cfg(feature = "sample")]
pub(crate) fn may_search() -> bool {
    let left = SEARCHES_LEFT.get();
    SEARCHES_LEFT.set(left.saturating_sub(1));
    left > 0
}
