//! Compiles and evaluates the CEL expressions of admission policies.
//!
//! An expression is compiled in an [`Environment`]: which variables exist, and which type its result needs. Expressions of one policy
//! share an [`Activation`]: the variables of a policy are evaluated at most once for it, when an expression names them, and all
//! evaluations share a budget.
//!
//! It may use `values`. Without CEL, policies have no effect, and their expressions are not checked.

#[cfg(feature = "cel")]
mod activation;
#[cfg(feature = "cel")]
mod environment;

#[cfg(feature = "cel")]
pub(crate) use self::{
    activation::{Activation, BUDGET, CONDITIONS_BUDGET, Failure, Inputs},
    environment::{Compiled, Environment},
};

/// What an expression is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A validation or a match condition.
    Condition,
    Message,
    Annotation,
    #[cfg(feature = "cel")]
    Variable,
    ApplyConfiguration,
    JsonPatch,
}
