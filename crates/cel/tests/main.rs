//! Tests of expressions.

mod depth;
mod recorded;
