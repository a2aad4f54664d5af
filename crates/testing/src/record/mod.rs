//! Records what was asked, and injects faults.
//!
//! It may use `request` and what that uses.

pub(crate) mod fault;
pub(crate) mod intercept;
pub(crate) mod log;
pub(crate) mod metrics;
pub(crate) mod recorded;
