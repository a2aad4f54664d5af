//! What goes wrong on purpose: rules in, per request the fault to act out; it changes no object.
use std::time::Duration;

use kube::core::response::{Status, reason};

use super::action::On;
use super::failure::no_details;
use super::request::{Target, Verb};

/// How a request fails.
#[derive(Clone, Debug)]
#[must_use]
pub struct Failure(pub(super) Effect);

#[derive(Clone, Debug)]
pub(super) enum Effect {
    /// This answer instead of the work.
    Answer(Box<Status>),
    /// The work is done, then the connection breaks.
    LostAnswer,
    /// The connection breaks before the work.
    Disconnect,
    /// The work is done after a while.
    Delay(Duration),
}

impl Failure {
    /// An error answer; the reason is the usual one of the HTTP code.
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

    /// Any error answer.
    pub fn answer(status: Status) -> Self {
        Self(Effect::Answer(status.boxed()))
    }

    /// Gives an error answer its message.
    pub fn message(mut self, message: &str) -> Self {
        if let Effect::Answer(status) = &mut self.0 {
            message.clone_into(&mut status.message);
        }
        self
    }

    /// Gives an error answer a `Retry-After`, in seconds.
    pub fn retry_after(mut self, seconds: u32) -> Self {
        if let Effect::Answer(status) = &mut self.0 {
            status
                .details
                .get_or_insert_with(no_details)
                .retry_after_seconds = seconds;
        }
        self
    }

    /// The connection breaks and nothing has been done.
    pub fn disconnect() -> Self {
        Self(Effect::Disconnect)
    }

    /// The request is carried out, but its answer is lost.
    pub fn lost_answer() -> Self {
        Self(Effect::LostAnswer)
    }

    /// The request is carried out after this time on tokio's clock.
    pub fn delay(time: Duration) -> Self {
        Self(Effect::Delay(time))
    }
}

/// The rules in force; the first that fits acts.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    on: On,
    effect: Effect,
    /// None: for ever.
    left: Option<usize>,
}

impl Faults {
    pub(super) fn add(&mut self, on: On, failure: Failure, times: Option<usize>) {
        self.0.push(Rule {
            on,
            effect: failure.0,
            left: times,
        });
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn take(&mut self, verb: Verb, target: &Target) -> Option<Effect> {
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
