//! The wall clock for all times written into objects. A simulation replaces it.
//!
//! ```
//! use kube_codegen_record::clock;
//! use k8s_openapi::jiff::Timestamp;
//!
//! assert!(clock::now() <= Timestamp::now());
//! ```

use std::cell::Cell;

use k8s_openapi::jiff::Timestamp;

thread_local! {
    static SOURCE: Cell<fn() -> Timestamp> = const { Cell::new(Timestamp::now) };
}

/// Returns the current time, from the system, or from the simulation that runs on this thread.
///
/// In a reconcile, use it instead of [`Timestamp::now`], so that simulated runs are repeatable.
pub fn now() -> Timestamp {
    SOURCE.get()()
}

/// Replaces the clock of this thread, and returns the previous one.
#[doc(hidden)]
pub fn replace(source: fn() -> Timestamp) -> fn() -> Timestamp {
    SOURCE.replace(source)
}
