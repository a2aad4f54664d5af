//! The operator against an API server in memory, in process and as a separate process, under schedules of faults, and on a real control plane.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cluster;
mod points;
mod process;
#[path = "../simulate.rs"]
mod simulate;
mod support;
