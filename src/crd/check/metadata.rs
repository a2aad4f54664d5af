//! Checks `metadata`, and the deprecation warning of a version.
use serde_json::{Map, Value};

use crate::crd::names::is_subdomain;
use crate::crd::reader::{At, Reader, entry};
use crate::diag::Code;

/// The most bytes that keys and values of the annotations may have together.
const MAX_ANNOTATIONS: usize = 256 << 10;
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
const APPROVED: &str = "api-approved.kubernetes.io";

/// Checks labels, annotations and finalizers of a manifest for `group`.
pub(in crate::crd) fn metadata(
    reader: &mut Reader<'_>,
    manifest: &Map<String, Value>,
    group: Option<&str>,
    root: &At<'_>,
) {
    let at = root.key("metadata");
    let empty = Map::new();
    let metadata = entry(manifest, "metadata").and_then(Value::as_object);
    let metadata = metadata.unwrap_or(&empty);
    let map = |name: &str| {
        entry(metadata, name)
            .and_then(Value::as_object)
            .unwrap_or(&empty)
    };
    let (labels, annotations) = (map("labels"), map("annotations"));
    let labels_at = at.key("labels");
    for (name, value) in labels {
        let at = labels_at.key(name);
        if !is_qualified(name) {
            report(
                reader,
                &at,
                &format!("{name:?} is not a valid label key"),
                KEYS,
            );
        }
        if value
            .as_str()
            .is_some_and(|value| !value.is_empty() && !is_name(value))
        {
            report(
                reader,
                &at,
                &format!("{value} is not a valid label value"),
                VALUES,
            );
        }
    }
    let annotations_at = at.key("annotations");
    let mut size = 0;
    for (name, value) in annotations {
        size += name.len() + value.as_str().map_or(0, str::len);
        if !is_qualified(&name.to_lowercase()) {
            let message = format!("{name:?} is not a valid annotation key");
            report(reader, &annotations_at.key(name), &message, KEYS);
        }
    }
    if size > MAX_ANNOTATIONS {
        let hint = if annotations.contains_key(LAST_APPLIED) {
            "remove kubectl.kubernetes.io/last-applied-configuration, and apply the CRD with --server-side"
        } else {
            "shorten them"
        };
        let message =
            format!("the annotations have {size} bytes; at most {MAX_ANNOTATIONS} are allowed");
        report(reader, &annotations_at, &message, hint);
    }
    if entry(metadata, "generateName").is_some_and(|it| it != "") {
        let message = "the name of a CRD cannot be generated";
        report(reader, &at.key("generateName"), message, "remove the field");
    }
    let finalizers_at = at.key("finalizers");
    for (index, name) in super::texts(metadata, "finalizers").enumerate() {
        if !is_qualified(name) {
            let message = format!("{name:?} is not a valid finalizer");
            report(reader, &finalizers_at.index(index), &message, KEYS);
        }
    }
    let is_protected = group.is_some_and(|group| {
        [".k8s.io", ".kubernetes.io"]
            .iter()
            .any(|end| group.ends_with(end))
            || matches!(group, "k8s.io" | "kubernetes.io")
    });
    if is_protected
        && !annotations
            .get(APPROVED)
            .and_then(Value::as_str)
            .is_some_and(is_approval)
    {
        reader
            .report_key(
                Code::InvalidMetadata,
                &annotations_at,
                format!("groups of Kubernetes require the annotation `{APPROVED}`"),
            )
            .hint("set it to the URL of the approval, or to `unapproved` with a reason; or use your own domain as the group");
    }
}

const KEYS: &str = "use an optional prefix (a DNS subdomain) and `/`, and a name of at most 63 letters, digits, `-`, `_` and `.`";
const VALUES: &str =
    "use at most 63 letters, digits, `-`, `_` and `.`; begin and end with a letter or a digit";

fn report(reader: &mut Reader<'_>, at: &At<'_>, message: &str, hint: &str) {
    reader
        .report_key(Code::InvalidMetadata, at, message)
        .hint(hint);
}

/// Whether the API server accepts the approval: a URL, or `unapproved` with any text.
fn is_approval(value: &str) -> bool {
    let is_url = value.split_once("://").is_some_and(|(scheme, rest)| {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        !scheme.is_empty() && !host.is_empty()
    });
    value.starts_with("unapproved") || is_url
}

/// Whether a text is a name with an optional prefix.
fn is_qualified(key: &str) -> bool {
    match key.split_once('/') {
        Some((prefix, name)) => is_subdomain(prefix) && is_name(name),
        None => is_name(key),
    }
}

/// Whether a text is a name of letters, digits, `-`, `_` and `.` that begins and ends with a letter or a digit.
fn is_name(name: &str) -> bool {
    let is_end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = name.as_bytes();
    bytes.len() <= 63
        && is_end(bytes.first())
        && is_end(bytes.last())
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

/// Checks the deprecation warning of a version.
pub(in crate::crd) fn deprecation(
    reader: &mut Reader<'_>,
    version: &Map<String, Value>,
    deprecated: bool,
    at: &At<'_>,
) {
    let Some(warning) = entry(version, "deprecationWarning").and_then(Value::as_str) else {
        return;
    };
    let problem = if !deprecated {
        "is set, but the version is not deprecated"
    } else if warning.is_empty() {
        "is empty"
    } else if warning.len() > 256 {
        "has more than 256 bytes"
    } else if warning.contains(|c: char| {
        // Go's `unicode.IsPrint`, as far as texts have such characters.
        c.is_control()
            || (c.is_whitespace() && c != ' ')
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    }) {
        "has a character that cannot be printed, such as a line break"
    } else {
        return;
    };
    reader
        .report(
            Code::InvalidDeprecation,
            &at.key("deprecationWarning"),
            format!("`deprecationWarning` {problem}"),
        )
        .hint("the API server rejects the CRD; it sends the warning as a header of its responses");
}
