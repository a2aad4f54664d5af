//! A structural schema and an object in; pruned, defaulted and judged objects out. Formats and CEL rules are not looked at.
mod default;
mod junctors;
mod prune;
mod validate;

pub(super) use default::default;
pub(super) use prune::prune;
pub(super) use validate::validate;
