//! The control plane, the proxy before it, and the runtime's client and informer against both.
//!
//! One binary, so that all tests share one control plane; where none can be had they are skipped, and say so.
#![allow(clippy::unwrap_used, clippy::panic)]

mod client;
mod control_plane;
mod informer;
mod proxy;
mod support;
