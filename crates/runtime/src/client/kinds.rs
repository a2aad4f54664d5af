//! The built-in kinds that have a status or a scale subresource in every Kubernetes version of `k8s-openapi`.
use k8s_openapi::{
    api::{
        admissionregistration::v1::ValidatingAdmissionPolicy,
        apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet},
        autoscaling::{v1 as autoscaling_v1, v2 as autoscaling_v2},
        batch::v1::{CronJob, Job},
        certificates::v1::CertificateSigningRequest,
        core::v1::{
            Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod, ReplicationController,
            ResourceQuota, Service,
        },
        flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration},
        networking::v1::{Ingress, ServiceCIDR},
        policy::v1::PodDisruptionBudget,
        storage::v1::VolumeAttachment,
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
    kube_aggregator::pkg::apis::apiregistration::v1::APIService,
};

use super::{ScaleSubresource, status::MarkedStatus};

macro_rules! mark {
    ($marker:ident: $($kind:ty),* $(,)?) => { $(impl $marker for $kind {})* };
}

mark! { MarkedStatus:
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
