//! Reads, writes and compares JSON values, and builds the `Status` answers of errors; knows no kinds.
//!
//! It uses no other part of the server.

pub(crate) mod go;
pub(crate) mod json;
pub(crate) mod numbers;
pub(crate) mod object;
pub(crate) mod patch;
pub(crate) mod status;
