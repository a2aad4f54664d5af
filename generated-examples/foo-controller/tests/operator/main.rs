//! Tests the operator with an API server in memory and on a real control plane.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
mod cluster;
mod memory;
