//! What a copy is: its content, its marks, and how it differs from other Secrets.
use std::collections::BTreeMap;

use k8s_openapi::{api::core::v1::Secret, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use kube_codegen_runtime::informer::ObjectKey;

/// The type of the Secrets to copy.
pub const TYPE: &str = "k8s.ziwon.dev/secretsync";

/// The annotation of a copy: namespace and name of its source.
pub const SOURCE: &str = "k8s.ziwon.dev/copy-of";

/// The annotations of a copy that name the labels and the annotations from its source: they are removed with those of the source.
const COPIED_LABELS: &str = "k8s.ziwon.dev/copied-labels";
const COPIED_ANNOTATIONS: &str = "k8s.ziwon.dev/copied-annotations";

/// The label of a copy.
const LABEL: (&str, &str) = ("app.kubernetes.io/managed-by", crate::REPORTER);

/// The annotation in which kubectl keeps the applied manifest, with the data.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Returns whether a Secret has the type of those to copy.
pub fn has_type(secret: &Secret) -> bool {
    secret.type_.as_deref() == Some(TYPE)
}

/// Returns the copy of a Secret for a namespace, without what the API server sets.
pub fn copy(source: &Secret, namespace: &str) -> Secret {
    let ObjectMeta {
        name,
        labels,
        annotations,
        ..
    } = &source.metadata;
    let mut labels = labels.clone().unwrap_or_default();
    let mut annotations = annotations.clone().unwrap_or_default();
    annotations.remove(LAST_APPLIED);
    annotations.remove(COPIED_LABELS);
    annotations.remove(COPIED_ANNOTATIONS);
    let copied = [
        (COPIED_LABELS, names(&labels)),
        (COPIED_ANNOTATIONS, names(&annotations)),
    ];
    for (name, names) in copied {
        if !names.is_empty() {
            annotations.insert(name.to_owned(), names);
        }
    }
    labels.insert(LABEL.0.to_owned(), LABEL.1.to_owned());
    annotations.insert(SOURCE.to_owned(), ObjectKey::of(source).to_string());
    Secret {
        metadata: ObjectMeta {
            name: name.clone(),
            namespace: Some(namespace.to_owned()),
            labels: Some(labels),
            annotations: Some(annotations),
            ..ObjectMeta::default()
        },
        data: source.data.clone(),
        immutable: source.immutable,
        string_data: None,
        type_: source.type_.clone(),
    }
}

/// Returns namespace and name of the source, if a Secret is a copy: if it has both marks, and the name of its source.
pub fn source_of(secret: &Secret) -> Option<&str> {
    let ObjectMeta {
        name,
        labels,
        annotations,
        ..
    } = &secret.metadata;
    let label = labels.as_ref()?.get(LABEL.0)?;
    let source = annotations.as_ref()?.get(SOURCE)?;
    let (_, source_name) = source.split_once('/')?;
    (label == LABEL.1 && name.as_deref() == Some(source_name)).then_some(source)
}

/// Returns the names of labels or annotations in one text; none of them contains a comma.
fn names(of: &BTreeMap<String, String>) -> String {
    of.keys().cloned().collect::<Vec<_>>().join(",")
}

fn remove(from: &mut BTreeMap<String, String>, names: Option<String>) {
    for name in names.iter().flat_map(|names| names.split(',')) {
        from.remove(name);
    }
}

/// Changes a copy so that it equals `desired`. Labels and annotations of others stay.
pub fn correct(copy: &mut Secret, desired: &Secret) {
    let (have, want) = (&mut copy.metadata, &desired.metadata);
    let labels = have.labels.get_or_insert_default();
    let annotations = have.annotations.get_or_insert_default();
    remove(labels, annotations.remove(COPIED_LABELS));
    let copied = annotations.remove(COPIED_ANNOTATIONS);
    remove(annotations, copied);
    labels.extend(want.labels.clone().unwrap_or_default());
    annotations.extend(want.annotations.clone().unwrap_or_default());
    copy.data.clone_from(&desired.data);
    copy.immutable = desired.immutable;
}

/// Returns whether only a new object can equal `desired`, because the API server rejects to change this one.
pub fn must_be_replaced(copy: &Secret, desired: &Secret) -> bool {
    let is_immutable = copy.immutable == Some(true);
    copy.type_ != desired.type_
        || is_immutable && (copy.data != desired.data || copy.immutable != desired.immutable)
}

/// Returns a transform of cached Secrets that drops the data of those that are neither copied nor copies.
pub fn forget_others(source_namespace: String) -> impl Fn(&mut Secret) {
    move |secret| {
        let is_source = secret.metadata.namespace.as_ref() == Some(&source_namespace);
        if !(is_source && has_type(secret)) && source_of(secret).is_none() {
            secret.data = None;
        }
    }
}
