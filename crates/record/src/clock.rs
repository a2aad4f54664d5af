//! The wall clock of everything that writes times into objects. A simulation replaces it.
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

/// Returns the current time: that of the system, or of the simulation that runs on this thread.
///
/// Use it in a reconcile in place of [`Timestamp::now`], so that a simulated run can be repeated.
pub fn now() -> Timestamp {
    SOURCE.get()()
}

/// Sets the clock of this thread and returns the previous one.
#[doc(hidden)]
pub fn replace(source: fn() -> Timestamp) -> fn() -> Timestamp {
    SOURCE.replace(source)
}
