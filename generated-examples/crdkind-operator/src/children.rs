//! Builds the Deployment and the Service of a `CrdKind`.
use std::collections::BTreeMap;

use k8s_openapi::{
    api::{
        apps::v1::{Deployment, DeploymentSpec},
        core::v1::{
            Container, ContainerPort, PodSpec, PodTemplateSpec, Service, ServicePort, ServiceSpec,
        },
    },
    apimachinery::pkg::{
        apis::meta::v1::{LabelSelector, ObjectMeta, OwnerReference},
        util::intstr::IntOrString,
    },
};

use crate::{generated::iksoon_test_com::v1::CrdKind, validate::DesiredState};

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

fn selector(name: &str) -> BTreeMap<String, String> {
    [
        ("app.kubernetes.io/instance".to_owned(), name.to_owned()),
        (
            "app.kubernetes.io/managed-by".to_owned(),
            crate::REPORTER.to_owned(),
        ),
    ]
    .into()
}

fn metadata(object: &CrdKind, owner: &OwnerReference, desired: DesiredState) -> ObjectMeta {
    let name = child_name(object.metadata.name.as_deref().unwrap_or_default());
    let mut labels = selector(&name);
    labels.insert(
        "app.kubernetes.io/name".to_owned(),
        desired.choice.as_str().to_owned(),
    );
    ObjectMeta {
        labels: Some(labels),
        name: Some(name),
        namespace: object.metadata.namespace.clone(),
        owner_references: Some(vec![owner.clone()]),
        ..ObjectMeta::default()
    }
}

/// Returns the Deployment of an object.
pub fn deployment(
    object: &CrdKind,
    owner: &OwnerReference,
    desired: DesiredState,
    image: &str,
) -> Deployment {
    let metadata = metadata(object, owner, desired);
    let container = Container {
        name: desired.choice.as_str().to_owned(),
        image: Some(image.to_owned()),
        ports: Some(vec![ContainerPort {
            container_port: desired.choice.port(),
            ..ContainerPort::default()
        }]),
        ..Container::default()
    };
    let spec = DeploymentSpec {
        replicas: Some(desired.replicas),
        // Without the choice, which may change: selectors are immutable.
        selector: LabelSelector {
            match_labels: metadata.name.as_deref().map(selector),
            ..LabelSelector::default()
        },
        template: PodTemplateSpec {
            metadata: Some(ObjectMeta {
                labels: metadata.labels.clone(),
                ..ObjectMeta::default()
            }),
            spec: Some(PodSpec {
                containers: vec![container],
                ..PodSpec::default()
            }),
        },
        ..DeploymentSpec::default()
    };
    Deployment {
        metadata,
        spec: Some(spec),
        ..Deployment::default()
    }
}

/// Returns the Service of an object.
pub fn service(object: &CrdKind, owner: &OwnerReference, desired: DesiredState) -> Service {
    let metadata = metadata(object, owner, desired);
    let spec = ServiceSpec {
        type_: Some("NodePort".to_owned()),
        selector: metadata.name.as_deref().map(selector),
        ports: Some(vec![ServicePort {
            name: Some(desired.choice.as_str().to_owned()),
            port: desired.choice.port(),
            target_port: Some(IntOrString::Int(desired.choice.port())),
            ..ServicePort::default()
        }]),
        ..ServiceSpec::default()
    };
    Service {
        metadata,
        spec: Some(spec),
        ..Service::default()
    }
}
