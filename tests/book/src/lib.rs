//! The Rust examples of the book: each page of `docs/` is a module, and each of its examples a documentation test.

// The book is what people read: `cargo doc` has nothing to add.
#[cfg(doctest)]
include!(concat!(env!("OUT_DIR"), "/pages.rs"));
