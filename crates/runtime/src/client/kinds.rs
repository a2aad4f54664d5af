//! Which kinds of Kubernetes have a status or a scale subresource. Only those that all versions known to `k8s-openapi` have.
use super::{ScaleSubresource, StatusSubresource};
use k8s_openapi::api::admissionregistration::v1::ValidatingAdmissionPolicy;
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
use k8s_openapi::api::core::v1::{
    Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod, ReplicationController,
    ResourceQuota, Service,
};
use k8s_openapi::api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_openapi::api::networking::v1::{Ingress, ServiceCIDR};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::storage::v1::VolumeAttachment;
use k8s_openapi::api::{autoscaling::v1 as autoscaling_v1, autoscaling::v2 as autoscaling_v2};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1::APIService;

macro_rules! mark {
    ($marker:ident: $($kind:ty),* $(,)?) => { $(impl $marker for $kind {})* };
}

mark! { StatusSubresource:
    APIService,
    CertificateSigningRequest,
    CronJob,
    CustomResourceDefinition,
    DaemonSet,
    Deployment,
    FlowSchema,
    Ingress,
    Job,
    Namespace,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodDisruptionBudget,
    PriorityLevelConfiguration,
    ReplicaSet,
    ReplicationController,
    ResourceQuota,
    Service,
    ServiceCIDR,
    StatefulSet,
    ValidatingAdmissionPolicy,
    VolumeAttachment,
    autoscaling_v1::HorizontalPodAutoscaler,
    autoscaling_v2::HorizontalPodAutoscaler,
}

mark! { ScaleSubresource: Deployment, ReplicaSet, ReplicationController, StatefulSet }
