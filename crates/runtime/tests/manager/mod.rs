//! The manager against an API server in memory, under a paused clock.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod absent;
mod controllers;
#[cfg(all(feature = "rustls-tls", feature = "server"))]
mod durations;
mod election;
#[cfg(feature = "cli")]
mod flags;
mod life;
mod stalls;
mod wiring;
