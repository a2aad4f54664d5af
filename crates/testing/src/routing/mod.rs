//! Leads a request to its answer.
//!
//! It may use all parts but `transport`, `server` and `controllers`.

pub(crate) mod discovery;
pub(crate) mod openapi;
pub(crate) mod serve;
