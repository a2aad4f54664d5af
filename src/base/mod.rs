//! What every stage uses: options, input sources, diagnostics, and threads.
//!
//! This room knows nothing about CRDs. `source` turns `-f` arguments into texts, `diag` collects what a stage finds and prints it with
//! its position in those texts, `options` is the one table behind flags, config keys and builder methods, and `threads` spreads work over
//! the cores. Every other room builds on it; it builds on none.
pub mod diag;
pub mod options;
pub mod source;
pub(crate) mod threads;
