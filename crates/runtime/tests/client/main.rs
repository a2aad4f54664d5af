//! What a typed client sends, and what it makes of the answers.
#![allow(clippy::unwrap_used)]
mod errors;
mod kinds;
mod pages;
mod retry;
mod server;
mod verbs;
