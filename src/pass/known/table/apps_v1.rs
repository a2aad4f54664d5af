//! `api::apps::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use crate::options::Kubernetes::{V1_37};
use super::super::types::{leaf, may, must, Type};
use super::super::types::Ty::{Bool, I32, I64, Str, Time, IntOrString, Other, List, Struct};

pub(super) static ALL: &[&Type] = &[
    &DAEMON_SET_CONDITION,
    &DAEMON_SET_SPEC,
    &DAEMON_SET_STATUS,
    &DAEMON_SET_UPDATE_STRATEGY,
    &DEPLOYMENT_CONDITION,
    &DEPLOYMENT_SPEC,
    &DEPLOYMENT_STATUS,
    &DEPLOYMENT_STRATEGY,
    &REPLICA_SET_CONDITION,
    &REPLICA_SET_SPEC,
    &REPLICA_SET_STATUS,
    &ROLLING_UPDATE_DAEMON_SET,
    &ROLLING_UPDATE_DEPLOYMENT,
    &ROLLING_UPDATE_STATEFUL_SET_STRATEGY,
    &STATEFUL_SET_CONDITION,
    &STATEFUL_SET_ORDINALS,
    &STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY,
    &STATEFUL_SET_SPEC,
    &STATEFUL_SET_STATUS,
    &STATEFUL_SET_UPDATE_STRATEGY,
];

pub(super) static DAEMON_SET_CONDITION: Type = leaf(
    "k8s_openapi::api::apps::v1::DaemonSetCondition",
    "DaemonSetCondition describes the state of a DaemonSet at a certain point.",
    true,
    &[
        may("lastTransitionTime", Time),
        may("message", Str),
        may("reason", Str),
        may("status", Str).required_before(V1_37),
        may("type", Str).required_before(V1_37),
    ],
);

