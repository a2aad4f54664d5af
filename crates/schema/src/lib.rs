//! Prunes, defaults and validates custom resources by the schema of their CRD, as the API server does.
//!
//! ```
//! use kube_codegen_schema::Schema;
//! use serde_json::json;
//!
//! let schema = Schema::new(&json!({
//!     "type": "object",
//!     "properties": {"spec": {
//!         "type": "object",
//!         "required": ["size"],
//!         "properties": {
//!             "size": {"type": "integer", "format": "int32", "minimum": 1},
//!             "color": {"type": "string", "default": "red"},
//!         },
//!     }},
//! }))?;
//! let mut object = json!({"spec": {"size": 0, "colour": "blue"}});
//! assert_eq!(schema.prune(&mut object), ["spec.colour"]);
//! schema.apply_defaults(&mut object);
//! assert_eq!(object["spec"]["color"], "red");
//!
//! let causes = schema.validate(&object);
//! assert_eq!(causes[0].field, "spec.size");
//! assert_eq!(
//!     causes[0].to_string(),
//!     "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"
//! );
//! # Ok::<(), kube_codegen_schema::Error>(())
//! ```
//!
//! With feature `cel`, the rules of `x-kubernetes-validations` are evaluated too.
//!
//! The messages, reasons and field paths are those of Kubernetes 1.37. Violations are in the order of the field names, where the API
//! server's order is random.

mod cause;
mod defaults;
pub mod definition;
mod embedded;
mod lists;
mod metadata;
mod node;
mod object_meta;
mod old;
mod path;
mod prune;
#[cfg(feature = "cel")]
mod rule;
#[cfg(feature = "cel")]
mod rules;
#[cfg(feature = "sample")]
mod sample;
mod scale;
mod schema;
mod validate;
mod work;

pub use cause::{Cause, Reason};
pub use kube_codegen_formats::pattern::pattern_error;
pub use metadata::{undecodable_metadata, validate_metadata};
pub use path::pointer;
#[cfg(feature = "cel")]
pub use rules::{Expression, ExpressionError, RuleProblem};
#[cfg(feature = "sample")]
pub use sample::Extent;
pub use schema::{Error, Schema};
