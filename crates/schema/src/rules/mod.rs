//! Evaluates the validation rules of a schema
//! ([CEL in Kubernetes](https://kubernetes.io/docs/reference/using-api/cel/)).

mod evaluate;
mod examine;
mod expression;
mod problems;
mod sizes;
mod types;
mod values;

pub(crate) use evaluate::{Change, evaluate};
pub use expression::{Expression, ExpressionError};
pub use problems::RuleProblem;
pub(crate) use problems::problems;
