//! Tests clean-up and configuration from outside the test process.
#![allow(clippy::unwrap_used, clippy::panic)]

mod cleanup;
mod configuration;
mod up;
mod waits;
