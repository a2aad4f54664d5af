//! `apimachinery::pkg::apis::meta::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use crate::options::Kubernetes::{V1_35, V1_36};
use super::super::types::{leaf, may, must, record, Type};
use super::super::types::Ty::{Bool, I32, I64, Str, Time, Json, List, Map, Struct};

pub(super) static ALL: &[&Type] = &[
    &API_RESOURCE,
    &CONDITION,
    &DELETE_OPTIONS,
    &FIELD_SELECTOR_REQUIREMENT,
    &GROUP_RESOURCE,
    &GROUP_VERSION_FOR_DISCOVERY,
    &LABEL_SELECTOR,
    &LABEL_SELECTOR_REQUIREMENT,
    &LIST_META,
    &MANAGED_FIELDS_ENTRY,
    &OBJECT_META,
    &OWNER_REFERENCE,
    &PRECONDITIONS,
    &SERVER_ADDRESS_BY_CLIENT_CIDR,
    &SHARD_INFO,
    &STATUS_CAUSE,
    &STATUS_DETAILS,
];

pub(super) static API_RESOURCE: Type = leaf(
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResource",
    "APIResource specifies the name of a resource and whether it is namespaced.",
    true,
    &[
        may("categories", List(&Str)),
        may("group", Str),
        must("kind", Str),
        must("name", Str),
        must("namespaced", Bool),
        may("shortNames", List(&Str)),
        must("singularName", Str),
        may("storageVersionHash", Str),
        must("verbs", List(&Str)),
        may("version", Str),
    ],
);

pub(super) static CONDITION: Type = record(
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition",
    "Condition contains details for one aspect of the current state of this API Resource.",
    false,
    &[
        must("lastTransitionTime", Time),
        must("message", Str),
        may("observedGeneration", I64),
        must("reason", Str),
        must("status", Str),
        must("type", Str),
    ],
);

pub(super) static DELETE_OPTIONS: Type = leaf(
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::DeleteOptions",
    "DeleteOptions may be provided when deleting an API object.",
    true,
    &[
        may("apiVersion", Str),
        may("dryRun", List(&Str)),
        may("gracePeriodSeconds", I64),
        may("ignoreStoreReadErrorWithClusterBreakingPotential", Bool),
        may("kind", Str),
        may("orphanDependents", Bool),
        may("preconditions", Struct(&super::meta_v1::PRECONDITIONS)).said("Must be fulfilled before a deletion is carried out."),
        may("propagationPolicy", Str),
    ],
);

pub(super) static FIELD_SELECTOR_REQUIREMENT: Type = leaf(
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::FieldSelectorRequirement",
    "FieldSelectorRequirement is a selector that contains values, a key, and an operator that relates the key and values.",
    true,
    &[
        must("key", Str),
        must("operator", Str),
        may("values", List(&Str)),
    ],
);

pub(super) static GROUP_RESOURCE: Type = leaf(
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::GroupResource",
    "GroupResource specifies a Group and a Resource, but does not force a version.",
    true,
    &[
        must("group", Str),
        must("resource", Str),
    ],
).since(V1_35);

pub(super) static GROUP_VERSION_FOR_DISCOVERY: Type = leaf(
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::GroupVersionForDiscovery",
    "GroupVersion contains the \"group/version\" and \"version\" string of a version.",
    true,
    &[
        must("groupVersion", Str),
        must("version", Str),
    ],
);

pub(super) static LABEL_SELECTOR: Type = record(
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector",
    "A label selector is a label query over a set of resources.",
    true,
    &[
        may("matchExpressions", List(&Struct(&super::meta_v1::LABEL_SELECTOR_REQUIREMENT))).said("matchExpressions is a list of label selector requirements."),
        may("matchLabels", Map(&Str)),
    ],
);

pub(super) static LABEL_SELECTOR_REQUIREMENT: Type = record(
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelectorRequirement",
    "A label selector requirement is a selector that contains values, a key, and an operator that relates the key and values.",
    true,
    &[
        must("key", Str),
        must("operator", Str),
        may("values", List(&Str)),
    ],
);

