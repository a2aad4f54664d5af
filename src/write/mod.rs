//! Finished files come in, a directory that holds just these goes out; a file that is not our own is never touched.
//!
//! First everything is looked at and planned ([`plan`]); an obstacle anywhere means that nothing is written at all.
//! Then ([`Plan::apply`]) new texts are laid beside their targets as temporary files, renamed into place, and own files
//! that are no longer made are removed. A file whose text is the same is not touched and keeps its time stamp.
mod apply;
mod error;
mod journal;
mod manifest;
mod path;
mod plan;
mod stage;

pub use error::{Error, Obstacle};
pub use manifest::MANIFEST;
pub use plan::{Action, Change, Plan, plan, plan_once};

/// Whether a text says in its first line that it is ours.
fn is_marked(text: &[u8]) -> bool {
    let line = text.split(|byte| *byte == b'\n').next();
    line.is_some_and(|line| line.trim_ascii_end() == crate::render::HEADER.as_bytes())
}

#[cfg(test)]
mod tests;
