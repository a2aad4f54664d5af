//! Pieces of code come in, lines go out as rustfmt leaves them, so that nothing has to be formatted again.
mod items;
mod lists;
mod members;
mod types;

pub(crate) use items::{assigned, attribute, call, function, gate, head, passed};
pub(crate) use lists::{import, texts};
pub(crate) use members::Members;
pub(crate) use types::{alias, field, foreign};

/// The longest line.
const MAX: usize = 100;
/// What a line is further from the margin than the one that it belongs to.
pub(crate) const MARGIN: &str = "    ";

/// A file: its docs, its `use` lines if it has any, and its items, each with an empty line above it.
pub(crate) fn file(docs: &str, uses: &str, items: &str) -> String {
    let gap = if uses.is_empty() { "" } else { "\n" };
    format!("//! {docs}\n{gap}{uses}{items}")
}

/// Whether so many pieces fit on a line together.
fn fits(pieces: &[&str]) -> bool {
    let width: usize = pieces.iter().map(|piece| piece.chars().count()).sum();
    width <= MAX
}
