//! Tests of schemas and rules, compared with what kube-apiserver answers.

mod comparisons;
mod costs;
mod estimates;
mod objects;
mod rules;
