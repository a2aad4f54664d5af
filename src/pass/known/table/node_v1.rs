//! `api::node::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use super::super::types::{leaf, may, Type};
use super::super::types::Ty::{Str, Quantity, List, Map, Struct};

pub(super) static ALL: &[&Type] = &[
    &OVERHEAD,
    &SCHEDULING,
];

pub(super) static OVERHEAD: Type = leaf(
    "k8s_openapi::api::node::v1::Overhead",
    "Overhead structure represents the resource overhead associated with running a pod.",
    true,
    &[
        may("podFixed", Map(&Quantity)),
    ],
);

pub(super) static SCHEDULING: Type = leaf(
    "k8s_openapi::api::node::v1::Scheduling",
    "Scheduling specifies the scheduling constraints for nodes supporting a RuntimeClass.",
    true,
    &[
        may("nodeSelector", Map(&Str)),
        may("tolerations", List(&Struct(&super::core_v1::TOLERATION))).said("tolerations are appended (excluding duplicates) to pods running with this RuntimeClass during admission, effectively unioning the set of nodes tolerated by the pod and the RuntimeClass."),
    ],
);
