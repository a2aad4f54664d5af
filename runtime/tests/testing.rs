//! The in-memory API server, driven as its users drive it: by `kube::Api`, kube's watcher and finalizer helper, and over a socket.
#![cfg(feature = "testing")]
// Each test may fail by panicking; helpers of tests as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "testing/apply.rs"]
mod apply;
#[path = "testing/crd.rs"]
mod crd;
#[path = "testing/delete.rs"]
mod delete;
#[path = "testing/faults.rs"]
mod faults;
#[path = "testing/finalizer.rs"]
mod finalizer;
#[path = "testing/list.rs"]
mod list;
#[path = "testing/socket.rs"]
mod socket;
#[path = "testing/support.rs"]
mod support;
#[path = "testing/watch.rs"]
mod watch;
#[path = "testing/write.rs"]
mod write;
