//! Queries over records: JSON paths, printer columns, tables as `kubectl get` prints them, and selectable fields.
//!
//! ```
//! use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
//! use kube_codegen_record::walk::{Column, ColumnType, Columns};
//!
//! struct Widget { metadata: ObjectMeta, size: Option<i64> }
//!
//! // Generated code has these for each kind:
//! kube_codegen_record::records! { Widget { metadata, size } }
//! impl Columns for Widget {
//!     const COLUMNS: &'static [Column] = &[Column {
//!         name: "Size",
//!         type_: ColumnType::Integer,
//!         format: None,
//!         json_path: ".size",
//!         priority: 0,
//!         description: None,
//!     }];
//! }
//!
//! let widget: Widget = serde_json::from_str(r#"{"metadata": {"name": "a"}, "size": 3}"#)?;
//! assert_eq!(Widget::table().print([widget]), "NAME   SIZE\na      3\n");
//! # Ok::<(), serde_json::Error>(())
//! ```
mod age;
mod cell;
mod column;
mod eval;
mod field;
mod go;
mod node;
mod parse;
mod path;
mod table;

pub use age::human_duration;
pub use column::{Column, ColumnType};
pub use field::SelectableField;
pub use node::Node;
pub use path::{Path, PathError};
pub use table::{Columns, Table};
