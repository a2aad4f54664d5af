#![doc = include_str!("../README.md")]
// The macros of `cel` take types without lifetimes.
#![allow(elided_lifetimes_in_paths)]

mod check;
mod depth;
mod errors;
mod estimate;
mod implied;
mod library;
mod literals;
mod partial;
mod program;
mod run;
mod size;
mod syntax;
mod types;
mod value;

pub use check::Problem;
pub use estimate::Sizes;
pub use library::{Declaration, functions};
pub use partial::{Facts, Presence};
pub use program::{
    CheckError, Checked, CompileError, Evaluation, EvaluationError, PER_CALL_LIMIT, Program,
};
pub use syntax::{escape, is_reserved};
pub use types::Type;
pub use value::{Hidden, Identity, Value};
