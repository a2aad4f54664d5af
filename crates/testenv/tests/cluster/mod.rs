//! Tests the control plane and the proxy, and the runtime's client and informer against both.
//!
//! They are one binary so that all tests share one control plane.
#![allow(clippy::unwrap_used, clippy::panic)]

mod absent;
mod client;
mod control_plane;
mod handover;
mod informer;
mod leaders;
mod metrics;
mod migration;
mod proxy;
mod shards;
mod support;
