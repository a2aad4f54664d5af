//! Evaluates the validation rules of a schema
//! ([CEL in Kubernetes](https://kubernetes.io/docs/reference/using-api/cel/)).

// The macros of `cel` take types without lifetimes.
#![allow(elided_lifetimes_in_paths)]

mod check;
mod choose;
mod cost;
mod equal;
mod errors;
mod estimate;
mod evaluate;
mod expression;
mod fold;
mod interpret;
mod library;
#[cfg(feature = "sample")]
mod literals;
mod names;
mod operate;
mod problems;
mod rule;
mod shared;
mod value;

pub(crate) use evaluate::{Change, evaluate};
pub use expression::Expression;
pub(crate) use problems::problems;
pub(crate) use rule::Rule;
