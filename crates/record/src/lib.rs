//! A value of any generated type in, its serde form out (and back): one reader and one writer for all types; never code generic over the (de)serializer per type.
//!
//! A type shows itself as a [`Record`]: named fields that can be looked at ([`View`]) and filled ([`Slot`]) through trait objects.
//! The reader and the writer are generic over the serde (de)serializer alone, so a program instantiates them once per data format,
//! whatever the number of types. `serde::Serialize` and `Deserialize` are implemented for every record and delegate here.
//!
//! # How an object is read
//! - Unknown fields are ignored, or kept where the schema preserves them (`.. rest` of [`records!`](crate::records)).
//! - The last of duplicate keys wins.
//! - `null` is the same as absent, save for [`Nullable`] and raw JSON, which keep it.
//! - A missing required field is blank (empty, zero, `false`): the API server's defaulting and ratcheting make such objects real.
//! - An unknown value of an enum is kept: as text, as number, or as raw JSON where values are of several types.
//! - A wrong type is an error that carries the path; all such problems of one object are told at once, and reading goes on behind each.
//! - `apiVersion` and `kind` are checked where present.
//! - A [`DateTime`] is any text, and is written as it was read. `Time` inside types of k8s-openapi is a moment, written anew in UTC.
//! - A [`Number`] is an integer of 64 bits or a float of double precision, as the API server holds numbers; a plain `f64`, which only an
//!   override makes a field, has no more than 53 bits of an integer.
//! - A `ByteString` is read from any spelling of its base64, and written in the canonical one.
//! - Integers may come as integral floats (`3.0`), and numbers as `serde_json`'s `arbitrary_precision` hands them over.
//! - An error of the deserializer itself (malformed text, end of input) is handed on as it is, with its line, column and category.
mod bytes;
mod choices;
mod containers;
mod date_time;
mod foreign;
mod json;
mod k8s;
mod keys;
mod literal;
mod macros;
mod nullable;
mod number;
mod place;
mod read;
mod report;
pub mod resource;
mod scalars;
mod spelling;
mod value;
pub mod walk;
mod write;

pub use date_time::DateTime;
pub use foreign::{Fault, Foreign, Sink, Source};
pub use literal::Literal;
pub use nullable::Nullable;
pub use number::Number;
pub use read::read;
pub use value::{
    Fixed, List, Map, Misfit, Optional, Record, Scalar, Slot, Text, Value, View, Whole,
};
pub use write::write;

/// What the macros of this module name; not for use by hand.
#[doc(hidden)]
pub mod private {
    pub use super::choices::{fit, integer};
    pub use super::macros::assert_order;
    pub use super::walk::go;
    pub use serde::{Deserialize, Deserializer, Serialize, Serializer};
    pub use serde_json::Value as Json;
    pub use std::collections::BTreeMap;
}
