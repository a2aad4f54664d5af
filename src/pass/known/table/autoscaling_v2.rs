//! `api::autoscaling::v2`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use crate::options::Kubernetes::{V1_37};
use super::super::types::{leaf, may, must, Type};
use super::super::types::Ty::{I32, I64, Str, Time, Quantity, List, Struct};

pub(super) static ALL: &[&Type] = &[
    &CONTAINER_RESOURCE_METRIC_SOURCE,
    &CONTAINER_RESOURCE_METRIC_STATUS,
    &CROSS_VERSION_OBJECT_REFERENCE,
    &EXTERNAL_METRIC_SOURCE,
    &EXTERNAL_METRIC_STATUS,
    &HPA_SCALING_POLICY,
    &HPA_SCALING_RULES,
    &HORIZONTAL_POD_AUTOSCALER_BEHAVIOR,
    &HORIZONTAL_POD_AUTOSCALER_CONDITION,
    &HORIZONTAL_POD_AUTOSCALER_SPEC,
    &HORIZONTAL_POD_AUTOSCALER_STATUS,
    &METRIC_IDENTIFIER,
    &METRIC_SPEC,
    &METRIC_STATUS,
    &METRIC_TARGET,
    &METRIC_VALUE_STATUS,
    &OBJECT_METRIC_SOURCE,
    &OBJECT_METRIC_STATUS,
    &PODS_METRIC_SOURCE,
    &PODS_METRIC_STATUS,
    &RESOURCE_METRIC_SOURCE,
    &RESOURCE_METRIC_STATUS,
];

pub(super) static CONTAINER_RESOURCE_METRIC_SOURCE: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::ContainerResourceMetricSource",
    "ContainerResourceMetricSource indicates how to scale on a resource metric known to Kubernetes, as specified in requests and limits, describing each pod in the current scale target (e.g.",
    true,
    &[
        must("container", Str),
        must("name", Str),
        must("target", Struct(&super::autoscaling_v2::METRIC_TARGET)).said("target specifies the target value for the given metric"),
    ],
);

pub(super) static CONTAINER_RESOURCE_METRIC_STATUS: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::ContainerResourceMetricStatus",
    "ContainerResourceMetricStatus indicates the current value of a resource metric known to Kubernetes, as specified in requests and limits, describing a single container in each pod in the current scale target (e.g.",
    true,
    &[
        must("container", Str),
        must("current", Struct(&super::autoscaling_v2::METRIC_VALUE_STATUS)).said("current contains the current value for the given metric"),
        must("name", Str),
    ],
);

pub(super) static CROSS_VERSION_OBJECT_REFERENCE: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::CrossVersionObjectReference",
    "CrossVersionObjectReference contains enough information to let you identify the referred resource.",
    true,
    &[
        may("apiVersion", Str),
        must("kind", Str),
        must("name", Str),
    ],
);

pub(super) static EXTERNAL_METRIC_SOURCE: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::ExternalMetricSource",
    "ExternalMetricSource indicates how to scale on a metric not associated with any Kubernetes object (for example length of queue in cloud messaging service, or QPS from loadbalancer running outside of cluster).",
    true,
    &[
        must("metric", Struct(&super::autoscaling_v2::METRIC_IDENTIFIER)).said("metric identifies the target metric by name and selector"),
        must("target", Struct(&super::autoscaling_v2::METRIC_TARGET)).said("target specifies the target value for the given metric"),
    ],
);

pub(super) static EXTERNAL_METRIC_STATUS: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::ExternalMetricStatus",
    "ExternalMetricStatus indicates the current value of a global metric not associated with any Kubernetes object.",
    true,
    &[
        must("current", Struct(&super::autoscaling_v2::METRIC_VALUE_STATUS)).said("current contains the current value for the given metric"),
        must("metric", Struct(&super::autoscaling_v2::METRIC_IDENTIFIER)).said("metric identifies the target metric by name and selector"),
    ],
);

pub(super) static HPA_SCALING_POLICY: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::HPAScalingPolicy",
    "HPAScalingPolicy is a single policy which must hold true for a specified past interval.",
    true,
    &[
        must("periodSeconds", I32),
        must("type", Str),
        must("value", I32),
    ],
);

pub(super) static HPA_SCALING_RULES: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::HPAScalingRules",
    "HPAScalingRules configures the scaling behavior for one direction via scaling Policy Rules and a configurable metric tolerance.",
    true,
    &[
        may("policies", List(&Struct(&super::autoscaling_v2::HPA_SCALING_POLICY))).said("policies is a list of potential scaling polices which can be used during scaling."),
        may("selectPolicy", Str),
        may("stabilizationWindowSeconds", I32),
        may("tolerance", Quantity),
    ],
);

