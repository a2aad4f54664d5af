//! `api::authorization::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use super::super::types::{leaf, may, must, Type};
use super::super::types::Ty::{Bool, Str, List, Map, Struct};

pub(super) static ALL: &[&Type] = &[
    &FIELD_SELECTOR_ATTRIBUTES,
    &LABEL_SELECTOR_ATTRIBUTES,
    &NON_RESOURCE_ATTRIBUTES,
    &NON_RESOURCE_RULE,
    &RESOURCE_ATTRIBUTES,
    &RESOURCE_RULE,
    &SELF_SUBJECT_ACCESS_REVIEW_SPEC,
    &SELF_SUBJECT_RULES_REVIEW_SPEC,
    &SUBJECT_ACCESS_REVIEW_SPEC,
    &SUBJECT_ACCESS_REVIEW_STATUS,
    &SUBJECT_RULES_REVIEW_STATUS,
];

pub(super) static FIELD_SELECTOR_ATTRIBUTES: Type = leaf(
    "k8s_openapi::api::authorization::v1::FieldSelectorAttributes",
    "FieldSelectorAttributes indicates a field limited access.",
    true,
    &[
        may("rawSelector", Str),
        may("requirements", List(&Struct(&super::meta_v1::FIELD_SELECTOR_REQUIREMENT))).said("requirements is the parsed interpretation of a field selector."),
    ],
);

pub(super) static LABEL_SELECTOR_ATTRIBUTES: Type = leaf(
    "k8s_openapi::api::authorization::v1::LabelSelectorAttributes",
    "LabelSelectorAttributes indicates a label limited access.",
    true,
    &[
        may("rawSelector", Str),
        may("requirements", List(&Struct(&super::meta_v1::LABEL_SELECTOR_REQUIREMENT))).said("requirements is the parsed interpretation of a label selector."),
    ],
);

pub(super) static NON_RESOURCE_ATTRIBUTES: Type = leaf(
    "k8s_openapi::api::authorization::v1::NonResourceAttributes",
    "NonResourceAttributes includes the authorization attributes available for non-resource requests to the Authorizer interface",
    true,
    &[
        may("path", Str),
        may("verb", Str),
    ],
);

pub(super) static NON_RESOURCE_RULE: Type = leaf(
    "k8s_openapi::api::authorization::v1::NonResourceRule",
    "NonResourceRule holds information that describes a rule for the non-resource",
    true,
    &[
        may("nonResourceURLs", List(&Str)),
        must("verbs", List(&Str)),
    ],
);

pub(super) static RESOURCE_ATTRIBUTES: Type = leaf(
    "k8s_openapi::api::authorization::v1::ResourceAttributes",
    "ResourceAttributes includes the authorization attributes available for resource requests to the Authorizer interface",
    true,
    &[
        may("fieldSelector", Struct(&super::authorization_v1::FIELD_SELECTOR_ATTRIBUTES)).said("fieldSelector describes the limitation on access based on field."),
        may("group", Str),
        may("labelSelector", Struct(&super::authorization_v1::LABEL_SELECTOR_ATTRIBUTES)).said("labelSelector describes the limitation on access based on labels."),
        may("name", Str),
        may("namespace", Str),
        may("resource", Str),
        may("subresource", Str),
        may("verb", Str),
        may("version", Str),
    ],
);

pub(super) static RESOURCE_RULE: Type = leaf(
    "k8s_openapi::api::authorization::v1::ResourceRule",
    "ResourceRule is the list of actions the subject is allowed to perform on resources.",
    true,
    &[
        may("apiGroups", List(&Str)),
        may("resourceNames", List(&Str)),
        may("resources", List(&Str)),
        must("verbs", List(&Str)),
    ],
);

pub(super) static SELF_SUBJECT_ACCESS_REVIEW_SPEC: Type = leaf(
    "k8s_openapi::api::authorization::v1::SelfSubjectAccessReviewSpec",
    "SelfSubjectAccessReviewSpec is a description of the access request.",
    true,
    &[
        may("nonResourceAttributes", Struct(&super::authorization_v1::NON_RESOURCE_ATTRIBUTES)).said("NonResourceAttributes describes information for a non-resource access request"),
        may("resourceAttributes", Struct(&super::authorization_v1::RESOURCE_ATTRIBUTES)).said("ResourceAuthorizationAttributes describes information for a resource access request"),
    ],
);

pub(super) static SELF_SUBJECT_RULES_REVIEW_SPEC: Type = leaf(
    "k8s_openapi::api::authorization::v1::SelfSubjectRulesReviewSpec",
    "SelfSubjectRulesReviewSpec defines the specification for SelfSubjectRulesReview.",
    true,
    &[
        may("namespace", Str),
    ],
);

pub(super) static SUBJECT_ACCESS_REVIEW_SPEC: Type = leaf(
    "k8s_openapi::api::authorization::v1::SubjectAccessReviewSpec",
    "SubjectAccessReviewSpec is a description of the access request.",
    true,
    &[
        may("extra", Map(&List(&Str))),
        may("groups", List(&Str)),
        may("nonResourceAttributes", Struct(&super::authorization_v1::NON_RESOURCE_ATTRIBUTES)).said("NonResourceAttributes describes information for a non-resource access request"),
        may("resourceAttributes", Struct(&super::authorization_v1::RESOURCE_ATTRIBUTES)).said("ResourceAuthorizationAttributes describes information for a resource access request"),
        may("uid", Str),
        may("user", Str),
    ],
);

pub(super) static SUBJECT_ACCESS_REVIEW_STATUS: Type = leaf(
    "k8s_openapi::api::authorization::v1::SubjectAccessReviewStatus",
    "SubjectAccessReviewStatus",
    true,
    &[
        must("allowed", Bool),
        may("denied", Bool),
        may("evaluationError", Str),
        may("reason", Str),
    ],
);

pub(super) static SUBJECT_RULES_REVIEW_STATUS: Type = leaf(
    "k8s_openapi::api::authorization::v1::SubjectRulesReviewStatus",
    "SubjectRulesReviewStatus contains the result of a rules check.",
    true,
    &[
        may("evaluationError", Str),
        must("incomplete", Bool),
        must("nonResourceRules", List(&Struct(&super::authorization_v1::NON_RESOURCE_RULE))).said("NonResourceRules is the list of actions the subject is allowed to perform on non-resources."),
        must("resourceRules", List(&Struct(&super::authorization_v1::RESOURCE_RULE))).said("ResourceRules is the list of actions the subject is allowed to perform on resources."),
    ],
);
