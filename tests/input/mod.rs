//! Tests reading: sources, YAML, CRDs and their diagnostics.

mod crdkind;
mod invalid;
mod source;
mod yaml;
