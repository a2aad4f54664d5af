//! Tests of expressions.

mod depth;
mod recorded;
mod refused;
