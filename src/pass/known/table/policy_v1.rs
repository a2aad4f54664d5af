//! `api::policy::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use crate::options::Kubernetes::{V1_36};
use super::super::types::{leaf, may, Type};
use super::super::types::Ty::{I32, I64, Str, Time, IntOrString, List, Map, Struct};

pub(super) static ALL: &[&Type] = &[
    &POD_DISRUPTION_BUDGET_SPEC,
    &POD_DISRUPTION_BUDGET_STATUS,
];

pub(super) static POD_DISRUPTION_BUDGET_SPEC: Type = leaf(
    "k8s_openapi::api::policy::v1::PodDisruptionBudgetSpec",
    "PodDisruptionBudgetSpec is a description of a PodDisruptionBudget.",
    true,
    &[
        may("maxUnavailable", IntOrString),
        may("minAvailable", IntOrString),
        may("selector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("Label query over pods whose evictions are managed by the disruption budget."),
        may("unhealthyPodEvictionPolicy", Str),
    ],
);

pub(super) static POD_DISRUPTION_BUDGET_STATUS: Type = leaf(
    "k8s_openapi::api::policy::v1::PodDisruptionBudgetStatus",
    "PodDisruptionBudgetStatus represents information about the status of a PodDisruptionBudget.",
    true,
    &[
        may("conditions", List(&Struct(&super::meta_v1::CONDITION))).said("Conditions contain conditions for PDB."),
        may("currentHealthy", I32).required_before(V1_36),
        may("desiredHealthy", I32).required_before(V1_36),
        may("disruptedPods", Map(&Time)),
        may("disruptionsAllowed", I32).required_before(V1_36),
        may("expectedPods", I32).required_before(V1_36),
        may("observedGeneration", I64),
    ],
);
