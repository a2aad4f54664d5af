//! Paths, cells, tables and selectable fields.
#![allow(clippy::unwrap_used)]
mod cells;
mod fields;
mod paths;
mod tables;
mod types;

use types::CrdKind;

fn kind(text: &str) -> CrdKind {
    serde_json::from_str(text).unwrap()
}
