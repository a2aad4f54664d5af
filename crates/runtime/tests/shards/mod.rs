//! Shards among replicas, against an API server in memory, under a paused clock.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod caches;
mod simulation;
mod steps;
mod world;
