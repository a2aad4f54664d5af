//! The manifest of a CRD, as JSON.
use serde_json::Value;

/// All of it, to be read by people too.
pub(crate) fn text(manifest: &Value) -> String {
    format!("{manifest:#}\n")
}
