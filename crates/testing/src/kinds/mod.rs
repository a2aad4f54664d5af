//! Describes the kinds that the server serves: built-in ones, and those that CustomResourceDefinitions define.
//!
//! It may use `webhooks`, `storage` and `values`.

pub(crate) mod builtin;
pub(crate) mod convert;
pub(crate) mod definition;
pub(crate) mod events;
pub(crate) mod kind;
pub(crate) mod names;
pub(crate) mod transient;
