//! Tools for the owner of an API: what a CRD promises, how it changes, and how it reads.
//!
//! `compat` compares releases, `lint` checks conventions, `policy` exports admission policies, `json_schema` serves editors, and `site`
//! writes the reference pages. They use the generator (`base`, `input`, `model`, `output`), which does not know them.
pub(crate) mod compat;
pub(crate) mod json_schema;
pub(crate) mod lint;
pub(crate) mod object_meta;
pub(crate) mod policy;
pub(crate) mod rule_table;
pub(crate) mod sample;
pub(crate) mod site;
