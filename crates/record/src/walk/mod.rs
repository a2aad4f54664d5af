//! Records in, what a path finds in them out: printer columns, tables as of `kubectl get`, selectable fields; nothing is generated per type but constants.
mod age;
mod cell;
mod column;
mod eval;
mod field;
mod filter;
#[doc(hidden)]
pub mod go;
mod node;
mod parse;
mod path;
mod table;

pub use age::human_duration;
pub use column::{Column, ColumnType, Columns};
pub use field::SelectableField;
pub use node::Node;
pub use path::{Path, PathError};
pub use table::Table;
