//! The server answers with an error, and the request has no effect.

use std::borrow::Cow;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Sent, Site},
    likely,
};
use crate::point::PointKind;

/// Another client has changed the object meanwhile.
const CONFLICT: u16 = 409;

pub(super) struct Error(pub(super) u16);

impl Act for Error {
    fn kind(&self) -> FaultKind {
        match self.0 {
            CONFLICT => FaultKind::Conflict,
            _ => FaultKind::Error,
        }
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Owned(format!("the server answers {}, without effect", self.0))
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        let offered: &[(u8, u16)] = match (at.is_report, at.is_read(), at.is_write()) {
            (true, _, _) => &[(0, 500)],
            (_, true, _) => &[(0, 500), (2, 429)],
            (_, _, true) => &[(5, 500), (6, CONFLICT), (7, 429)],
            (false, false, false) => &[],
        };
        let offered = offered.iter();
        offered
            .map(|(place, status)| Choice::new(*place, Fault::Error(*status)))
            .collect()
    }

    fn enumerated(at: PointKind) -> Vec<Choice> {
        match at {
            PointKind::Read => vec![Choice::new(0, Fault::Error(500))],
            // A broken connection looks like an error to the operator.
            PointKind::Write => vec![
                Choice::new(3, Fault::Error(500)),
                Choice::new(4, Fault::Error(CONFLICT)),
            ],
            PointKind::Event => Vec::new(),
        }
    }

    fn rank(&self) -> Rank {
        match self.0 {
            CONFLICT => Rank::First,
            429 | 500 => Rank::Second,
            _ => Rank::Third,
        }
    }

    fn fails_request(&self) -> bool {
        true
    }

    fn before(&self, _: &dyn Site) -> Sent {
        Sent::Answered(self.0)
    }

    fn likely(&self, after: &Aftermath) -> String {
        if self.0 == CONFLICT {
            likely::conflict(after)
        } else {
            likely::failure(after)
        }
    }
}
