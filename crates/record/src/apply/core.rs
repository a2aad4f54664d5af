//! The items of map lists in built-in kinds, with the keys of the API server's OpenAPI.
use k8s_openapi::{
    api::{
        admissionregistration::v1::{MatchCondition, MutatingWebhook, ValidatingWebhook, Variable},
        apps::v1::{
            DaemonSetCondition, DeploymentCondition, ReplicaSetCondition, StatefulSetCondition,
        },
        autoscaling::v2::HorizontalPodAutoscalerCondition,
        core::v1::{
            Container, ContainerPort, EnvVar, EphemeralContainer, HostAlias, LocalObjectReference,
            NamespaceCondition, NodeAddress, NodeCondition, ObjectReference,
            PersistentVolumeClaimCondition, PodCondition, PodIP, PodResourceClaim,
            PodSchedulingGate, ReplicationControllerCondition, ResourceClaim, ServicePort,
            TopologySpreadConstraint, Volume, VolumeDevice, VolumeMount, VolumeMountStatus,
        },
        storage::v1::CSINodeDriver,
    },
    apimachinery::pkg::apis::meta::v1::{Condition, OwnerReference},
};

crate::map_items! {
    MatchCondition { name: String }
    MutatingWebhook { name: String }
    ValidatingWebhook { name: String }
    Variable { name: String }
    DaemonSetCondition { type_: String }
    DeploymentCondition { type_: String }
    ReplicaSetCondition { type_: String }
    StatefulSetCondition { type_: String }
    HorizontalPodAutoscalerCondition { type_: String }
    Container { name: String }
    ContainerPort { container_port: i32, protocol: Option<String> }
    EnvVar { name: String }
    EphemeralContainer { name: String }
    HostAlias { ip: String }
    LocalObjectReference { name: String }
    NamespaceCondition { type_: String }
    NodeAddress { type_: String }
    NodeCondition { type_: String }
    ObjectReference { name: Option<String> }
    PersistentVolumeClaimCondition { type_: String }
    PodCondition { type_: String }
    PodIP { ip: String }
    PodResourceClaim { name: String }
    PodSchedulingGate { name: String }
    ReplicationControllerCondition { type_: String }
    ResourceClaim { name: String }
    ServicePort { port: i32, protocol: Option<String> }
    TopologySpreadConstraint { topology_key: String, when_unsatisfiable: String }
    Volume { name: String }
    VolumeDevice { device_path: String }
    VolumeMount { mount_path: String }
    VolumeMountStatus { mount_path: String }
    CSINodeDriver { name: String }
    Condition { type_: String }
    OwnerReference { uid: String }
}
