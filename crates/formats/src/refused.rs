//! Why Go refuses a text.

use std::fmt;

/// Why Go refuses a text, in its words.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Refused(String);

impl Refused {
    pub(crate) fn new(why: String) -> Self {
        Self(why)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}
