//! Why Go rejects a text.

use std::fmt;

/// Why Go rejects a text, in its words.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Rejected(String);

impl Rejected {
    pub(crate) fn new(why: String) -> Self {
        Self(why)
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Rejected {}
