//! Builds the Deployment and the Service of a `CrdKind`.
use k8s_openapi::{
    api::{apps::v1::Deployment, core::v1::Service},
    apimachinery::pkg::{apis::meta::v1::ObjectMeta, util::intstr::IntOrString},
};
use kube::ResourceExt;
use kube_codegen_record::apply::{Apply, Items};
use kube_codegen_runtime::children::MANAGED_BY;
use std::collections::BTreeMap;

use crate::{REPORTER, generated::iksoon_test_com::v1::CrdKind, validate::DesiredState};

/// Length of the longest DNS label.
const LABEL: usize = 63;

/// Returns the name of both children: a DNS-1035 label, as a Service requires, which depends only on the name of the `CrdKind`.
///
/// A name that is such a label is used as it is. Any other name is converted, with a hash that keeps it unique.
pub fn child_name(name: &str) -> String {
    let is_label = name.len() <= LABEL
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && !name.contains('.');
    if is_label {
        return name.to_owned();
    }
    let hash = format!("{:08x}", fnv1a(name));
    let mut label = name.replace('.', "-");
    if !label.starts_with(|first: char| first.is_ascii_lowercase()) {
        label.insert_str(0, "crdkind-");
    }
    let head: String = label.chars().take(LABEL - 1 - hash.len()).collect();
    format!("{}-{hash}", head.trim_end_matches('-'))
}

/// 32-bit FNV-1a, which unlike the hashers of the standard library is stable across builds.
fn fnv1a(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Returns the labels that select the Pods. They are without the choice, which may change: selectors are immutable.
fn selector(name: &str) -> BTreeMap<String, String> {
    [
        ("app.kubernetes.io/instance".to_owned(), name.to_owned()),
        (MANAGED_BY.to_owned(), REPORTER.to_owned()),
    ]
    .into()
}

fn labels(name: &str, desired: DesiredState) -> BTreeMap<String, String> {
    let mut labels = selector(name);
    let choice = desired.choice.as_str().to_owned();
    labels.insert("app.kubernetes.io/name".to_owned(), choice);
    labels
}

fn metadata(object: &CrdKind, desired: DesiredState) -> ObjectMeta {
    let name = child_name(&object.name_any());
    ObjectMeta {
        labels: Some(labels(&name, desired)),
        name: Some(name),
        ..ObjectMeta::default()
    }
}

/// Returns the Deployment of an object.
pub fn deployment(object: &CrdKind, desired: DesiredState, image: &str) -> Apply<Deployment> {
    let mut deployment = Deployment {
        metadata: metadata(object, desired),
        ..Deployment::default()
    };
    let name = child_name(&object.name_any());
    let spec = deployment.spec.get_or_insert_default();
    spec.replicas = Some(desired.replicas);
    spec.selector.match_labels = Some(selector(&name));
    let template = spec.template.metadata.get_or_insert_default();
    template.labels = Some(labels(&name, desired));
    let pod = spec.template.spec.get_or_insert_default();
    let container = pod.containers.item(desired.choice.as_str());
    container.image = Some(image.to_owned());
    container.ports.item((desired.choice.port(), "TCP"));
    deployment.into()
}

/// Returns the Service of an object.
pub fn service(object: &CrdKind, desired: DesiredState) -> Apply<Service> {
    let mut service = Service {
        metadata: metadata(object, desired),
        ..Service::default()
    };
    let spec = service.spec.get_or_insert_default();
    spec.type_ = Some("NodePort".to_owned());
    spec.selector = Some(selector(&child_name(&object.name_any())));
    let port = spec.ports.item((desired.choice.port(), "TCP"));
    port.name = Some(desired.choice.as_str().to_owned());
    port.target_port = Some(IntOrString::Int(desired.choice.port()));
    service.into()
}