pub(super) static LIST_META: Type = leaf(
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::ListMeta",
    "ListMeta describes metadata that synthetic resources must have, including lists and various status objects.",
    true,
    &[
        may("continue", Str),
        may("remainingItemCount", I64),
        may("resourceVersion", Str),
        may("selfLink", Str),
        may("shardInfo", Struct(&super::meta_v1::SHARD_INFO)).said("shardInfo is set when the list is a filtered subset of the full collection, as selected by a shard selector on the request.").since(V1_36),
    ],
);

pub(super) static MANAGED_FIELDS_ENTRY: Type = record(
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry",
    "ManagedFieldsEntry is a workflow-id, a FieldSet and the group version of the resource that the fieldset applies to.",
    true,
    &[
        may("apiVersion", Str),
        may("fieldsType", Str),
        may("fieldsV1", Json),
        may("manager", Str),
        may("operation", Str),
        may("subresource", Str),
        may("time", Time),
    ],
);

pub(super) static OBJECT_META: Type = record(
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta",
    "ObjectMeta is metadata that all persisted resources must have, which includes all objects users must create.",
    true,
    &[
        may("annotations", Map(&Str)),
        may("creationTimestamp", Time),
        may("deletionGracePeriodSeconds", I64),
        may("deletionTimestamp", Time),
        may("finalizers", List(&Str)),
        may("generateName", Str),
        may("generation", I64),
        may("labels", Map(&Str)),
        may("managedFields", List(&Struct(&super::meta_v1::MANAGED_FIELDS_ENTRY))).said("ManagedFields maps workflow-id and version to the set of fields that are managed by that workflow."),
        may("name", Str),
        may("namespace", Str),
        may("ownerReferences", List(&Struct(&super::meta_v1::OWNER_REFERENCE))).said("List of objects depended by this object."),
        may("resourceVersion", Str),
        may("selfLink", Str),
        may("uid", Str),
    ],
);

pub(super) static OWNER_REFERENCE: Type = record(
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference",
    "OwnerReference contains enough information to let you identify an owning object.",
    true,
    &[
        must("apiVersion", Str),
        may("blockOwnerDeletion", Bool),
        may("controller", Bool),
        must("kind", Str),
        must("name", Str),
        must("uid", Str),
    ],
);

pub(super) static PRECONDITIONS: Type = leaf(
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::Preconditions",
    "Preconditions must be fulfilled before an operation (update, delete, etc.) is carried out.",
    true,
    &[
        may("resourceVersion", Str),
        may("uid", Str),
    ],
);

pub(super) static SERVER_ADDRESS_BY_CLIENT_CIDR: Type = leaf(
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::ServerAddressByClientCIDR",
    "ServerAddressByClientCIDR helps the client to determine the server address that they should use, depending on the clientCIDR that they match.",
    true,
    &[
        must("clientCIDR", Str),
        must("serverAddress", Str),
    ],
);

pub(super) static SHARD_INFO: Type = leaf(
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::ShardInfo",
    "ShardInfo describes the shard selector that was applied to produce a list response.",
    true,
    &[
        must("selector", Str),
    ],
).since(V1_36);

pub(super) static STATUS_CAUSE: Type = leaf(
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::StatusCause",
    "StatusCause provides more information about an api.Status failure, including cases when multiple errors are encountered.",
    true,
    &[
        may("field", Str),
        may("message", Str),
        may("reason", Str),
    ],
);

pub(super) static STATUS_DETAILS: Type = leaf(
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::StatusDetails",
    "StatusDetails is a set of additional properties that MAY be set by the server to provide additional information about a response.",
    true,
    &[
        may("causes", List(&Struct(&super::meta_v1::STATUS_CAUSE))).said("The Causes array includes more details associated with the StatusReason failure."),
        may("group", Str),
        may("kind", Str),
        may("name", Str),
        may("retryAfterSeconds", I32),
        may("uid", Str),
    ],
);
