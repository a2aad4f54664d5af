//! Writes generated files so that a directory contains exactly those of the run, and touches no file of someone else. Only [`plan_update`]
//! changes files of the user: its callers have merged them.
//!
//! [`plan`] compares the files with the directory; if there is an obstacle anywhere, nothing is written. [`Plan::apply`]
//! writes new texts to temporary files next to their targets, renames them, and removes stale files. A file whose text
//! is the same keeps its time stamp. A [`Lock`] keeps other runs away from before the plan until after that. Nothing is written or removed
//! through a symbolic link, and nothing is removed because a list says so: the file itself has to show that it is generated.
mod apply;
mod error;
mod file_list;
mod lock;
mod path;
mod plan;
mod root;
mod stage;

pub use error::{Error, Obstacle};
pub use file_list::{FILE_LIST, unchanged_files};
#[cfg(feature = "cli")]
pub(crate) use file_list::{hash, marked};
pub use lock::Lock;
pub use plan::{Action, Change, Plan, plan, plan_once, plan_part, plan_update};
pub use root::Root;

/// Returns whether the first line of a text marks it as generated code.
fn is_marked(text: &[u8]) -> bool {
    let line = text.split(|byte| *byte == b'\n').next();
    line.is_some_and(|line| line.trim_ascii_end() == crate::output::render::HEADER.as_bytes())
}

#[cfg(test)]
mod tests;
