//! What a fault is to the rest of the crate: where it can happen, what it does there, and how people read it.

use std::{borrow::Cow, time::Duration};

use futures::future::BoxFuture;
use kube_codegen_testing::ApiServer;
use tower::BoxError;

use super::{Fault, FaultKind};
use crate::{
    point::{Point, PointKind, Verb},
    request::Seen,
};

/// A fault. Most methods have a default, so that a fault says only what is special about it: a request passes unless [`Self::before`] stops it.
pub(crate) trait Act: Send + Sync {
    /// The name by which authors switch it off.
    fn kind(&self) -> FaultKind;

    /// What happens, in a clause without its place.
    fn text(&self) -> Cow<'static, str>;

    /// The faults of this kind that are worth trying at a point.
    fn choices(at: &Offer<'_>) -> Vec<Choice>
    where
        Self: Sized;

    /// Those that an exhaustive search tries: each doubles the number of orders, so that few do.
    fn enumerated(_: PointKind) -> Vec<Choice>
    where
        Self: Sized,
    {
        Vec::new()
    }

    /// How early it is tried.
    fn rank(&self) -> Rank;

    /// Faults of one class look alike to most operators, so that one of them is enough at first.
    fn class(&self) -> FaultKind {
        self.kind()
    }

    /// Whether it is about what a list returns, at whatever moment.
    fn is_about_lists(&self) -> bool {
        false
    }

    /// The path of the object that another client changes.
    fn object(&self) -> Option<&str> {
        None
    }

    /// Acts before the request reaches the server, and decides whether it does.
    fn before(&self, _: &dyn Site) -> Sent {
        Sent::Passes
    }

    /// Acts as another client, just before the request; or just after it, where the request would undo that.
    fn interferes<'a>(&'a self, _: &'a dyn Site) -> BoxFuture<'a, Result<(), BoxError>> {
        Box::pin(async { Ok(()) })
    }

    /// Whether [`Self::after`] needs the server as it is before the request.
    fn needs_past(&self) -> bool {
        false
    }

    /// Acts after the effect of the request, and decides what the operator gets. `past` is what [`Self::needs_past`] asks for.
    fn after(&self, _: &dyn Site, _past: Option<&ApiServer>) -> Received {
        Received::Response
    }

    /// Acts before a watch event reaches the operator, and decides how it does.
    fn shows(&self, _: &dyn Site) -> Shown {
        Shown::at_once(Showing::Once)
    }

    /// Whether the operator may never see an event: that an object was there, or that it is gone.
    fn hides_events(&self) -> bool {
        false
    }

    /// Whether it adds or removes objects itself, so that creates and deletes cannot be compared.
    fn changes_counts(&self) -> bool {
        false
    }

    /// Whether a later request or event decides if it happens.
    fn happens_later(&self) -> bool {
        false
    }

    /// Whether a request may have its effect after the end of its phase, such as a create after the deletion of all that it belongs to.
    fn outlasts_phases(&self) -> bool {
        false
    }

    /// Whether the operator sees a request fail that has had no effect.
    fn fails_request(&self) -> bool {
        false
    }

    /// What usually leads from this fault to a state that is wrong.
    fn likely(&self, after: &Aftermath) -> String;
}

/// A point at which faults can be offered.
pub(crate) struct Offer<'a> {
    pub(crate) point: &'a Point,
    /// Whether only an Event or a Lease is written.
    pub(crate) is_report: bool,
    /// Whether a request creates an object.
    pub(crate) creates: bool,
    /// A child that another client can change here, and whether the operator has set what [`Fault::Drift`] changes.
    pub(crate) child: Option<(&'a str, bool)>,
    /// Whether a list here, or the one that follows where the watch expires, has a second page if pages have one object.
    pub(crate) has_second_page: bool,
    pub(crate) replicas: usize,
}

impl Offer<'_> {
    pub(crate) fn is_read(&self) -> bool {
        !self.is_report && self.point.kind() == PointKind::Read
    }

