//! Counts the work of validations that does not grow with the size of the value, for the search for samples: alternatives and rules.

use std::cell::Cell;

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
