//! The operator sends too many requests: in one second, or without any change.

use super::{
    check::{Check, Moment, Notice},
    violation::Violation,
};

pub(super) const DEMANDS: &str = "the number of requests is limited";

#[derive(Default)]
pub(super) struct Requests;

impl Check for Requests {
    fn noticed(&self, notice: &Notice<'_>) -> Option<Violation> {
        let message = match &notice.0 {
            Moment::Storm { limit, last } => {
                format!("more than {limit} requests in one second; the last is {last}")
            }
            Moment::Repeats {
                count,
                object,
                seconds,
            } => {
                format!(
                    "{count} requests for {object} in the last {seconds} seconds without any change"
                )
            }
            _ => return None,
        };
        Some(Violation::new(message))
    }
}
