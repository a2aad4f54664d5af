//! The servers for health checks, metrics and debugging, over real connections.
#![allow(clippy::unwrap_used, clippy::panic, unreachable_pub)]
mod access;
mod certificates;
mod dashboards;
mod documented;
mod exposition;
mod health;
mod http;
#[cfg(feature = "cli")]
mod managed;
mod policy;
mod program;
mod promql;
