//! `api::storagemigration::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use crate::options::Kubernetes::{V1_37};
use super::super::types::{leaf, may, must, Type};
use super::super::types::Ty::{Str, List, Struct};

pub(super) static ALL: &[&Type] = &[
    &STORAGE_VERSION_MIGRATION_SPEC,
    &STORAGE_VERSION_MIGRATION_STATUS,
];

pub(super) static STORAGE_VERSION_MIGRATION_SPEC: Type = leaf(
    "k8s_openapi::api::storagemigration::v1::StorageVersionMigrationSpec",
    "Spec of the storage version migration.",
    true,
    &[
        must("resource", Struct(&super::meta_v1::GROUP_RESOURCE)).said("The resource that is being migrated."),
    ],
).since(V1_37);

pub(super) static STORAGE_VERSION_MIGRATION_STATUS: Type = leaf(
    "k8s_openapi::api::storagemigration::v1::StorageVersionMigrationStatus",
    "Status of the storage version migration.",
    true,
    &[
        may("conditions", List(&Struct(&super::meta_v1::CONDITION))).said("The latest available observations of the migration's current state."),
        may("resourceVersion", Str),
    ],
).since(V1_37);
