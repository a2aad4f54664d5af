//! The harness seen from outside its process: what it leaves behind, and what it takes from the environment.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)]

mod left_behind;
mod sources;
mod up;
