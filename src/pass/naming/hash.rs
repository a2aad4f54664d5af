//! A short mark of a text, the same on every machine and for ever: names depend on it.
use crate::hash::fnv1a;

/// How long a mark is.
pub(super) const LEN: usize = 5;

/// [`LEN`] characters that stand for a text: `H` and four hexadecimal digits (FNV-1a, folded).
pub(super) fn mark(text: &str) -> String {
    let hash = fnv1a(text.bytes());
    let folded = hash ^ (hash >> 16) ^ (hash >> 32) ^ (hash >> 48);
    format!("H{:04x}", folded & 0xffff)
}
