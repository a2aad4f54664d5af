//! The requests of a typed client, and how it reads the responses.
#![allow(clippy::unwrap_used)]
mod errors;
mod finalizers;
pub(crate) mod gadget;
mod kinds;
mod migration;
mod modify;
mod modify_kinds;
mod pages;
mod random;
mod retry;
#[cfg(feature = "cli")]
mod secrets;
mod server;
mod tasks;
#[cfg(feature = "rustls-tls")]
mod tokens;
mod verbs;
