//! A `CrdKind` comes in, the Deployment and the Service that belong to it come out; nothing is sent anywhere.
use crate::generated::iksoon_test_com::v1::CrdKind;
use crate::validate::Wanted;
use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{
    Container, ContainerPort, PodSpec, PodTemplateSpec, Service, ServicePort, ServiceSpec,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta, OwnerReference};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use std::collections::BTreeMap;

/// The longest DNS label.
const LABEL: usize = 63;

/// The name of both children: a DNS-1035 label, as a Service's name must be, and the same for ever for one name of a `CrdKind`.
///
/// A name that is such a label is taken as it is; any other is made one and told apart by a hash of the whole.
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

/// FNV-1a, 32 bits: stable across builds, as the hashers of the standard library are not.
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

fn metadata(object: &CrdKind, owner: &OwnerReference, wanted: Wanted) -> ObjectMeta {
    let name = child_name(object.metadata.name.as_deref().unwrap_or_default());
    let mut labels = selector(&name);
    labels.insert(
        "app.kubernetes.io/name".to_owned(),
        wanted.choice.as_str().to_owned(),
    );
    ObjectMeta {
        labels: Some(labels),
        name: Some(name),
        namespace: object.metadata.namespace.clone(),
        owner_references: Some(vec![owner.clone()]),
        ..ObjectMeta::default()
    }
}

/// The Deployment of an object.
pub fn deployment(
    object: &CrdKind,
    owner: &OwnerReference,
    wanted: Wanted,
    image: &str,
) -> Deployment {
    let metadata = metadata(object, owner, wanted);
    let container = Container {
        name: wanted.choice.as_str().to_owned(),
        image: Some(image.to_owned()),
        ports: Some(vec![ContainerPort {
            container_port: wanted.choice.port(),
            ..ContainerPort::default()
        }]),
        ..Container::default()
    };
    let spec = DeploymentSpec {
        replicas: Some(wanted.replicas),
        // Not the choice: a selector cannot be changed.
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

/// The Service of an object.
pub fn service(object: &CrdKind, owner: &OwnerReference, wanted: Wanted) -> Service {
    let metadata = metadata(object, owner, wanted);
    let spec = ServiceSpec {
        type_: Some("NodePort".to_owned()),
        selector: metadata.name.as_deref().map(selector),
        ports: Some(vec![ServicePort {
            name: Some(wanted.choice.as_str().to_owned()),
            port: wanted.choice.port(),
            target_port: Some(IntOrString::Int(wanted.choice.port())),
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
