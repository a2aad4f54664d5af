//! `api::flowcontrol::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use super::super::types::{leaf, may, must, Type};
use super::super::types::Ty::{Bool, I32, Str, Time, List, Struct};

pub(super) static ALL: &[&Type] = &[
    &EXEMPT_PRIORITY_LEVEL_CONFIGURATION,
    &FLOW_DISTINGUISHER_METHOD,
    &FLOW_SCHEMA_CONDITION,
    &FLOW_SCHEMA_SPEC,
    &FLOW_SCHEMA_STATUS,
    &GROUP_SUBJECT,
    &LIMIT_RESPONSE,
    &LIMITED_PRIORITY_LEVEL_CONFIGURATION,
    &NON_RESOURCE_POLICY_RULE,
    &POLICY_RULES_WITH_SUBJECTS,
    &PRIORITY_LEVEL_CONFIGURATION_CONDITION,
    &PRIORITY_LEVEL_CONFIGURATION_REFERENCE,
    &PRIORITY_LEVEL_CONFIGURATION_SPEC,
    &PRIORITY_LEVEL_CONFIGURATION_STATUS,
    &QUEUING_CONFIGURATION,
    &RESOURCE_POLICY_RULE,
    &SERVICE_ACCOUNT_SUBJECT,
    &SUBJECT,
    &USER_SUBJECT,
];

pub(super) static EXEMPT_PRIORITY_LEVEL_CONFIGURATION: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::ExemptPriorityLevelConfiguration",
    "ExemptPriorityLevelConfiguration describes the configurable aspects of the handling of exempt requests.",
    true,
    &[
        may("lendablePercent", I32),
        may("nominalConcurrencyShares", I32),
    ],
);

pub(super) static FLOW_DISTINGUISHER_METHOD: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::FlowDistinguisherMethod",
    "FlowDistinguisherMethod specifies the method of a flow distinguisher.",
    true,
    &[
        must("type", Str),
    ],
);

pub(super) static FLOW_SCHEMA_CONDITION: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::FlowSchemaCondition",
    "FlowSchemaCondition describes conditions for a FlowSchema.",
    true,
    &[
        may("lastTransitionTime", Time),
        may("message", Str),
        may("reason", Str),
        may("status", Str),
        must("type", Str),
    ],
);

pub(super) static FLOW_SCHEMA_SPEC: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::FlowSchemaSpec",
    "FlowSchemaSpec describes how the FlowSchema's specification looks like.",
    true,
    &[
        may("distinguisherMethod", Struct(&super::flowcontrol_v1::FLOW_DISTINGUISHER_METHOD)).said("`distinguisherMethod` defines how to compute the flow distinguisher for requests that match this schema."),
        may("matchingPrecedence", I32),
        must("priorityLevelConfiguration", Struct(&super::flowcontrol_v1::PRIORITY_LEVEL_CONFIGURATION_REFERENCE)).said("`priorityLevelConfiguration` should reference a PriorityLevelConfiguration in the cluster."),
        may("rules", List(&Struct(&super::flowcontrol_v1::POLICY_RULES_WITH_SUBJECTS))).said("`rules` describes which requests will match this flow schema."),
    ],
);

pub(super) static FLOW_SCHEMA_STATUS: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::FlowSchemaStatus",
    "FlowSchemaStatus represents the current state of a FlowSchema.",
    true,
    &[
        may("conditions", List(&Struct(&super::flowcontrol_v1::FLOW_SCHEMA_CONDITION))).said("`conditions` is a list of the current states of FlowSchema."),
    ],
);

pub(super) static GROUP_SUBJECT: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::GroupSubject",
    "GroupSubject holds detailed information for group-kind subject.",
    true,
    &[
        must("name", Str),
    ],
);

pub(super) static LIMIT_RESPONSE: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::LimitResponse",
    "LimitResponse defines how to handle requests that can not be executed right now.",
    true,
    &[
        may("queuing", Struct(&super::flowcontrol_v1::QUEUING_CONFIGURATION)).said("`queuing` holds the configuration parameters for queuing."),
        must("type", Str),
    ],
);

pub(super) static LIMITED_PRIORITY_LEVEL_CONFIGURATION: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::LimitedPriorityLevelConfiguration",
    "LimitedPriorityLevelConfiguration specifies how to handle requests that are subject to limits.",
    true,
    &[
        may("borrowingLimitPercent", I32),
        may("lendablePercent", I32),
        must("limitResponse", Struct(&super::flowcontrol_v1::LIMIT_RESPONSE)).said("`limitResponse` indicates what to do with requests that can not be executed right now"),
        may("nominalConcurrencyShares", I32),
    ],
);

