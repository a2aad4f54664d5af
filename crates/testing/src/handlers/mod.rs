//! Executes the verbs.
//!
//! It may use `admission`, `fields`, `record`, `request`, `kinds` and what those use.

pub(crate) mod apply;
pub(crate) mod body;
pub(crate) mod gc;
pub(crate) mod internal;
pub(crate) mod patch;
pub(crate) mod pods;
pub(crate) mod read;
pub(crate) mod scale;
pub(crate) mod table;
pub(crate) mod watch;
pub(crate) mod write;
