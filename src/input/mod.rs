//! From texts to checked CRDs.
//!
//! `yaml` parses YAML and JSON the way the API server's clients do and keeps the position of every value; `crd` turns those values into
//! typed CRDs and reports what the API server would reject; `list` takes the objects out of lists; `locate` finds the position of a
//! diagnostic again. This is the only way CRDs enter the program. It builds on `base` and hands its CRDs to `model`.
pub(crate) mod crd;
#[cfg(feature = "cli")]
pub(crate) mod list;
pub(crate) mod locate;
pub(crate) mod path;
pub(crate) mod yaml;
