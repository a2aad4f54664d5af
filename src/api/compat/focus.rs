//! Where a change is.
use crate::input::path::SchemaPath;

/// Where a change is: the path in the schema that accepts, and that in the schema that rejects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Focus<'p> {
    pub(super) here: &'p SchemaPath,
    pub(super) there: &'p SchemaPath,
}

impl Focus<'_> {
    /// Returns the focus of the opposite direction.
    pub(super) fn back(&self) -> Self {
        Self {
            here: self.there,
            there: self.here,
        }
    }
}
