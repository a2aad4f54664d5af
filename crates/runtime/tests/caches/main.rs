//! Informers, listers, controllers and events against a scripted API server, under a paused clock.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub
)]
mod controllers;
mod decoding;
mod events;
mod factories;
mod handlers;
mod listing;
mod reads;
mod reconciling;
mod script;
mod watching;
