//! A short mark of a text, the same on every machine and for ever: names depend on it.

/// How long a mark is.
pub(super) const LEN: usize = 5;

/// [`LEN`] characters that stand for a text: `H` and four hexadecimal digits (FNV-1a, folded).
pub(super) fn mark(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let folded = hash ^ (hash >> 16) ^ (hash >> 32) ^ (hash >> 48);
    format!("H{:04x}", folded & 0xffff)
}
