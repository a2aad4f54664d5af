//! `api::certificates::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use crate::options::Kubernetes::{V1_37};
use super::super::types::{leaf, may, must, Type};
use super::super::types::Ty::{I32, Str, Bytes, Time, List, Map, Struct};

pub(super) static ALL: &[&Type] = &[
    &CERTIFICATE_SIGNING_REQUEST_CONDITION,
    &CERTIFICATE_SIGNING_REQUEST_SPEC,
    &CERTIFICATE_SIGNING_REQUEST_STATUS,
    &CLUSTER_TRUST_BUNDLE_SPEC,
    &POD_CERTIFICATE_REQUEST_SPEC,
    &POD_CERTIFICATE_REQUEST_STATUS,
];

pub(super) static CERTIFICATE_SIGNING_REQUEST_CONDITION: Type = leaf(
    "k8s_openapi::api::certificates::v1::CertificateSigningRequestCondition",
    "CertificateSigningRequestCondition describes a condition of a CertificateSigningRequest object",
    true,
    &[
        may("lastTransitionTime", Time),
        may("lastUpdateTime", Time),
        may("message", Str),
        may("reason", Str),
        must("status", Str),
        must("type", Str),
    ],
);

pub(super) static CERTIFICATE_SIGNING_REQUEST_SPEC: Type = leaf(
    "k8s_openapi::api::certificates::v1::CertificateSigningRequestSpec",
    "CertificateSigningRequestSpec contains the certificate request.",
    true,
    &[
        may("expirationSeconds", I32),
        may("extra", Map(&List(&Str))),
        may("groups", List(&Str)),
        must("request", Bytes),
        must("signerName", Str),
        may("uid", Str),
        may("usages", List(&Str)),
        may("username", Str),
    ],
);

pub(super) static CERTIFICATE_SIGNING_REQUEST_STATUS: Type = leaf(
    "k8s_openapi::api::certificates::v1::CertificateSigningRequestStatus",
    "CertificateSigningRequestStatus contains conditions used to indicate approved/denied/failed status of the request, and the issued certificate.",
    true,
    &[
        may("certificate", Bytes),
        may("conditions", List(&Struct(&super::certificates_v1::CERTIFICATE_SIGNING_REQUEST_CONDITION))).said("conditions applied to the request."),
    ],
);

pub(super) static CLUSTER_TRUST_BUNDLE_SPEC: Type = leaf(
    "k8s_openapi::api::certificates::v1::ClusterTrustBundleSpec",
    "ClusterTrustBundleSpec contains the signer and trust anchors.",
    true,
    &[
        may("signerName", Str),
        must("trustBundle", Str),
    ],
).since(V1_37);

pub(super) static POD_CERTIFICATE_REQUEST_SPEC: Type = leaf(
    "k8s_openapi::api::certificates::v1::PodCertificateRequestSpec",
    "PodCertificateRequestSpec describes the certificate request.",
    true,
    &[
        may("maxExpirationSeconds", I32),
        must("nodeName", Str),
        must("nodeUID", Str),
        must("podName", Str),
        must("podUID", Str),
        must("serviceAccountName", Str),
        must("serviceAccountUID", Str),
        must("signerName", Str),
        must("stubPKCS10Request", Bytes),
        may("unverifiedUserAnnotations", Map(&Str)),
    ],
).since(V1_37);

pub(super) static POD_CERTIFICATE_REQUEST_STATUS: Type = leaf(
    "k8s_openapi::api::certificates::v1::PodCertificateRequestStatus",
    "PodCertificateRequestStatus describes the status of the request, and holds the certificate data if the request is issued.",
    true,
    &[
        may("beginRefreshAt", Time),
        may("certificateChain", Str),
        may("conditions", List(&Struct(&super::meta_v1::CONDITION))).said("conditions applied to the request."),
        may("notAfter", Time),
        may("notBefore", Time),
    ],
).since(V1_37);
