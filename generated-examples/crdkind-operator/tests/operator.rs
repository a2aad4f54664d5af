//! The operator against an API server in memory, in process and as a separate process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "operator/points.rs"]
mod points;
#[path = "operator/process.rs"]
mod process;
#[path = "operator/support.rs"]
mod support;
