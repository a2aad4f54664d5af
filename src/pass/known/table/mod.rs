//! The types that may be reused, one file for each group of the API. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use super::types::Type;

#[rustfmt::skip]
mod admissionregistration_v1;
#[rustfmt::skip]
mod apps_v1;
#[rustfmt::skip]
mod authentication_v1;
#[rustfmt::skip]
mod authorization_v1;
#[rustfmt::skip]
mod autoscaling_v1;
#[rustfmt::skip]
mod autoscaling_v2;
#[rustfmt::skip]
mod batch_v1;
#[rustfmt::skip]
mod certificates_v1;
#[rustfmt::skip]
mod coordination_v1;
#[rustfmt::skip]
mod core_v1;
#[rustfmt::skip]
mod discovery_v1;
#[rustfmt::skip]
mod flowcontrol_v1;
#[rustfmt::skip]
mod networking_v1;
#[rustfmt::skip]
mod node_v1;
#[rustfmt::skip]
mod policy_v1;
#[rustfmt::skip]
mod rbac_v1;
#[rustfmt::skip]
mod resource_v1;
#[rustfmt::skip]
mod storage_v1;
#[rustfmt::skip]
mod storagemigration_v1;
#[rustfmt::skip]
mod meta_v1;

/// All types, by group.
pub(super) static ALL: &[&[&Type]] = &[
    admissionregistration_v1::ALL,
    apps_v1::ALL,
    authentication_v1::ALL,
    authorization_v1::ALL,
    autoscaling_v1::ALL,
    autoscaling_v2::ALL,
    batch_v1::ALL,
    certificates_v1::ALL,
    coordination_v1::ALL,
    core_v1::ALL,
    discovery_v1::ALL,
    flowcontrol_v1::ALL,
    networking_v1::ALL,
    node_v1::ALL,
    policy_v1::ALL,
    rbac_v1::ALL,
    resource_v1::ALL,
    storage_v1::ALL,
    storagemigration_v1::ALL,
    meta_v1::ALL,
];
