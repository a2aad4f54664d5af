//! Calls webhooks, over HTTP and HTTPS or in the same process.
//!
//! It may use `values`.

pub(crate) mod condition;
pub(crate) mod hook;
pub(crate) mod in_process;
