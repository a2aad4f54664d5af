//! Tests of the generator: one program, which is linked once, and whose tests that start other programs run beside those that compute.

mod build_rs;
mod cli;
mod common;
mod corpus;
mod docs;
mod fuzz;
mod input;
mod output;
