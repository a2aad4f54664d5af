//! Leader election against an API server in memory, under a paused clock.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod clocks;
mod coordinated;
pub(crate) mod network;
mod numbers;
mod responses;
pub(crate) mod simulation;
mod steps;
