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
        "{name}={text:?} cannot be parsed: SIMULATE_BUDGET takes a value such as singles+200, 60s or 10000; SIMULATE_REQUIRE takes singles; SIMULATE_SEED, SIMULATE_SEEDS, SIMULATE_THREADS and SIMULATE_EXHAUSTIVE take a number"
    );
    value
}
