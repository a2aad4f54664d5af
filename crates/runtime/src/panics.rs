//! Panics of functions that the user passed in: an informer or a controller continues after them.
use std::{
    any::Any,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Calls `f`, and returns the message of its panic as an error.
pub(crate) fn catch<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(message)
}

/// Returns the message of a panic, and drops its value, which may panic too.
pub(crate) fn message(panic: Box<dyn Any + Send>) -> String {
    let message = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    // The value of the second panic could panic for ever.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(panic))).map_err(mem::forget);
    message
}
