//! `api::certificates::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use super::super::types::{leaf, may, must, Type};
use super::super::types::Ty::{I32, Str, Bytes, Time, List, Map, Struct};

pub(super) static ALL: &[&Type] = &[
    &CERTIFICATE_SIGNING_REQUEST_CONDITION,
    &CERTIFICATE_SIGNING_REQUEST_SPEC,
    &CERTIFICATE_SIGNING_REQUEST_STATUS,
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
