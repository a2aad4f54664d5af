//! In: a namespace made for one test. Out: its name. Never a namespace left behind in somebody else's cluster: the reaper deletes it.

use std::fmt;

/// A namespace of its own for a test. It vanishes with the control plane; from a cluster that is not ours it is deleted when
/// the test process ends, however that is.
#[derive(Debug)]
pub struct Namespace {
    name: String,
}

impl Namespace {
    pub(crate) fn new(name: String) -> Self {
        Self { name }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
