//! The in-memory API server, driven as its users drive it: by `kube::Api`, kube's watcher and finalizer helper, and over a socket.

// Each test may fail by panicking; helpers of tests as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod apply;

mod crd;

mod delete;

mod faults;

mod finalizer;

mod list;

mod socket;

mod support;

mod watch;

mod write;
