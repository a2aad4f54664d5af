//! Tests the operator in memory, under schedules of faults, and on a real control plane if one can be built.
#![allow(clippy::unwrap_used, clippy::panic)]
// It waits for a minute, and starts first, since tests start in the order of their names.
mod certificates;
mod cluster;
mod deployed;
mod failures;
mod memory;
mod policies;
#[path = "../simulate.rs"]
mod simulate;
mod stage;
