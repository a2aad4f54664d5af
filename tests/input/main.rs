//! Tests reading: sources, YAML, CRDs and their diagnostics.

#[path = "../common/mod.rs"]
mod common;
mod crdkind;
mod invalid;
mod source;
mod yaml;
