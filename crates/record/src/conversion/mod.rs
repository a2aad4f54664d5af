//! Converts objects between the versions of a kind, as JSON, along the schema paths that differ.
//!
//! One version is the hub and the others are spokes. A [`Converter`] converts any version to any other through the hub. Everything that
//! both versions have at the same path is preserved, including unknown fields. For all other paths, generated code defines a trait that
//! asks you for a [`Mapping`], a [`Narrowing`] or an [`IfAbsent`].
//!
//! A value without a place in the other version is stored in the annotation `GROUP/kept-by-conversion`. It is restored by the next
//! conversion back to its version, unless the field that it belongs to was changed in between.
//!
//! ```
//! use kube_codegen_record::conversion::{Converter, IfAbsent, Mapping, Spoke};
//! use serde_json::json;
//!
//! // v1 has `spec.size` and `spec.color`; in v2, the hub, the size is a text at `spec.capacity`.
//! let size = Mapping::fallible(|size: i64| Ok::<_, String>(format!("{size}Gi")), |capacity: String| {
//!     capacity.trim_end_matches("Gi").parse::<i64>()
//! });
//! let v1 = Spoke::new("v1")
//!     .map(["spec", "size"], ["spec", "capacity"], size)
//!     .only_in_spoke(["spec", "color"], IfAbsent::value("red".to_owned()));
//! let converter = Converter::new("example.com", "Widget", "v2").spoke(v1);
//!
//! let old = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": 5, "color": "blue"}});
//! let new = converter.convert(old.clone(), "example.com/v2")?;
//! assert_eq!(new["spec"], json!({"capacity": "5Gi"}));
//! assert_eq!(converter.convert(new, "example.com/v1")?, old);
//! # Ok::<(), kube_codegen_record::conversion::ConversionError>(())
//! ```
mod converter;
mod error;
mod kept;
mod mapping;
mod path;
mod review;
mod round_trip;
mod spoke;
mod total;

pub use converter::Converter;
pub use error::ConversionError;
pub use mapping::{IfAbsent, Mapping, Narrowing};
pub use path::FieldPath;
pub use review::review;
pub use round_trip::{RoundTripError, assert_round_trips, round_trip};
pub use spoke::Spoke;
