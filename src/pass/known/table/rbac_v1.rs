//! `api::rbac::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use crate::options::Kubernetes::{V1_36};
use super::super::types::{leaf, may, must, Type};
use super::super::types::Ty::{Str, List, Struct};

pub(super) static ALL: &[&Type] = &[
    &AGGREGATION_RULE,
    &POLICY_RULE,
    &ROLE_REF,
    &SUBJECT,
];

pub(super) static AGGREGATION_RULE: Type = leaf(
    "k8s_openapi::api::rbac::v1::AggregationRule",
    "AggregationRule describes how to locate ClusterRoles to aggregate into the ClusterRole",
    true,
    &[
        may("clusterRoleSelectors", List(&Struct(&super::meta_v1::LABEL_SELECTOR))).said("ClusterRoleSelectors holds a list of selectors which will be used to find ClusterRoles and create the rules."),
    ],
);

pub(super) static POLICY_RULE: Type = leaf(
    "k8s_openapi::api::rbac::v1::PolicyRule",
    "PolicyRule holds information that describes a policy rule, but does not contain information about who the rule applies to or which namespace the rule applies to.",
    true,
    &[
        may("apiGroups", List(&Str)),
        may("nonResourceURLs", List(&Str)),
        may("resourceNames", List(&Str)),
        may("resources", List(&Str)),
        must("verbs", List(&Str)),
    ],
);

pub(super) static ROLE_REF: Type = leaf(
    "k8s_openapi::api::rbac::v1::RoleRef",
    "RoleRef contains information that points to the role being used",
    true,
    &[
        may("apiGroup", Str).required_before(V1_36),
        must("kind", Str),
        must("name", Str),
    ],
);

pub(super) static SUBJECT: Type = leaf(
    "k8s_openapi::api::rbac::v1::Subject",
    "Subject contains a reference to the object or user identities a role binding applies to.",
    true,
    &[
        may("apiGroup", Str),
        must("kind", Str),
        must("name", Str),
        may("namespace", Str),
    ],
);
