//! Tests the in-memory API server through `kube::Api`, kube's watcher and finalizer helper, and a socket.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

mod access;
mod admission;
mod apply;
mod bounds;
mod broken;
#[cfg(feature = "tls")]
mod certificates;
mod controllers;
mod conversion;
mod crd;
mod definition;
mod delete;
mod discovery;
mod durations;
mod events;
mod extremes;
mod faults;
mod intercept;
mod list;
mod namespaces;
mod numbers;
mod patch;
mod policies;
mod protocol;
mod requests;
mod size;
mod subresources;
mod support;
mod transport;
mod watch;
mod write;