pub(super) static HORIZONTAL_POD_AUTOSCALER_BEHAVIOR: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscalerBehavior",
    "HorizontalPodAutoscalerBehavior configures the scaling behavior of the target in both Up and Down directions (scaleUp and scaleDown fields respectively).",
    true,
    &[
        may("scaleDown", Struct(&super::autoscaling_v2::HPA_SCALING_RULES)).said("scaleDown is scaling policy for scaling Down."),
        may("scaleUp", Struct(&super::autoscaling_v2::HPA_SCALING_RULES)).said("scaleUp is scaling policy for scaling Up."),
    ],
);

pub(super) static HORIZONTAL_POD_AUTOSCALER_CONDITION: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscalerCondition",
    "HorizontalPodAutoscalerCondition describes the state of a HorizontalPodAutoscaler at a certain point.",
    true,
    &[
        may("lastTransitionTime", Time),
        may("message", Str),
        may("observedGeneration", I64).since(V1_37),
        may("reason", Str),
        must("status", Str),
        must("type", Str),
    ],
);

pub(super) static HORIZONTAL_POD_AUTOSCALER_SPEC: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscalerSpec",
    "HorizontalPodAutoscalerSpec describes the desired functionality of the HorizontalPodAutoscaler.",
    true,
    &[
        may("behavior", Struct(&super::autoscaling_v2::HORIZONTAL_POD_AUTOSCALER_BEHAVIOR)).said("behavior configures the scaling behavior of the target in both Up and Down directions (scaleUp and scaleDown fields respectively)."),
        must("maxReplicas", I32),
        may("metrics", List(&Struct(&super::autoscaling_v2::METRIC_SPEC))).said("metrics contains the specifications for which to use to calculate the desired replica count (the maximum replica count across all metrics will be used)."),
        may("minReplicas", I32),
        must("scaleTargetRef", Struct(&super::autoscaling_v2::CROSS_VERSION_OBJECT_REFERENCE)).said("scaleTargetRef points to the target resource to scale, and is used to the pods for which metrics should be collected, as well as to actually change the replica count."),
    ],
);

pub(super) static HORIZONTAL_POD_AUTOSCALER_STATUS: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscalerStatus",
    "HorizontalPodAutoscalerStatus describes the current status of a horizontal pod autoscaler.",
    true,
    &[
        may("conditions", List(&Struct(&super::autoscaling_v2::HORIZONTAL_POD_AUTOSCALER_CONDITION))).said("conditions is the set of conditions required for this autoscaler to scale its target, and indicates whether or not those conditions are met."),
        may("currentMetrics", List(&Struct(&super::autoscaling_v2::METRIC_STATUS))).said("currentMetrics is the last read state of the metrics used by this autoscaler."),
        may("currentReplicas", I32),
        must("desiredReplicas", I32),
        may("lastScaleTime", Time),
        may("observedGeneration", I64),
    ],
);

pub(super) static METRIC_IDENTIFIER: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::MetricIdentifier",
    "MetricIdentifier defines the name and optionally selector for a metric",
    true,
    &[
        must("name", Str),
        may("selector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("selector is the string-encoded form of a standard kubernetes label selector for the given metric When set, it is passed as an additional parameter to the metrics server for more specific metrics scoping."),
    ],
);

pub(super) static METRIC_SPEC: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::MetricSpec",
    "MetricSpec specifies how to scale based on a single metric (only `type` and one other matching field should be set at once).",
    true,
    &[
        may("containerResource", Struct(&super::autoscaling_v2::CONTAINER_RESOURCE_METRIC_SOURCE)).said("containerResource refers to a resource metric (such as those specified in requests and limits) known to Kubernetes describing a single container in each pod of the current scale target (e.g."),
        may("external", Struct(&super::autoscaling_v2::EXTERNAL_METRIC_SOURCE)).said("external refers to a global metric that is not associated with any Kubernetes object."),
        may("object", Struct(&super::autoscaling_v2::OBJECT_METRIC_SOURCE)).said("object refers to a metric describing a single kubernetes object (for example, hits-per-second on an Ingress object)."),
        may("pods", Struct(&super::autoscaling_v2::PODS_METRIC_SOURCE)).said("pods refers to a metric describing each pod in the current scale target (for example, transactions-processed-per-second)."),
        may("resource", Struct(&super::autoscaling_v2::RESOURCE_METRIC_SOURCE)).said("resource refers to a resource metric (such as those specified in requests and limits) known to Kubernetes describing each pod in the current scale target (e.g."),
        must("type", Str),
    ],
);

