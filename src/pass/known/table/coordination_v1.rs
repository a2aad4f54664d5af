//! `api::coordination::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use super::super::types::{leaf, may, Type};
use super::super::types::Ty::{I32, Str, Other};

pub(super) static ALL: &[&Type] = &[
    &LEASE_SPEC,
];

pub(super) static LEASE_SPEC: Type = leaf(
    "k8s_openapi::api::coordination::v1::LeaseSpec",
    "LeaseSpec is a specification of a Lease.",
    true,
    &[
        may("acquireTime", Other),
        may("holderIdentity", Str),
        may("leaseDurationSeconds", I32),
        may("leaseTransitions", I32),
        may("preferredHolder", Str),
        may("renewTime", Other),
        may("strategy", Str),
    ],
);
