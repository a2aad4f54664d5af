//! What runs are compared with: what the runs of a workload without faults have shown, and which differences say nothing.

mod allocated;
mod done;
mod reference;

pub(crate) use allocated::{Allocated, allocated, without_allocated};
pub(crate) use done::{done_again, runs_once};
pub(crate) use reference::{Basis, Counts, Reference, Rested};
