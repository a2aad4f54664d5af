//! What must hold: at rest, after each phase, and compared with runs without faults.

mod compare;
mod harm;
mod history;
mod reference;

pub(crate) use compare::{as_many, at_rest, compare_counts, emptied, touched, untrue};
pub(crate) use harm::{gap, harm};
pub(crate) use history::{history, wrong_history};
pub(crate) use reference::{Basis, Counts, Reference, Rested};
