//! Runs the parser and the generator over the corpus of real and hostile CRDs.

#[path = "../common/mod.rs"]
mod common;
mod generate;
mod hostile;
mod parse;
