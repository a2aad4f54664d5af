//! From the model to files.
//!
//! `emit` writes Rust as tokens, one module per emitter; `render` parses and formats them; `write` compares the result with the disk and
//! replaces what differs. It reads the frozen model and decides nothing about names or types.
pub(crate) mod emit;
pub(crate) mod render;
#[cfg(feature = "cli")]
pub(crate) mod template;
pub(crate) mod write;
#[cfg(feature = "cli")]
pub(crate) mod yaml;
