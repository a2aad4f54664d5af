//! A new process writes what the one before it had left as it was.

use super::{
    check::{Check, Moment, Notice},
    violation::{Variety, Violation},
};
use crate::state::{Difference, Mask, differences};

pub(super) const DEMANDS: &str = "a restart at rest writes nothing";

#[derive(Default)]
pub(super) struct Idempotence;

impl Check for Idempotence {
    fn noticed(&self, notice: &Notice<'_>) -> Option<Violation> {
        let Moment::Wrote {
            last,
            before,
            after,
        } = &notice.0
        else {
            return None;
        };
        let message = format!("the operator was at rest, and wrote again after a restart: {last}");
        let found = differences(before, after, &Mask::new());
        let message = match found.iter().find(|it| !it.path.is_empty()) {
            Some(Difference {
                object,
                path,
                expected,
                found,
            }) => {
                let value = |value: &Option<String>| value.clone().unwrap_or("(absent)".to_owned());
                format!(
                    "{message}, {path} of {object} from {} to {}",
                    value(expected),
                    value(found)
                )
            }
            None => message,
        };
        Some(Violation::new(message).of(Variety::Restart).with(found))
    }
}
