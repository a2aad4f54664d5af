//! The manifest of a CRD, as JSON.
use serde_json::Value;

/// All of it, to be read by people too.
pub(crate) fn text(manifest: &Value) -> String {
    // A value has no key that is not text, so it cannot fail.
    let mut text = serde_json::to_string_pretty(manifest).unwrap_or_default();
    text.push('\n');
    text
}
