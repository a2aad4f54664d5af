//! Checks the README and the book: commands print what is shown, links lead somewhere, references are complete, and the text is plain
//! English, and the structure and the weight of the code are as CONTRIBUTING.md says. The crate `tests/book` compiles and runs the examples in Rust.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

mod circles;
mod commands;
mod pages;
mod reference;

mod tutorial;
mod weight;

use std::{fs, path::Path};

/// Returns the text of a file of the repository.
fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}
