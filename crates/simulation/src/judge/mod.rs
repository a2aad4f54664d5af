//! What must hold: at rest, after each phase, and compared with runs without faults.

mod compare;
mod history;
mod reference;

pub(crate) use compare::{at_rest, compare_counts, emptied};
pub(crate) use history::{history, wrong_history};
pub(crate) use reference::{Basis, Counts, Reference, Rested};
