//! `api::authentication::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use crate::options::Kubernetes::{V1_36, V1_37};
use super::super::types::{leaf, may, must, Type};
use super::super::types::Ty::{Bool, I64, Str, Time, List, Map, Struct};

pub(super) static ALL: &[&Type] = &[
    &BOUND_OBJECT_REFERENCE,
    &SELF_SUBJECT_REVIEW_STATUS,
    &TOKEN_REQUEST_SPEC,
    &TOKEN_REQUEST_STATUS,
    &TOKEN_REVIEW_SPEC,
    &TOKEN_REVIEW_STATUS,
    &USER_INFO,
];

pub(super) static BOUND_OBJECT_REFERENCE: Type = leaf(
    "k8s_openapi::api::authentication::v1::BoundObjectReference",
    "BoundObjectReference is a reference to an object that a token is bound to.",
    true,
    &[
        may("apiVersion", Str),
        may("kind", Str),
        may("name", Str),
        may("uid", Str),
    ],
);

pub(super) static SELF_SUBJECT_REVIEW_STATUS: Type = leaf(
    "k8s_openapi::api::authentication::v1::SelfSubjectReviewStatus",
    "SelfSubjectReviewStatus is filled by the kube-apiserver and sent back to a user.",
    true,
    &[
        may("userInfo", Struct(&super::authentication_v1::USER_INFO)).said("User attributes of the user making this request."),
    ],
);

pub(super) static TOKEN_REQUEST_SPEC: Type = leaf(
    "k8s_openapi::api::authentication::v1::TokenRequestSpec",
    "TokenRequestSpec contains client provided parameters of a token request.",
    true,
    &[
        may("attestations", Map(&List(&Str))).since(V1_37),
        may("audiences", List(&Str)).required_before(V1_36),
        may("boundObjectRef", Struct(&super::authentication_v1::BOUND_OBJECT_REFERENCE)).said("BoundObjectRef is a reference to an object that the token will be bound to."),
        may("expirationSeconds", I64),
    ],
);

pub(super) static TOKEN_REQUEST_STATUS: Type = leaf(
    "k8s_openapi::api::authentication::v1::TokenRequestStatus",
    "TokenRequestStatus is the result of a token request.",
    true,
    &[
        may("expirationTimestamp", Time),
        may("token", Str),
    ],
).since(V1_36);

pub(super) static TOKEN_REVIEW_SPEC: Type = leaf(
    "k8s_openapi::api::authentication::v1::TokenReviewSpec",
    "TokenReviewSpec is a description of the token authentication request.",
    true,
    &[
        may("audiences", List(&Str)),
        must("token", Str),
    ],
);

pub(super) static TOKEN_REVIEW_STATUS: Type = leaf(
    "k8s_openapi::api::authentication::v1::TokenReviewStatus",
    "TokenReviewStatus is the result of the token authentication request.",
    true,
    &[
        may("audiences", List(&Str)),
        may("authenticated", Bool),
        may("error", Str),
        may("user", Struct(&super::authentication_v1::USER_INFO)).said("User is the UserInfo associated with the provided token."),
    ],
);

pub(super) static USER_INFO: Type = leaf(
    "k8s_openapi::api::authentication::v1::UserInfo",
    "UserInfo holds the information about the user needed to implement the user.Info interface.",
    true,
    &[
        may("extra", Map(&List(&Str))),
        may("groups", List(&Str)),
        may("uid", Str),
        may("username", Str),
    ],
);
