//! What must hold: at rest, after each phase, and compared with runs without faults.

mod allocated;
mod compare;
mod done;
mod harm;
mod history;
mod reference;

pub(crate) use allocated::{Allocated, allocated, without_allocated};
pub(crate) use compare::{as_many, at_rest, compare_counts, emptied, touched, untrue};
pub(crate) use done::{done_again, runs_once};
pub(crate) use harm::{Harm, gap, harm, vanished};
pub(crate) use history::{history, wrong_history};
pub(crate) use reference::{Basis, Counts, Reference, Rested};
