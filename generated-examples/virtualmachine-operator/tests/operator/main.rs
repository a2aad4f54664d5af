//! Tests the operator in memory, under schedules of faults, and on a real control plane if one can be built.
#![allow(clippy::unwrap_used, clippy::panic)]
mod cluster;
mod deployed;
mod failures;
mod memory;
mod policies;
mod rotation;
#[path = "../simulate.rs"]
mod simulate;
mod stage;
