//! Admits writes: completes an object's new state, asks webhooks and policies, and validates.
//!
//! It may use `fields`, `request`, `kinds` and what those use.

pub(crate) mod admit;
pub(crate) mod limits;
pub(crate) mod service_ports;
pub(crate) mod webhooks;
