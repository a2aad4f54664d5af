//! The Rust examples of the book: each page of `docs/` is a module, and each of its examples a documentation test.
include!(concat!(env!("OUT_DIR"), "/pages.rs"));
