//! Reads the `subresources` of a version.
use super::reader::{At, CrdReader, entry, text_of};
use crate::base::diag::{Code, Severity};
use serde_json::{Map, Value};

/// `subresources.scale`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scale {
    /// `specReplicasPath`
    pub spec_replicas_path: String,
    /// `statusReplicasPath`
    pub status_replicas_path: String,
    /// `labelSelectorPath`
    pub label_selector_path: Option<String>,
}

/// The subresources of a version.
#[derive(Default)]
pub(super) struct Subresources {
    pub(super) status: bool,
    pub(super) scale: Option<Scale>,
}

pub(super) fn read(
    reader: &mut CrdReader<'_>,
    version: &Map<String, Value>,
    at: &At<'_>,
) -> Subresources {
    let at = at.key("subresources");
    let Some(value) = entry(version, "subresources") else {
        return Subresources::default();
    };
    let Some(map) = value.as_object() else {
        return Subresources::default();
    };
    Subresources {
        status: entry(map, "status").is_some(),
        scale: entry(map, "scale").and_then(|value| scale(reader, value, &at.key("scale"))),
    }
}

fn scale(reader: &mut CrdReader<'_>, value: &Value, at: &At<'_>) -> Option<Scale> {
    let map = value.as_object()?;
    let fields = [
        "specReplicasPath",
        "statusReplicasPath",
        "labelSelectorPath",
    ];
    let [spec, status, selector] = fields;
    let mut path = |key: &str| {
        let path = text_of(map, key)?;
        // The API server accepts lists and filters, but finds nothing with them.
        let is_below = roots(key)
            .iter()
            .any(|root| path.starts_with(&format!("{root}.")));
        if is_below && !is_simple(&path) {
            let (message, hint) = wrong_path(key, &path);
            let finding = reader.report(Code::InvalidPath, &at.key(key), message);
            finding.hint(hint).severity = Severity::Warning;
        }
        Some(path)
    };
    let (spec, status, selector) = (path(spec), path(status), path(selector));
    Some(Scale {
        spec_replicas_path: spec?,
        status_replicas_path: status?,
        label_selector_path: selector,
    })
}

/// Returns what the path in a field of `scale` must be below.
fn roots(key: &str) -> &'static [&'static str] {
    match key {
        "specReplicasPath" => &[".spec"],
        "statusReplicasPath" => &[".status"],
        _ => &[".spec", ".status"],
    }
}

/// Returns what is wrong with a path in `scale`, and a hint.
pub(super) fn wrong_path(key: &str, path: &str) -> (String, String) {
    let roots = roots(key);
    let example = format!("{}.replicas", roots.first().unwrap_or(&""));
    let roots = roots.join(" or ");
    (
        format!("{key} {path:?} is not a path of field names below {roots}"),
        format!("write it like {example}; lists and filters select nothing here"),
    )
}

/// Whether a JSON path consists of field names only, like `.spec.replicas`.
pub(super) fn is_simple(path: &str) -> bool {
    path.strip_prefix('.').is_some_and(|names| {
        names.split('.').all(|name| {
            !name.is_empty()
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        })
    })
}
