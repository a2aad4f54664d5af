//! The operator sends too many requests: in one second, or without any change.

use super::{
    check::{Check, Moment, Notice},
    violation::Violation,
};
use crate::plural::counted;

pub(super) const DEMANDS: &str = "the number of requests is limited";

#[derive(Default)]
pub(super) struct Requests;

impl Check for Requests {
    fn noticed(&self, notice: &Notice<'_>) -> Option<Violation> {
        let message = match &notice.0 {
            Moment::Storm { limit, last } => {
                let limit = counted(limit, "request");
                format!("more than {limit} in one second; the last is {last}")
            }
            Moment::Repeats {
                count,
                object,
                seconds,
            } => {
                format!(
                    "{} for {object} in the last {} without any change",
                    counted(count, "request"),
                    counted(seconds, "second")
                )
            }
            _ => return None,
        };
        Some(Violation::new(message))
    }
}
