//! What the emitters share: Rust types and names, docs, imports, layout, module files.
pub(super) mod aliases;
pub(super) mod constants;
pub(super) mod constructor;
pub(super) mod doc;
pub(super) mod gate;
pub(super) mod imports;
pub(super) mod inline;
pub(super) mod layout;
pub(super) mod manifest;
pub(super) mod modules;
pub(super) mod order;
pub(super) mod records;
pub(super) mod rules;
pub(super) mod rust;
pub(super) mod text;
pub(super) mod uses;
