//! The timeline of a run: what happened, when, and to whom.

use std::time::Duration;

/// One line of the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) at: Duration,
    pub(crate) who: String,
    pub(crate) text: String,
    pub(crate) fault: bool,
}

impl Entry {
    /// Returns the entry as people see it, with the end of the line.
    pub(crate) fn line(&self) -> String {
        let mark = if self.fault { "►" } else { " " };
        let (at, who, text) = (self.at.as_secs_f64(), &self.who, &self.text);
        format!("  {mark} {at:>9.3} s  {who:<10}  {text}\n")
    }
}
