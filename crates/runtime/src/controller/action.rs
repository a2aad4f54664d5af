//! What a reconcile, or the policy over its errors, wants to happen next.
use std::time::Duration;

/// What happens after a successful reconcile. In both cases the object's retries are forgotten, and any change brings it up again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    pub(super) requeue_after: Option<Duration>,
}

impl Action {
    /// Nothing before the next change.
    #[must_use]
    pub const fn await_change() -> Self {
        Self {
            requeue_after: None,
        }
    }

    /// Once more after `delay`, even without a change.
    #[must_use]
    pub const fn requeue(delay: Duration) -> Self {
        Self {
            requeue_after: Some(delay),
        }
    }
}

/// What happens after a failed reconcile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// Once more, after a delay that grows with each failure in a row: for errors that may pass.
    #[default]
    Backoff,
    /// Once more after this time, whatever happened before; the retries are forgotten.
    After(Duration),
    /// Not again before the object changes or is resynced: for errors that only a person can mend, such as a spec that makes no sense.
    Drop,
}
