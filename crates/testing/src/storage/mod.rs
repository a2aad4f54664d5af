//! Stores objects, their versions, and the history that watches read.
//!
//! It may use `values`.

pub(crate) mod store;
pub(crate) mod stored;
