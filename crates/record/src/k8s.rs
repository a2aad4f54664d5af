//! Types of `k8s-openapi` as values: the metadata of every object as records, for speed, and all others as leaves.
mod leaves;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    Condition, FieldsV1, LabelSelector, LabelSelectorRequirement, ManagedFieldsEntry, MicroTime,
    ObjectMeta, OwnerReference,
};

use crate::{__record_views, Slot, Value, View, leaves};

/// Implements [`Value`] for types with a `Default`.
macro_rules! defaults {
    ($($type:ident),* $(,)?) => {
        crate::leaves! { $($type = $type::default()),* }
    };
}
use defaults;

__record_views! {
    ObjectMeta {
        0 annotations "annotations",
        1 creation_timestamp "creationTimestamp",
        2 deletion_grace_period_seconds "deletionGracePeriodSeconds",
        3 deletion_timestamp "deletionTimestamp",
        4 finalizers "finalizers",
        5 generate_name "generateName",
        6 generation "generation",
        7 labels "labels",
        8 managed_fields "managedFields",
        9 name "name",
        10 namespace "namespace",
        11 owner_references "ownerReferences",
        12 resource_version "resourceVersion",
        13 self_link "selfLink",
        14 uid "uid",
    }
    OwnerReference {
        0 api_version "apiVersion",
        1 block_owner_deletion "blockOwnerDeletion",
        2 controller "controller",
        3 kind "kind",
        4 name "name",
        5 uid "uid",
    }
    ManagedFieldsEntry {
        0 api_version "apiVersion",
        1 fields_type "fieldsType",
        2 fields_v1 "fieldsV1",
        3 manager "manager",
        4 operation "operation",
        5 subresource "subresource",
        6 time "time",
    }
    Condition {
        0 last_transition_time "lastTransitionTime",
        1 message "message",
        2 observed_generation "observedGeneration",
        3 reason "reason",
        4 status "status",
        5 type_ "type",
    }
    LabelSelector {
        0 match_expressions "matchExpressions",
        1 match_labels "matchLabels",
    }
    LabelSelectorRequirement {
        0 key "key",
        1 operator "operator",
        2 values "values",
    }
}

leaves! {
    MicroTime = MicroTime(Timestamp::UNIX_EPOCH),
}

impl Value for FieldsV1 {
    #[inline]
    fn blank() -> Self {
        Self::default()
    }
    #[inline]
    fn view(&self) -> View<'_> {
        View::Json(&self.0)
    }
    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        Slot::Json(&mut self.0)
    }
}
