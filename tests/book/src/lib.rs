//! The Rust examples of the book: each page of `docs/` is a module, and each of its examples a documentation test.
#![allow(
    clippy::doc_markdown,
    clippy::test_attr_in_doctest,
    reason = "pages are prose, and show tests"
)]

include!(concat!(env!("OUT_DIR"), "/pages.rs"));
