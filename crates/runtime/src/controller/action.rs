//! What a reconcile asks for.
use std::time::Duration;

use crate::cache::ObjectKey;

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
    pub(super) priority: Option<i32>,
}

impl Action {
    /// Waits for the next change.
    #[must_use]
    pub const fn await_change() -> Self {
        Self {
            requeue_after: None,
            priority: None,
        }
    }

    /// Reconciles again after `delay`, even without a change. A change before that makes this superfluous: the reconcile that it causes decides
    /// again. Below one millisecond, the delay is the limiter's, which grows each time: an object
    /// that asks to be reconciled again at once must not keep a worker busy for ever.
    #[must_use]
    pub const fn requeue(delay: Duration) -> Self {
        Self {
            requeue_after: Some(delay),
            priority: None,
        }
    }

    /// Sets the priority with which a requeued object waits for a worker; by default the one of this reconcile. Changes enqueue with 0, the first
    /// list and resyncs with [`LOW_PRIORITY`](crate::queue::LOW_PRIORITY).
    #[must_use]
    pub const fn with_priority(mut self, priority: i32) -> Self {
        self.priority = Some(priority);
        self
    }
}

/// For a reconcile that kube's `Controller` calls. Its queue has no priorities. There is no way back: kube's `Action` does not tell its delay.
///
/// ```
/// use std::time::Duration;
/// use kube::runtime::controller;
/// use kube_codegen_runtime::controller::Action;
///
/// let delay = Duration::from_secs(60);
/// assert_eq!(controller::Action::from(Action::requeue(delay)), controller::Action::requeue(delay));
/// assert_eq!(controller::Action::from(Action::await_change()), controller::Action::await_change());
/// ```
impl From<Action> for kube::runtime::controller::Action {
    fn from(action: Action) -> Self {
        match action.requeue_after {
            Some(delay) => Self::requeue(delay),
            None => Self::await_change(),
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

/// A key to enqueue, with a priority; see [`Controller::enqueue_from`](super::Controller::enqueue_from).
///
/// ```
/// use kube_codegen_runtime::{controller::Enqueue, informer::ObjectKey};
///
/// let key = ObjectKey::namespaced("default", "web");
/// assert_eq!(Enqueue::from(key.clone()), Enqueue { key, priority: 0 });
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enqueue {
    /// The object.
    pub key: ObjectKey,
    /// Higher ones are first; changes have 0, the first list and resyncs [`LOW_PRIORITY`](crate::queue::LOW_PRIORITY).
    pub priority: i32,
}

impl From<ObjectKey> for Enqueue {
    fn from(key: ObjectKey) -> Self {
        Self { key, priority: 0 }
    }
}