    pub(crate) fn is_write(&self) -> bool {
        !self.is_report && self.point.kind() == PointKind::Write
    }

    pub(crate) fn is_event(&self) -> bool {
        !self.is_report && self.point.kind() == PointKind::Event
    }
}

/// A fault that can happen at a point.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// Its place among the faults of the point: random choices are by place, so that a seed leads to the same schedules as long as the places stay. A
    /// new fault comes last.
    pub(crate) place: u8,
    pub(crate) fault: Fault,
}

impl Choice {
    pub(crate) fn new(place: u8, fault: Fault) -> Self {
        Self { place, fault }
    }

    /// The fault, where the condition holds.
    pub(crate) fn only(place: u8, fault: Fault, holds: bool) -> Vec<Self> {
        holds.then_some(Self { place, fault }).into_iter().collect()
    }
}

/// How early a fault is tried: those that find most come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Rank {
    First,
    Second,
    Third,
    /// What resembles another point.
    Last,
}

/// Where a fault happens, and what it can do there besides deciding about the request or event itself.
pub(crate) trait Site: Sync {
    fn server(&self) -> &ApiServer;
    /// The request; `None` at a watch event.
    fn request(&self) -> Option<&Seen>;
    /// The virtual time since the start.
    fn elapsed(&self) -> Duration;
    /// Ends the process of the operator, which starts again.
    fn crash(&self);
    /// Stops the process of the operator for some time.
    fn pause(&self, time: Duration);
    /// Moves the clock of the replica, also of processes that start later.
    fn set_clock_ahead(&self, ms: i64);
    /// Lets the second page of the list at this point, or of the next one, expire.
    fn expire_second_page(&self);
    /// Shows lists and watches an old state for some time.
    fn show_past(&self, past: ApiServer);
    /// Ends all watches with 410.
    fn expire_watches(&self);
    /// Notes that the operator may never see an event.
    fn hide_events(&self);
    /// Notes a change that the operator may react to.
    fn touch(&self);
    /// The path of an object that exists, for one with `*`.
    fn resolve<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Option<String>, BoxError>>;
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// It goes on to the server.
    Passes,
    /// The connection breaks.
    Broken,
    /// It is answered with this status, without effect.
    Answered(u16),
    /// It is answered with 504, and reaches the server after this time.
    Late(Duration),
}

/// What the operator receives after the effect of its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// What the server has answered.
    Response,
    /// The connection breaks.
    Broken,
    /// This status.
    Answered(u16),
}

/// How a watch event reaches the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    /// The time in which nothing arrives.
    pub(crate) after: Option<Duration>,
    pub(crate) how: Showing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Showing {
    Once,
    Twice,
    /// As one with the next event of the same object.
    Merged,
    /// The watch ends before it.
    Ends,
    /// The watch ends before it, with 410.
    Expires,
}

impl Shown {
    pub(crate) fn at_once(how: Showing) -> Self {
        Self { after: None, how }
    }

    pub(crate) fn after(ms: u64, how: Showing) -> Self {
        Self {
            after: Some(Duration::from_millis(ms)),
            how,
        }
    }
}

/// What a run shows after a fault that has led to a wrong state.
pub(crate) struct Aftermath {
    /// What happens at the point, such as `patch configmaps default/a`.
    pub(crate) what: String,
    pub(crate) verb: Verb,
    /// Whether something is there that must not be; otherwise something is missing.
    pub(crate) is_extra: bool,
    pub(crate) repetition: Repetition,
    /// Whether a new process leaves the state as it is.
    pub(crate) stays_after_restart: bool,
}

/// What becomes of a request that has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repetition {
    /// It was not sent again, or failed again.
    Missing,
    /// It was sent again, with success.
    Succeeds,
    /// It is the list or the watch of an informer, which repeats it.
    OfInformer,
}
