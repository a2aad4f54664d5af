//! Closures of a test that see each request and each watch event, and decide what becomes of it.

use std::{fmt, sync::Arc, time::Duration};

use serde_json::Value;

use crate::record::{fault::Failure, recorded::RecordedRequest};

/// What becomes of a request, or of its answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Action {
    /// It passes unchanged.
    Pass,
    /// A request is executed with this body; an answer has this body.
    Body(Value),
    /// It is answered with this HTTP code and body. A request is not executed then.
    Answer(u16, Value),
    /// It fails: a request before it is executed, an answer after that.
    Fail(Failure),
    /// It passes after this time on tokio's clock.
    Delay(Duration),
}

/// What becomes of a watch event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventAction {
    /// It is sent.
    Pass,
    /// It is never sent.
    Drop,
    /// It is sent after this time on tokio's clock; later events overtake it.
    Delay(Duration),
    /// It is sent after the next event.
    Swap,
}

/// An event that a watch is about to send.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EventInFlight<'a> {
    /// API group of the watch; empty for the core group.
    pub group: &'a str,
    /// Plural of the watch.
    pub resource: &'a str,
    /// Namespace of the watch; empty for all.
    pub namespace: &'a str,
    /// `ADDED`, `MODIFIED`, `DELETED` or `BOOKMARK`.
    pub kind: &'a str,
    /// The object as the client gets it.
    pub object: &'a Value,
}

type OnRequest = dyn Fn(&RecordedRequest) -> Action + Send + Sync;
type OnAnswer = dyn Fn(&RecordedRequest, &Value) -> Action + Send + Sync;
type OnEvent = dyn Fn(EventInFlight<'_>) -> EventAction + Send + Sync;

/// The closures, in the order in which they were added.
#[derive(Clone, Default)]
pub(crate) struct Interceptors {
    pub(crate) requests: Vec<Arc<OnRequest>>,
    pub(crate) answers: Vec<Arc<OnAnswer>>,
    pub(crate) events: Vec<Arc<OnEvent>>,
}

impl fmt::Debug for Interceptors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interceptors").finish_non_exhaustive()
    }
}

impl Interceptors {
    pub(crate) fn has_any(&self) -> bool {
        !self.requests.is_empty() || !self.answers.is_empty()
    }

    /// Returns what becomes of a request: the first action that is not [`Action::Pass`].
    pub(crate) fn request(&self, request: &RecordedRequest) -> Action {
        let mut actions = self.requests.iter().map(|it| it(request));
        actions
            .find(|it| !matches!(it, Action::Pass))
            .unwrap_or(Action::Pass)
    }

    pub(crate) fn answer(&self, request: &RecordedRequest, answer: &Value) -> Action {
        let mut actions = self.answers.iter().map(|it| it(request, answer));
        actions
            .find(|it| !matches!(it, Action::Pass))
            .unwrap_or(Action::Pass)
    }

    pub(crate) fn event(&self, event: EventInFlight<'_>) -> EventAction {
        let mut actions = self.events.iter().map(|it| it(event));
        actions
            .find(|it| *it != EventAction::Pass)
            .unwrap_or(EventAction::Pass)
    }
}
