//! Builds the Deployment of a `Foo`.
use std::collections::BTreeMap;

use k8s_openapi::{
    api::{
        apps::v1::{Deployment, DeploymentSpec},
        core::v1::{Container, PodSpec, PodTemplateSpec},
    },
    apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta},
};
use kube_codegen_runtime::children::MANAGED_BY;

use crate::generated::example_com::v1alpha1::Foo;

/// The image of the Pods.
const IMAGE: &str = "nginx:stable";

/// Returns the Deployment of an object.
pub fn deployment(object: &Foo) -> Deployment {
    let name = object.metadata.name.clone().unwrap_or_default();
    let labels = BTreeMap::from([
        ("app.kubernetes.io/instance".to_owned(), name),
        (MANAGED_BY.to_owned(), crate::REPORTER.to_owned()),
    ]);
    let container = Container {
        name: "nginx".to_owned(),
        image: Some(IMAGE.to_owned()),
        ..Container::default()
    };
    Deployment {
        metadata: ObjectMeta {
            name: Some(object.spec.deployment_name.clone()),
            namespace: object.metadata.namespace.clone(),
            ..ObjectMeta::default()
        },
        spec: Some(DeploymentSpec {
            replicas: Some(object.spec.replicas),
            selector: LabelSelector {
                match_labels: Some(labels.clone()),
                ..LabelSelector::default()
            },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta {
                    labels: Some(labels),
                    ..ObjectMeta::default()
                }),
                spec: Some(PodSpec {
                    containers: vec![container],
                    ..PodSpec::default()
                }),
            },
            ..DeploymentSpec::default()
        }),
        ..Deployment::default()
    }
}
