//! Stores objects, their versions, and the history that watches read.
//!
//! It knows JSON values and where they are, but no kinds, and may use `values`.

mod changes;
mod objects;
mod stored;

pub(crate) use changes::{Changes, lock};
pub(crate) use objects::{Change, Collection, GroupResource, Objects, Snapshot};
pub(crate) use stored::Stored;
