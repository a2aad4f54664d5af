//! Webhooks over real connections: their answers, certificates, configurations and metrics.
#![allow(clippy::unwrap_used, clippy::panic, unreachable_pub)]
mod admission;
mod certificates;
mod configurations;
mod conversion;
mod operator;
