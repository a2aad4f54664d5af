//! Tests of expressions.

mod depth;
mod recorded;
mod rejected;
