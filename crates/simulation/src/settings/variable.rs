//! Reads the variables of a simulation.

use std::env;

/// Returns what a variable is set to; an empty one is not set, so that one that a Makefile sets can be turned off.
///
/// # Panics
/// If `read` does not understand it.
pub(crate) fn variable<T>(name: &str, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    let text = env::var(name).ok().filter(|text| !text.is_empty())?;
    let value = read(&text);
    assert!(
        value.is_some(),
        "{name}={text:?} is not understood: SIMULATE_SEED is a number, SIMULATE_BUDGET such as singles+200, 60s or 10000, SIMULATE_REQUIRE singles, SIMULATE_EXHAUSTIVE the number of faults, SIMULATE_SEEDS that of seeds, SIMULATE_THREADS that of threads"
    );
    value
}
