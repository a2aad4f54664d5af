//! Tests the operator with an API server in memory, under schedules of faults, and on a real control plane.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
mod cluster;
mod memory;
#[path = "../simulate.rs"]
mod simulate;
