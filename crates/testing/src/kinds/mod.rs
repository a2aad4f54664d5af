//! Describes the kinds that the server serves, built-in ones and those of CustomResourceDefinitions, and holds their objects.
//!
//! It may use `webhooks`, `storage` and `values`.

pub(crate) mod builtin;
mod conversions;
pub(crate) mod convert;
pub(crate) mod definition;
pub(crate) mod events;
pub(crate) mod kind;
pub(crate) mod names;
pub(crate) mod scale;
pub(crate) mod status;
pub(crate) mod store;
pub(crate) mod target;
pub(crate) mod transient;
mod uids;
