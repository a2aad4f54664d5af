//! What a reconcile asks for.
use std::time::Duration;

/// What happens after a successful reconcile. Either way the object's retries are forgotten, and any change enqueues it again.
///
/// ```
/// use std::time::Duration;
/// use kube_codegen_runtime::controller::Action;
///
/// assert_ne!(Action::await_change(), Action::requeue(Duration::from_secs(60)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    pub(super) requeue_after: Option<Duration>,
}

impl Action {
    /// Waits for the next change.
    #[must_use]
    pub const fn await_change() -> Self {
        Self {
            requeue_after: None,
        }
    }

    /// Reconciles again after `delay`, even without a change. Below one millisecond, the delay is the limiter's, which grows each time: an object
    /// that asks to be reconciled again at once must not keep a worker busy for ever.
    #[must_use]
    pub const fn requeue(delay: Duration) -> Self {
        Self {
            requeue_after: Some(delay),
        }
    }
}

/// What happens after a failed reconcile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnError {
    /// Retries after a delay that grows with each failure in a row: for transient errors.
    #[default]
    Backoff,
    /// Retries after this delay. Earlier retries are forgotten. Below one millisecond, the same as `Backoff`.
    After(Duration),
    /// Does not retry before the object changes or is resynced: for errors that only a change can fix, such as an invalid spec.
    Drop,
}
