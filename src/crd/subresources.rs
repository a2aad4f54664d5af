//! Reads the `subresources` of a version.
use super::reader::{At, Reader, entry};
use crate::diag::{Code, Severity};
use crate::ir::Scale;
use serde_json::{Map, Value};

/// The subresources of a version.
#[derive(Default)]
pub(super) struct Subresources {
    pub(super) status: bool,
    pub(super) scale: Option<Scale>,
}

pub(super) fn read(
    reader: &mut Reader<'_>,
    version: &Map<String, Value>,
    at: &At<'_>,
) -> Subresources {
    let at = at.key("subresources");
    let Some(value) = entry(version, "subresources") else {
        return Subresources::default();
    };
    let Some(map) = reader.object(value, &at) else {
        return Subresources::default();
    };
    reader.unknown_fields(map, &["scale", "status"], &at);
    Subresources {
        status: entry(map, "status")
            .is_some_and(|status| reader.object(status, &at.key("status")).is_some()),
        scale: entry(map, "scale").and_then(|value| scale(reader, value, &at.key("scale"))),
    }
}

fn scale(reader: &mut Reader<'_>, value: &Value, at: &At<'_>) -> Option<Scale> {
    let map = reader.object(value, at)?;
    let fields = [
        "specReplicasPath",
        "statusReplicasPath",
        "labelSelectorPath",
    ];
    reader.unknown_fields(map, &fields, at);
    let [spec, status, selector] = fields;
    for key in [spec, status] {
        if entry(map, key).is_none() {
            reader.missing(&at.key(key), &format!("`scale.{key}`"));
        }
    }
    let spec = path(reader, map, spec, &[".spec"], at);
    let status = path(reader, map, status, &[".status"], at);
    let selector = path(reader, map, selector, &[".spec", ".status"], at);
    Some(Scale {
        spec_replicas_path: spec?,
        status_replicas_path: status?,
        label_selector_path: selector,
    })
}

/// Reads a path of field names below one of the roots. The API server accepts lists and filters but finds nothing with them.
fn path(
    reader: &mut Reader<'_>,
    map: &Map<String, Value>,
    key: &str,
    roots: &[&str],
    at: &At<'_>,
) -> Option<String> {
    let at = at.key(key);
    let path = reader.text(entry(map, key)?, &at)?;
    if path.is_empty() && key == "labelSelectorPath" {
        return None;
    }
    let is_below = roots.iter().any(|root| {
        path.strip_prefix(root)
            .is_some_and(|rest| rest.starts_with('.'))
    });
    if is_below && is_simple(path) {
        return Some(path.to_owned());
    }
    let example = format!("{}.replicas", roots.first().unwrap_or(&""));
    let roots = roots.join(" or ");
    let finding = reader.report(
        Code::InvalidPath,
        &at,
        format!("{key} {path:?} is not a path of field names below {roots}"),
    );
    finding.hint(format!(
        "write it like {example}; lists and filters select nothing here"
    ));
    if is_below {
        finding.severity = Severity::Warning;
    }
    is_below.then(|| path.to_owned())
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