pub(super) static METRIC_STATUS: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::MetricStatus",
    "MetricStatus describes the last-read state of a single metric.",
    true,
    &[
        may("containerResource", Struct(&super::autoscaling_v2::CONTAINER_RESOURCE_METRIC_STATUS)).said("container resource refers to a resource metric (such as those specified in requests and limits) known to Kubernetes describing a single container in each pod in the current scale target (e.g."),
        may("external", Struct(&super::autoscaling_v2::EXTERNAL_METRIC_STATUS)).said("external refers to a global metric that is not associated with any Kubernetes object."),
        may("object", Struct(&super::autoscaling_v2::OBJECT_METRIC_STATUS)).said("object refers to a metric describing a single kubernetes object (for example, hits-per-second on an Ingress object)."),
        may("pods", Struct(&super::autoscaling_v2::PODS_METRIC_STATUS)).said("pods refers to a metric describing each pod in the current scale target (for example, transactions-processed-per-second)."),
        may("resource", Struct(&super::autoscaling_v2::RESOURCE_METRIC_STATUS)).said("resource refers to a resource metric (such as those specified in requests and limits) known to Kubernetes describing each pod in the current scale target (e.g."),
        must("type", Str),
    ],
);

pub(super) static METRIC_TARGET: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::MetricTarget",
    "MetricTarget defines the target value, average value, or average utilization of a specific metric",
    true,
    &[
        may("averageUtilization", I32),
        may("averageValue", Quantity),
        must("type", Str),
        may("value", Quantity),
    ],
);

pub(super) static METRIC_VALUE_STATUS: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::MetricValueStatus",
    "MetricValueStatus holds the current value for a metric",
    true,
    &[
        may("averageUtilization", I32),
        may("averageValue", Quantity),
        may("value", Quantity),
    ],
);

pub(super) static OBJECT_METRIC_SOURCE: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::ObjectMetricSource",
    "ObjectMetricSource indicates how to scale on a metric describing a kubernetes object (for example, hits-per-second on an Ingress object).",
    true,
    &[
        must("describedObject", Struct(&super::autoscaling_v2::CROSS_VERSION_OBJECT_REFERENCE)).said("describedObject specifies the descriptions of a object,such as kind,name apiVersion"),
        must("metric", Struct(&super::autoscaling_v2::METRIC_IDENTIFIER)).said("metric identifies the target metric by name and selector"),
        must("target", Struct(&super::autoscaling_v2::METRIC_TARGET)).said("target specifies the target value for the given metric"),
    ],
);

pub(super) static OBJECT_METRIC_STATUS: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::ObjectMetricStatus",
    "ObjectMetricStatus indicates the current value of a metric describing a kubernetes object (for example, hits-per-second on an Ingress object).",
    true,
    &[
        must("current", Struct(&super::autoscaling_v2::METRIC_VALUE_STATUS)).said("current contains the current value for the given metric"),
        must("describedObject", Struct(&super::autoscaling_v2::CROSS_VERSION_OBJECT_REFERENCE)).said("DescribedObject specifies the descriptions of a object,such as kind,name apiVersion"),
        must("metric", Struct(&super::autoscaling_v2::METRIC_IDENTIFIER)).said("metric identifies the target metric by name and selector"),
    ],
);

pub(super) static PODS_METRIC_SOURCE: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::PodsMetricSource",
    "PodsMetricSource indicates how to scale on a metric describing each pod in the current scale target (for example, transactions-processed-per-second).",
    true,
    &[
        must("metric", Struct(&super::autoscaling_v2::METRIC_IDENTIFIER)).said("metric identifies the target metric by name and selector"),
        must("target", Struct(&super::autoscaling_v2::METRIC_TARGET)).said("target specifies the target value for the given metric"),
    ],
);

pub(super) static PODS_METRIC_STATUS: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::PodsMetricStatus",
    "PodsMetricStatus indicates the current value of a metric describing each pod in the current scale target (for example, transactions-processed-per-second).",
    true,
    &[
        must("current", Struct(&super::autoscaling_v2::METRIC_VALUE_STATUS)).said("current contains the current value for the given metric"),
        must("metric", Struct(&super::autoscaling_v2::METRIC_IDENTIFIER)).said("metric identifies the target metric by name and selector"),
    ],
);

pub(super) static RESOURCE_METRIC_SOURCE: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::ResourceMetricSource",
    "ResourceMetricSource indicates how to scale on a resource metric known to Kubernetes, as specified in requests and limits, describing each pod in the current scale target (e.g.",
    true,
    &[
        must("name", Str),
        must("target", Struct(&super::autoscaling_v2::METRIC_TARGET)).said("target specifies the target value for the given metric"),
    ],
);

pub(super) static RESOURCE_METRIC_STATUS: Type = leaf(
    "k8s_openapi::api::autoscaling::v2::ResourceMetricStatus",
    "ResourceMetricStatus indicates the current value of a resource metric known to Kubernetes, as specified in requests and limits, describing each pod in the current scale target (e.g.",
    true,
    &[
        must("current", Struct(&super::autoscaling_v2::METRIC_VALUE_STATUS)).said("current contains the current value for the given metric"),
        must("name", Str),
    ],
);
