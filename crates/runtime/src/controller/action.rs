//! What a reconcile asks for.
use std::time::Duration;

use crate::cache::ObjectKey;

/// Tells the controller what to do after a successful reconcile. Success resets the object's retry back-off, and any change enqueues the
/// object again.
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

    /// Reconciles again after `delay`, even if nothing changes. If a change triggers a reconcile sooner, that reconcile's action replaces
    /// this one.
    ///
    /// A delay below one millisecond is treated as a retry: the rate limiter chooses the delay and increases it each time, so that an
    /// object that keeps asking for an immediate reconcile cannot occupy a worker for ever.
    #[must_use]
    pub const fn requeue(delay: Duration) -> Self {
        Self {
            requeue_after: Some(delay),
            priority: None,
        }
    }

    /// Sets the priority with which the requeued object waits for a worker. The default is the priority of the current reconcile. Changes
    /// enqueue with priority 0; the first list and resyncs use [`LOW_PRIORITY`](crate::queue::LOW_PRIORITY).
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

/// Tells the controller what to do after a failed reconcile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnError {
    /// Retries with a delay that grows with each consecutive failure. Use it for transient errors.
    #[default]
    Backoff,
    /// Retries after this delay and resets the back-off. A delay below one millisecond means `Backoff`.
    After(Duration),
    /// Does not retry until the object changes or is resynced. Use it for errors that only a change can fix, such as an invalid spec.
    Drop,
}

/// An object key to enqueue, with a priority; see [`Controller::enqueue_from`](super::Controller::enqueue_from).
///
/// ```
/// use kube_codegen_runtime::{controller::Enqueue, informer::ObjectKey};
///
/// let key = ObjectKey::namespaced("default", "web");
/// assert_eq!(Enqueue::from(key.clone()), Enqueue { key, priority: 0 });
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enqueue {
    /// The key of the object.
    pub key: ObjectKey,
    /// Items with a higher priority are processed first. Changes have priority 0; the first list and resyncs have
    /// [`LOW_PRIORITY`](crate::queue::LOW_PRIORITY).
    pub priority: i32,
}

impl From<ObjectKey> for Enqueue {
    fn from(key: ObjectKey) -> Self {
        Self { key, priority: 0 }
    }
}
