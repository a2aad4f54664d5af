//! Tests of the runtime: one program, which is linked once, and whose tests that wait run beside those that compute.

mod caches;
mod children;
mod client;
mod clusters;
mod fuzzed;
mod leader_election;
mod log;
mod manager;
mod selects;
#[cfg(feature = "server")]
mod server;
mod shards;
mod traces;
#[cfg(feature = "webhook")]
mod webhook;
