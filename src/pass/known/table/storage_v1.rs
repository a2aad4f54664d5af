//! `api::storage::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use crate::options::Kubernetes::{V1_35, V1_36, V1_37};
use super::super::types::{leaf, may, must, Type};
use super::super::types::Ty::{Bool, I32, I64, Str, Time, List, Map, Struct};

pub(super) static ALL: &[&Type] = &[
    &CSI_DRIVER_SPEC,
    &CSI_NODE_DRIVER,
    &CSI_NODE_SPEC,
    &CSI_NODE_STATUS,
    &STORAGE_HEALTH,
    &STORAGE_HEALTH_CONDITION,
    &TOKEN_REQUEST,
    &VOLUME_ATTACHMENT_SOURCE,
    &VOLUME_ATTACHMENT_SPEC,
    &VOLUME_ATTACHMENT_STATUS,
    &VOLUME_ERROR,
    &VOLUME_NODE_RESOURCES,
];

pub(super) static CSI_DRIVER_SPEC: Type = leaf(
    "k8s_openapi::api::storage::v1::CSIDriverSpec",
    "CSIDriverSpec is the specification of a CSIDriver.",
    true,
    &[
        may("attachRequired", Bool),
        may("fsGroupPolicy", Str),
        may("nodeAllocatableUpdatePeriodSeconds", I64),
        may("podInfoOnMount", Bool),
        may("preventPodSchedulingIfMissing", Bool).since(V1_36),
        may("requiresRepublish", Bool),
        may("seLinuxMount", Bool),
        may("serviceAccountTokenInSecrets", Bool).since(V1_35),
        may("storageCapacity", Bool),
        may("tokenRequests", List(&Struct(&super::storage_v1::TOKEN_REQUEST))).said("tokenRequests indicates the CSI driver needs pods' service account tokens it is mounting volume for to do necessary authentication."),
        may("volumeLifecycleModes", List(&Str)),
    ],
);

pub(super) static CSI_NODE_DRIVER: Type = leaf(
    "k8s_openapi::api::storage::v1::CSINodeDriver",
    "CSINodeDriver holds information about the specification of one CSI driver installed on a node",
    true,
    &[
        may("allocatable", Struct(&super::storage_v1::VOLUME_NODE_RESOURCES)).said("allocatable represents the volume resources of a node that are available for scheduling."),
        must("name", Str),
        must("nodeID", Str),
        may("topologyKeys", List(&Str)),
    ],
);

pub(super) static CSI_NODE_SPEC: Type = leaf(
    "k8s_openapi::api::storage::v1::CSINodeSpec",
    "CSINodeSpec holds information about the specification of all CSI drivers installed on a node",
    true,
    &[
        must("drivers", List(&Struct(&super::storage_v1::CSI_NODE_DRIVER))).said("drivers is a list of information of all CSI Drivers existing on a node."),
    ],
);

pub(super) static CSI_NODE_STATUS: Type = leaf(
    "k8s_openapi::api::storage::v1::CSINodeStatus",
    "CSINodeStatus contains health and status information for storage on a node.",
    true,
    &[
        may("storageHealth", List(&Struct(&super::storage_v1::STORAGE_HEALTH))).said("storageHealth contains backend health reports for CSI drivers registered on the node."),
    ],
).since(V1_37);

pub(super) static STORAGE_HEALTH: Type = leaf(
    "k8s_openapi::api::storage::v1::StorageHealth",
    "StorageHealth contains storage backend health reported by a CSI driver on a node.",
    true,
    &[
        may("healthConditions", List(&Struct(&super::storage_v1::STORAGE_HEALTH_CONDITION))).said("healthConditions are the adverse storage backend conditions reported by the CSI driver."),
        must("name", Str),
    ],
).since(V1_37);

pub(super) static STORAGE_HEALTH_CONDITION: Type = leaf(
    "k8s_openapi::api::storage::v1::StorageHealthCondition",
    "StorageHealthCondition represents an adverse health condition reported by a CSI driver for its storage backend on a node.",
    true,
    &[
        may("accessMode", Str),
        may("lastTransitionTime", Time),
        may("message", Str),
        must("reason", Str),
        must("status", Str),
        may("volumeMode", Str),
    ],
).since(V1_37);

pub(super) static TOKEN_REQUEST: Type = leaf(
    "k8s_openapi::api::storage::v1::TokenRequest",
    "TokenRequest contains parameters of a service account token.",
    true,
    &[
        must("audience", Str),
        may("expirationSeconds", I64),
    ],
);

pub(super) static VOLUME_ATTACHMENT_SOURCE: Type = leaf(
    "k8s_openapi::api::storage::v1::VolumeAttachmentSource",
    "VolumeAttachmentSource represents a volume that should be attached.",
    true,
    &[
        may("inlineVolumeSpec", Struct(&super::core_v1::PERSISTENT_VOLUME_SPEC)).said("inlineVolumeSpec contains all the information necessary to attach a persistent volume defined by a pod's inline VolumeSource."),
        may("persistentVolumeName", Str),
    ],
);

pub(super) static VOLUME_ATTACHMENT_SPEC: Type = leaf(
    "k8s_openapi::api::storage::v1::VolumeAttachmentSpec",
    "VolumeAttachmentSpec is the specification of a VolumeAttachment request.",
    true,
    &[
        must("attacher", Str),
        must("nodeName", Str),
        must("source", Struct(&super::storage_v1::VOLUME_ATTACHMENT_SOURCE)).said("source represents the volume that should be attached."),
    ],
);

pub(super) static VOLUME_ATTACHMENT_STATUS: Type = leaf(
    "k8s_openapi::api::storage::v1::VolumeAttachmentStatus",
    "VolumeAttachmentStatus is the status of a VolumeAttachment request.",
    true,
    &[
        may("attachError", Struct(&super::storage_v1::VOLUME_ERROR)).said("attachError represents the last error encountered during attach operation, if any."),
        must("attached", Bool),
        may("attachmentMetadata", Map(&Str)),
        may("detachError", Struct(&super::storage_v1::VOLUME_ERROR)).said("detachError represents the last error encountered during detach operation, if any."),
    ],
);

pub(super) static VOLUME_ERROR: Type = leaf(
    "k8s_openapi::api::storage::v1::VolumeError",
    "VolumeError captures an error encountered during a volume operation.",
    true,
    &[
        may("errorCode", I32),
        may("message", Str),
        may("time", Time),
    ],
);

pub(super) static VOLUME_NODE_RESOURCES: Type = leaf(
    "k8s_openapi::api::storage::v1::VolumeNodeResources",
    "VolumeNodeResources is a set of resource limits for scheduling of volumes.",
    true,
    &[
        may("count", I32),
    ],
);
