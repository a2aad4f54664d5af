//! Tests reading: sources, YAML, CRDs and their diagnostics.

mod accepted;
mod crdkind;
mod invalid;
mod source;
mod yaml;