pub(super) static DAEMON_SET_SPEC: Type = leaf(
    "k8s_openapi::api::apps::v1::DaemonSetSpec",
    "DaemonSetSpec is the specification of a daemon set.",
    true,
    &[
        may("minReadySeconds", I32),
        may("revisionHistoryLimit", I32),
        must("selector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("A label query over pods that are managed by the daemon set."),
        must("template", Struct(&super::core_v1::POD_TEMPLATE_SPEC)).said("An object that describes the pod that will be created."),
        may("updateStrategy", Struct(&super::apps_v1::DAEMON_SET_UPDATE_STRATEGY)).said("An update strategy to replace existing DaemonSet pods with new pods."),
    ],
);

pub(super) static DAEMON_SET_STATUS: Type = leaf(
    "k8s_openapi::api::apps::v1::DaemonSetStatus",
    "DaemonSetStatus represents the current status of a daemon set.",
    true,
    &[
        may("collisionCount", I32),
        may("conditions", List(&Struct(&super::apps_v1::DAEMON_SET_CONDITION))).said("Represents the latest available observations of a DaemonSet's current state."),
        must("currentNumberScheduled", I32),
        must("desiredNumberScheduled", I32),
        may("numberAvailable", I32),
        must("numberMisscheduled", I32),
        must("numberReady", I32),
        may("numberUnavailable", I32),
        may("observedGeneration", I64),
        may("updatedNumberScheduled", I32),
    ],
);

pub(super) static DAEMON_SET_UPDATE_STRATEGY: Type = leaf(
    "k8s_openapi::api::apps::v1::DaemonSetUpdateStrategy",
    "DaemonSetUpdateStrategy is a struct used to control the update strategy for a DaemonSet.",
    true,
    &[
        may("rollingUpdate", Struct(&super::apps_v1::ROLLING_UPDATE_DAEMON_SET)).said("Rolling update config params."),
        may("type", Str),
    ],
);

pub(super) static DEPLOYMENT_CONDITION: Type = leaf(
    "k8s_openapi::api::apps::v1::DeploymentCondition",
    "DeploymentCondition describes the state of a deployment at a certain point.",
    true,
    &[
        may("lastTransitionTime", Time),
        may("lastUpdateTime", Time),
        may("message", Str),
        may("reason", Str),
        may("status", Str).required_before(V1_37),
        may("type", Str).required_before(V1_37),
    ],
);

pub(super) static DEPLOYMENT_SPEC: Type = leaf(
    "k8s_openapi::api::apps::v1::DeploymentSpec",
    "DeploymentSpec is the specification of the desired behavior of the Deployment.",
    true,
    &[
        may("minReadySeconds", I32),
        may("paused", Bool),
        may("progressDeadlineSeconds", I32),
        may("replicas", I32),
        may("revisionHistoryLimit", I32),
        must("selector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("Label selector for pods."),
        may("strategy", Struct(&super::apps_v1::DEPLOYMENT_STRATEGY)).said("The deployment strategy to use to replace existing pods with new ones."),
        must("template", Struct(&super::core_v1::POD_TEMPLATE_SPEC)).said("Template describes the pods that will be created."),
    ],
);

pub(super) static DEPLOYMENT_STATUS: Type = leaf(
    "k8s_openapi::api::apps::v1::DeploymentStatus",
    "DeploymentStatus is the most recently observed status of the Deployment.",
    true,
    &[
        may("availableReplicas", I32),
        may("collisionCount", I32),
        may("conditions", List(&Struct(&super::apps_v1::DEPLOYMENT_CONDITION))).said("Represents the latest available observations of a deployment's current state."),
        may("observedGeneration", I64),
        may("readyReplicas", I32),
        may("replicas", I32),
        may("terminatingReplicas", I32),
        may("unavailableReplicas", I32),
        may("updatedReplicas", I32),
    ],
);

pub(super) static DEPLOYMENT_STRATEGY: Type = leaf(
    "k8s_openapi::api::apps::v1::DeploymentStrategy",
    "DeploymentStrategy describes how to replace existing pods with new ones.",
    true,
    &[
        may("rollingUpdate", Struct(&super::apps_v1::ROLLING_UPDATE_DEPLOYMENT)).said("Rolling update config params."),
        may("type", Str),
    ],
);

pub(super) static REPLICA_SET_CONDITION: Type = leaf(
    "k8s_openapi::api::apps::v1::ReplicaSetCondition",
    "ReplicaSetCondition describes the state of a replica set at a certain point.",
    true,
    &[
        may("lastTransitionTime", Time),
        may("message", Str),
        may("reason", Str),
        may("status", Str).required_before(V1_37),
        may("type", Str).required_before(V1_37),
    ],
);

pub(super) static REPLICA_SET_SPEC: Type = leaf(
    "k8s_openapi::api::apps::v1::ReplicaSetSpec",
    "ReplicaSetSpec is the specification of a ReplicaSet.",
    true,
    &[
        may("minReadySeconds", I32),
        may("replicas", I32),
        must("selector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("Selector is a label query over pods that should match the replica count."),
        may("template", Struct(&super::core_v1::POD_TEMPLATE_SPEC)).said("Template is the object that describes the pod that will be created if insufficient replicas are detected."),
    ],
);

pub(super) static REPLICA_SET_STATUS: Type = leaf(
    "k8s_openapi::api::apps::v1::ReplicaSetStatus",
    "ReplicaSetStatus represents the current status of a ReplicaSet.",
    true,
    &[
        may("availableReplicas", I32),
        may("conditions", List(&Struct(&super::apps_v1::REPLICA_SET_CONDITION))).said("Represents the latest available observations of a replica set's current state."),
        may("fullyLabeledReplicas", I32),
        may("observedGeneration", I64),
        may("readyReplicas", I32),
        must("replicas", I32),
        may("terminatingReplicas", I32),
    ],
);

pub(super) static ROLLING_UPDATE_DAEMON_SET: Type = leaf(
    "k8s_openapi::api::apps::v1::RollingUpdateDaemonSet",
    "Spec to control the desired behavior of daemon set rolling update.",
    true,
    &[
        may("maxSurge", IntOrString),
        may("maxUnavailable", IntOrString),
    ],
);

pub(super) static ROLLING_UPDATE_DEPLOYMENT: Type = leaf(
    "k8s_openapi::api::apps::v1::RollingUpdateDeployment",
    "Spec to control the desired behavior of rolling update.",
    true,
    &[
        may("maxSurge", IntOrString),
        may("maxUnavailable", IntOrString),
    ],
);

pub(super) static ROLLING_UPDATE_STATEFUL_SET_STRATEGY: Type = leaf(
    "k8s_openapi::api::apps::v1::RollingUpdateStatefulSetStrategy",
    "RollingUpdateStatefulSetStrategy is used to communicate parameter for RollingUpdateStatefulSetStrategyType.",
    true,
    &[
        may("maxUnavailable", IntOrString),
        may("partition", I32),
    ],
);

pub(super) static STATEFUL_SET_CONDITION: Type = leaf(
    "k8s_openapi::api::apps::v1::StatefulSetCondition",
    "StatefulSetCondition describes the state of a statefulset at a certain point.",
    true,
    &[
        may("lastTransitionTime", Time),
        may("message", Str),
        may("reason", Str),
        may("status", Str).required_before(V1_37),
        may("type", Str).required_before(V1_37),
    ],
);

pub(super) static STATEFUL_SET_ORDINALS: Type = leaf(
    "k8s_openapi::api::apps::v1::StatefulSetOrdinals",
    "StatefulSetOrdinals describes the policy used for replica ordinal assignment in this StatefulSet.",
    true,
    &[
        may("start", I32),
    ],
);

pub(super) static STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY: Type = leaf(
    "k8s_openapi::api::apps::v1::StatefulSetPersistentVolumeClaimRetentionPolicy",
    "StatefulSetPersistentVolumeClaimRetentionPolicy describes the policy used for PVCs created from the StatefulSet VolumeClaimTemplates.",
    true,
    &[
        may("whenDeleted", Str),
        may("whenScaled", Str),
    ],
);

pub(super) static STATEFUL_SET_SPEC: Type = leaf(
    "k8s_openapi::api::apps::v1::StatefulSetSpec",
    "A StatefulSetSpec is the specification of a StatefulSet.",
    true,
    &[
        may("minReadySeconds", I32),
        may("ordinals", Struct(&super::apps_v1::STATEFUL_SET_ORDINALS)).said("ordinals controls the numbering of replica indices in a StatefulSet."),
        may("persistentVolumeClaimRetentionPolicy", Struct(&super::apps_v1::STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY)).said("persistentVolumeClaimRetentionPolicy describes the lifecycle of persistent volume claims created from volumeClaimTemplates."),
        may("podManagementPolicy", Str),
        may("replicas", I32),
        may("revisionHistoryLimit", I32),
        must("selector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("selector is a label query over pods that should match the replica count."),
        may("serviceName", Str),
        must("template", Struct(&super::core_v1::POD_TEMPLATE_SPEC)).said("template is the object that describes the pod that will be created if insufficient replicas are detected."),
        may("updateStrategy", Struct(&super::apps_v1::STATEFUL_SET_UPDATE_STRATEGY)).said("updateStrategy indicates the StatefulSetUpdateStrategy that will be employed to update Pods in the StatefulSet when a revision is made to Template."),
        may("volumeClaimTemplates", Other),
    ],
);

pub(super) static STATEFUL_SET_STATUS: Type = leaf(
    "k8s_openapi::api::apps::v1::StatefulSetStatus",
    "StatefulSetStatus represents the current state of a StatefulSet.",
    true,
    &[
        may("availableReplicas", I32),
        may("collisionCount", I32),
        may("conditions", List(&Struct(&super::apps_v1::STATEFUL_SET_CONDITION))).said("Represents the latest available observations of a statefulset's current state."),
        may("currentReplicas", I32),
        may("currentRevision", Str),
        may("observedGeneration", I64),
        may("readyReplicas", I32),
        must("replicas", I32),
        may("updateRevision", Str),
        may("updatedReplicas", I32),
    ],
);

pub(super) static STATEFUL_SET_UPDATE_STRATEGY: Type = leaf(
    "k8s_openapi::api::apps::v1::StatefulSetUpdateStrategy",
    "StatefulSetUpdateStrategy indicates the strategy that the StatefulSet controller will use to perform updates.",
    true,
    &[
        may("rollingUpdate", Struct(&super::apps_v1::ROLLING_UPDATE_STATEFUL_SET_STRATEGY)).said("RollingUpdate is used to communicate parameters when Type is RollingUpdateStatefulSetStrategyType."),
        may("type", Str),
    ],
);
