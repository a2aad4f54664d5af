//! The rules for the metadata of a definition. The server has most of them for every kind, so that they have no text here.

use kube_codegen_formats::names;
use serde_json::Value;

use super::{Node, Path, Rule, Violations, child, texts};

/// The most bytes that keys and values of the annotations may have together.
const MOST_ANNOTATIONS: usize = 256 << 10;
/// The annotation of definitions in groups of the Kubernetes project.
const APPROVED: &str = "api-approved.kubernetes.io";
const PROTECTED: [&str; 2] = ["k8s.io", "kubernetes.io"];

pub(super) fn check(metadata: &Node, wanted: &str, at: &Path<'_>, found: &mut Violations) {
    let text = |name: &str| super::text(metadata, name).unwrap_or_default();
    let prefix = text("generateName");
    if !prefix.is_empty() {
        let at = at.child("generateName");
        found.reject(Rule::GeneratedName, &at, prefix, MISMATCH);
    }
    let (name_at, name) = (at.child("name"), text("name"));
    if name.is_empty() {
        found.whole(Rule::Missing, &name_at);
    } else {
        if !names::dns_1123_subdomain(name).is_empty() {
            found.whole(Rule::Name, &name_at);
        }
        if name != wanted {
            found.reject(Rule::NameMismatch, &name_at, name, MISMATCH);
        }
    }
    let labels_at = at.child("labels");
    for (key, value) in entries(metadata, "labels") {
        let at = labels_at.key(key);
        if !names::qualified_name(key).is_empty() {
            found.whole(Rule::LabelKey, &at);
        }
        if !names::label_value(value).is_empty() {
            found.whole(Rule::LabelValue, &at);
        }
    }
    let annotations_at = at.child("annotations");
    let mut size = 0;
    for (key, value) in entries(metadata, "annotations") {
        size += key.len() + value.len();
        if !names::qualified_name(&key.to_lowercase()).is_empty() {
            found.whole(Rule::AnnotationKey, &annotations_at.key(key));
        }
    }
    if size > MOST_ANNOTATIONS {
        let violation = found.whole(Rule::AnnotationsSize, &annotations_at);
        violation.why = format!("{size} bytes; at most {MOST_ANNOTATIONS} are allowed");
    }
    let finalizers_at = at.child("finalizers");
    for (index, name) in texts(metadata, "finalizers").enumerate() {
        if !names::qualified_name(name).is_empty() {
            found.whole(Rule::Finalizer, &finalizers_at.index(index));
        }
    }
}

const MISMATCH: &str = "must be spec.names.plural+\".\"+spec.group";

/// Groups of the Kubernetes project require the approval.
pub(super) fn approval(metadata: &Node, group: &str, at: &Path<'_>, found: &mut Violations) {
    let is_protected = PROTECTED.iter().any(|owner| {
        let before = group.strip_suffix(owner);
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    });
    if !is_protected {
        return;
    }
    let annotation = child(metadata, "annotations").and_then(|it| super::text(it, APPROVED));
    let annotations_at = at.child("annotations");
    let at = annotations_at.key(APPROVED);
    match annotation.unwrap_or_default() {
        "" => {
            let why = format!(
                "protected groups must have approval annotation {APPROVED:?}, see https://github.com/kubernetes/enhancements/pull/1111"
            );
            found.whole(Rule::Approval, &at).required(&at, &why);
        }
        approval if is_approval(approval) => {}
        approval => {
            let why = format!(
                "protected groups must have approval annotation {APPROVED:?} with either a URL or a reason starting with \"unapproved\", see https://github.com/kubernetes/enhancements/pull/1111"
            );
            found.reject(Rule::Approval, &at, approval, &why);
        }
    }
}

/// Whether the server accepts the approval: a URL, or `unapproved` with any text.
fn is_approval(value: &str) -> bool {
    let is_url = value.split_once("://").is_some_and(|(scheme, rest)| {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        !scheme.is_empty() && !host.is_empty()
    });
    value.starts_with("unapproved") || is_url
}

/// Returns the entries of a map of texts; a value of another type counts as empty.
fn entries<'n>(metadata: &'n Node, name: &str) -> impl Iterator<Item = (&'n str, &'n str)> {
    let entries = child(metadata, name).into_iter().flatten();
    entries.map(|(key, value)| (key.as_str(), Value::as_str(value).unwrap_or_default()))
}
