//! Evaluates the validation rules of a schema
//! ([CEL in Kubernetes](https://kubernetes.io/docs/reference/using-api/cel/)).

// The macros of `cel` take types without lifetimes.
#![allow(elided_lifetimes_in_paths)]

mod errors;
mod evaluate;
mod expression;
mod keyed;
mod library;
mod names;
mod rule;
mod value;

pub(crate) use evaluate::{Change, evaluate};
pub use expression::Expression;
pub(crate) use rule::Rule;
