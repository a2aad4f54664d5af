//! Closures of a test that see each request and each watch event, and decide what becomes of it.

use std::{fmt, sync::Arc, time::Duration};

use serde_json::Value;

use crate::record::{fault::Failure, recorded::RecordedRequest};

/// The outcome for a request or its response.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Action {
    /// It passes unchanged.
    Pass,
    /// It passes with this body in place of its own.
    Body(Value),
    /// The client receives this HTTP status code and body. A request is not executed.
    Answer(u16, Value),
    /// It fails: a request before it is executed, a response after that.
    Fail(Failure),
    /// It passes after this time on tokio's clock.
    Delay(Duration),
}

/// The outcome for a watch event.
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

/// A watch event that is about to be sent.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EventInFlight<'a> {
    /// The API group of the watch; empty for the core group.
    pub group: &'a str,
    /// The plural of the watched kind.
    pub resource: &'a str,
    /// The watched namespace; empty for all namespaces.
    pub namespace: &'a str,
    /// `ADDED`, `MODIFIED`, `DELETED` or `BOOKMARK`.
    pub kind: &'a str,
    /// The object, as the client will receive it.
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
