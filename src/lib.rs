//! Rust types, typed clients, listers, informers and controllers from CustomResourceDefinitions.
pub mod crd;
pub mod diag;
pub mod emit;
pub mod ir;
pub mod lower;
pub mod options;
pub mod pass;
pub mod pipeline;
pub mod render;
pub mod source;
