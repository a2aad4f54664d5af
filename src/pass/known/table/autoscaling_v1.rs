//! `api::autoscaling::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use super::super::types::{leaf, may, must, Type};
use super::super::types::Ty::{I32, I64, Str, Time, Struct};

pub(super) static ALL: &[&Type] = &[
    &CROSS_VERSION_OBJECT_REFERENCE,
    &HORIZONTAL_POD_AUTOSCALER_SPEC,
    &HORIZONTAL_POD_AUTOSCALER_STATUS,
    &SCALE_SPEC,
    &SCALE_STATUS,
];

pub(super) static CROSS_VERSION_OBJECT_REFERENCE: Type = leaf(
    "k8s_openapi::api::autoscaling::v1::CrossVersionObjectReference",
    "CrossVersionObjectReference contains enough information to let you identify the referred resource.",
    true,
    &[
        may("apiVersion", Str),
        must("kind", Str),
        must("name", Str),
    ],
);

pub(super) static HORIZONTAL_POD_AUTOSCALER_SPEC: Type = leaf(
    "k8s_openapi::api::autoscaling::v1::HorizontalPodAutoscalerSpec",
    "specification of a horizontal pod autoscaler.",
    true,
    &[
        must("maxReplicas", I32),
        may("minReplicas", I32),
        must("scaleTargetRef", Struct(&super::autoscaling_v1::CROSS_VERSION_OBJECT_REFERENCE)).said("reference to scaled resource; horizontal pod autoscaler will learn the current resource consumption and will set the desired number of pods by using its Scale subresource."),
        may("targetCPUUtilizationPercentage", I32),
    ],
);

pub(super) static HORIZONTAL_POD_AUTOSCALER_STATUS: Type = leaf(
    "k8s_openapi::api::autoscaling::v1::HorizontalPodAutoscalerStatus",
    "current status of a horizontal pod autoscaler",
    true,
    &[
        may("currentCPUUtilizationPercentage", I32),
        must("currentReplicas", I32),
        must("desiredReplicas", I32),
        may("lastScaleTime", Time),
        may("observedGeneration", I64),
    ],
);

pub(super) static SCALE_SPEC: Type = leaf(
    "k8s_openapi::api::autoscaling::v1::ScaleSpec",
    "ScaleSpec describes the attributes of a scale subresource.",
    true,
    &[
        may("replicas", I32),
    ],
);

pub(super) static SCALE_STATUS: Type = leaf(
    "k8s_openapi::api::autoscaling::v1::ScaleStatus",
    "ScaleStatus represents the current status of a scale subresource.",
    true,
    &[
        must("replicas", I32),
        may("selector", Str),
    ],
);
