//! Tests the generated output: goldens, text from CRDs in it, and the files on disk.

mod compatibility;
mod files;
mod golden;
pub(crate) mod injection;
