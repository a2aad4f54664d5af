//! Compares resource versions.

/// Whether both are numbers, and `version` is the lower one.
pub(crate) fn is_earlier(version: &str, than: &str) -> bool {
    let number = |version: &str| version.parse::<u64>().ok();
    matches!((number(version), number(than)), (Some(version), Some(than)) if version < than)
}