pub(super) static NON_RESOURCE_POLICY_RULE: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::NonResourcePolicyRule",
    "NonResourcePolicyRule is a predicate that matches non-resource requests according to their verb and the target non-resource URL.",
    true,
    &[
        must("nonResourceURLs", List(&Str)),
        must("verbs", List(&Str)),
    ],
);

pub(super) static POLICY_RULES_WITH_SUBJECTS: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::PolicyRulesWithSubjects",
    "PolicyRulesWithSubjects prescribes a test that applies to a request to an apiserver.",
    true,
    &[
        may("nonResourceRules", List(&Struct(&super::flowcontrol_v1::NON_RESOURCE_POLICY_RULE))).said("`nonResourceRules` is a list of NonResourcePolicyRules that identify matching requests according to their verb and the target non-resource URL."),
        may("resourceRules", List(&Struct(&super::flowcontrol_v1::RESOURCE_POLICY_RULE))).said("`resourceRules` is a slice of ResourcePolicyRules that identify matching requests according to their verb and the target resource."),
        must("subjects", List(&Struct(&super::flowcontrol_v1::SUBJECT))).said("subjects is the list of normal user, serviceaccount, or group that this rule cares about."),
    ],
);

pub(super) static PRIORITY_LEVEL_CONFIGURATION_CONDITION: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::PriorityLevelConfigurationCondition",
    "PriorityLevelConfigurationCondition defines the condition of priority level.",
    true,
    &[
        may("lastTransitionTime", Time),
        may("message", Str),
        may("reason", Str),
        may("status", Str),
        must("type", Str),
    ],
);

pub(super) static PRIORITY_LEVEL_CONFIGURATION_REFERENCE: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::PriorityLevelConfigurationReference",
    "PriorityLevelConfigurationReference contains information that points to the \"request-priority\" being used.",
    true,
    &[
        must("name", Str),
    ],
);

pub(super) static PRIORITY_LEVEL_CONFIGURATION_SPEC: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::PriorityLevelConfigurationSpec",
    "PriorityLevelConfigurationSpec specifies the configuration of a priority level.",
    true,
    &[
        may("exempt", Struct(&super::flowcontrol_v1::EXEMPT_PRIORITY_LEVEL_CONFIGURATION)).said("`exempt` specifies how requests are handled for an exempt priority level."),
        may("limited", Struct(&super::flowcontrol_v1::LIMITED_PRIORITY_LEVEL_CONFIGURATION)).said("`limited` specifies how requests are handled for a Limited priority level."),
        must("type", Str),
    ],
);

pub(super) static PRIORITY_LEVEL_CONFIGURATION_STATUS: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::PriorityLevelConfigurationStatus",
    "PriorityLevelConfigurationStatus represents the current state of a \"request-priority\".",
    true,
    &[
        may("conditions", List(&Struct(&super::flowcontrol_v1::PRIORITY_LEVEL_CONFIGURATION_CONDITION))).said("`conditions` is the current state of \"request-priority\"."),
    ],
);

pub(super) static QUEUING_CONFIGURATION: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::QueuingConfiguration",
    "QueuingConfiguration holds the configuration parameters for queuing",
    true,
    &[
        may("handSize", I32),
        may("queueLengthLimit", I32),
        may("queues", I32),
    ],
);

pub(super) static RESOURCE_POLICY_RULE: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::ResourcePolicyRule",
    "ResourcePolicyRule is a predicate that matches some resource requests, testing the request's verb and the target resource.",
    true,
    &[
        must("apiGroups", List(&Str)),
        may("clusterScope", Bool),
        may("namespaces", List(&Str)),
        must("resources", List(&Str)),
        must("verbs", List(&Str)),
    ],
);

pub(super) static SERVICE_ACCOUNT_SUBJECT: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::ServiceAccountSubject",
    "ServiceAccountSubject holds detailed information for service-account-kind subject.",
    true,
    &[
        must("name", Str),
        must("namespace", Str),
    ],
);

pub(super) static SUBJECT: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::Subject",
    "Subject matches the originator of a request, as identified by the request authentication system.",
    true,
    &[
        may("group", Struct(&super::flowcontrol_v1::GROUP_SUBJECT)).said("`group` matches based on user group name."),
        must("kind", Str),
        may("serviceAccount", Struct(&super::flowcontrol_v1::SERVICE_ACCOUNT_SUBJECT)).said("`serviceAccount` matches ServiceAccounts."),
        may("user", Struct(&super::flowcontrol_v1::USER_SUBJECT)).said("`user` matches based on username."),
    ],
);

pub(super) static USER_SUBJECT: Type = leaf(
    "k8s_openapi::api::flowcontrol::v1::UserSubject",
    "UserSubject holds detailed information for user-kind subject.",
    true,
    &[
        must("name", Str),
    ],
);
