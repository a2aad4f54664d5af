//! Children of an owner: created, corrected, left alone, rejected and pruned.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

mod applied;
mod former;
mod rejected;
mod stage;
