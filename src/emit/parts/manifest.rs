//! The manifest of a CRD, as JSON.

/// All of it, to be read by people too.
pub(crate) fn text(manifest: &str) -> String {
    let mut text = String::with_capacity(manifest.len() + 1);
    text.extend([manifest, "\n"]);
    text
}
