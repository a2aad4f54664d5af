//! Informers, listers, controllers and events against a scripted API server, under a paused clock.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub
)]
mod contract;
mod controllers;
mod decoding;
mod dynamic;
mod events;
mod factories;
mod gone;
mod handlers;
mod ignoring;
mod listing;
mod namespaces;
mod oddities;
mod own_writes;
mod priorities;
mod random_writes;
mod reads;
mod reconciling;
mod reflecting;
mod relists;
mod script;
mod sources;
mod supervision;
mod watching;
