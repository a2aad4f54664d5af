//! The manager against an API server in memory, under a paused clock.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod controllers;
mod election;
#[cfg(feature = "cli")]
mod flags;
mod life;
mod stalls;
