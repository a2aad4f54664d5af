//! Tests the generated output: goldens, text from CRDs in it, and the files on disk.

mod files;
mod golden;
mod injection;
