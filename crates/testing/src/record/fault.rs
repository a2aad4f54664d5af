//! Injected failures of requests, and commands to open watches.

use std::time::Duration;

use bytes::Bytes;
use kube::core::response::{Status, reason};
use tokio::sync::mpsc;

use crate::{
    kinds::target::Target, record::recorded::On, request::Verb, values::status::no_details,
};

/// The way in which a request fails.
///
/// ```
/// use std::time::Duration;
/// use kube_codegen_testing::{ApiServer, Failure, On};
///
/// let server = ApiServer::new();
/// server.fail_next(On::verb("create"), Failure::lost_answer());
/// server.fail_times(On::any(), 3, Failure::status(429).retry_after(1));
/// server.fail_always(On::verb("list"), Failure::delay(Duration::from_secs(20)));
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Failure(pub(crate) Effect);

#[derive(Clone, Debug)]
pub(crate) enum Effect {
    /// Responds with this instead of executing the request.
    Answer(Box<Status>),
    /// Executes the request, then breaks the connection.
    LostAnswer,
    /// Breaks the connection without executing the request.
    Disconnect,
    /// Executes the request after this time.
    Delay(Duration),
}

impl Failure {
    /// Responds with this HTTP status code and its usual reason.
    pub fn status(code: u16) -> Self {
        let reason = match code {
            400 => reason::BAD_REQUEST,
            401 => reason::UNAUTHORIZED,
            403 => reason::FORBIDDEN,
            404 => reason::NOT_FOUND,
            409 => reason::CONFLICT,
            410 => reason::EXPIRED,
            422 => reason::INVALID,
            429 => reason::TOO_MANY_REQUESTS,
            500 => reason::INTERNAL_ERROR,
            503 => reason::SERVICE_UNAVAILABLE,
            504 => reason::TIMEOUT,
            _ => reason::UNKNOWN,
        };
        Self(Effect::Answer(
            Status::failure(&format!("injected failure {code}"), reason)
                .with_code(code)
                .boxed(),
        ))
    }

    /// Responds with this status.
    pub fn answer(status: Status) -> Self {
        Self(Effect::Answer(status.boxed()))
    }

    /// Sets the message of the error response.
    pub fn message(mut self, message: &str) -> Self {
        if let Effect::Answer(status) = &mut self.0 {
            message.clone_into(&mut status.message);
        }
        self
    }

    /// Sets `Retry-After` in the error response, in seconds.
    pub fn retry_after(mut self, seconds: u32) -> Self {
        if let Effect::Answer(status) = &mut self.0 {
            status
                .details
                .get_or_insert_with(no_details)
                .retry_after_seconds = seconds;
        }
        self
    }

    /// Breaks the connection without executing the request.
    pub fn disconnect() -> Self {
        Self(Effect::Disconnect)
    }

    /// Executes the request, then breaks the connection.
    pub fn lost_answer() -> Self {
        Self(Effect::LostAnswer)
    }

    /// Executes the request after this time on tokio's clock.
    pub fn delay(time: Duration) -> Self {
        Self(Effect::Delay(time))
    }
}

/// The active rules; the first match applies.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    on: On,
    effect: Effect,
    /// How many requests are left; unlimited if `None`.
    left: Option<usize>,
}

impl Faults {
    pub(crate) fn add(&mut self, on: On, failure: Failure, times: Option<usize>) {
        self.0.push(Rule {
            on,
            effect: failure.0,
            left: times,
        });
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn take(&mut self, verb: Verb, target: &Target) -> Option<Effect> {
        let index = self
            .0
            .iter()
            .position(|rule| rule.left != Some(0) && rule.on.matches(verb, target))?;
        let rule = &mut self.0[index];
        rule.left = rule.left.map(|left| left - 1);
        let effect = rule.effect.clone();
        self.0.retain(|rule| rule.left != Some(0));
        Some(effect)
    }
}

/// What a test does to an open watch.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    /// Ends the connection.
    Cut,
    /// Sends nothing more and keeps the connection open.
    Stall,
    /// Sends this line.
    Line(Bytes),
    /// Sends an `ERROR` event, then ends.
    Fail(Box<Status>),
    /// Sends a bookmark if the watch asked for bookmarks.
    Bookmark,
}

/// The open watches.
#[derive(Debug, Default)]
pub(crate) struct Watches(Vec<(Target, mpsc::UnboundedSender<Command>)>);

impl Watches {
    pub(crate) fn add(&mut self, target: Target, commands: mpsc::UnboundedSender<Command>) {
        self.0.push((target, commands));
    }

    /// Sends a command to the matching watches and returns their number.
    pub(crate) fn send(&mut self, on: &On, command: &Command) -> usize {
        self.0.retain(|(_, commands)| !commands.is_closed());
        let matching = self
            .0
            .iter()
            .filter(|(target, _)| on.matches(Verb::Watch, target));
        matching
            .filter(|(_, commands)| commands.send(command.clone()).is_ok())
            .count()
    }
}
