//! `api::admissionregistration::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use crate::options::Kubernetes::{V1_36};
use super::super::types::{leaf, may, must, Type};
use super::super::types::Ty::{I32, I64, Str, Bytes, List, Struct};

pub(super) static ALL: &[&Type] = &[
    &APPLY_CONFIGURATION,
    &AUDIT_ANNOTATION,
    &EXPRESSION_WARNING,
    &JSON_PATCH,
    &MATCH_CONDITION,
    &MATCH_RESOURCES,
    &MUTATING_ADMISSION_POLICY_BINDING_SPEC,
    &MUTATING_ADMISSION_POLICY_SPEC,
    &MUTATING_WEBHOOK,
    &MUTATION,
    &NAMED_RULE_WITH_OPERATIONS,
    &PARAM_KIND,
    &PARAM_REF,
    &RULE_WITH_OPERATIONS,
    &SERVICE_REFERENCE,
    &TYPE_CHECKING,
    &VALIDATING_ADMISSION_POLICY_BINDING_SPEC,
    &VALIDATING_ADMISSION_POLICY_SPEC,
    &VALIDATING_ADMISSION_POLICY_STATUS,
    &VALIDATING_WEBHOOK,
    &VALIDATION,
    &VARIABLE,
    &WEBHOOK_CLIENT_CONFIG,
];

pub(super) static APPLY_CONFIGURATION: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::ApplyConfiguration",
    "ApplyConfiguration defines the desired configuration values of an object.",
    true,
    &[
        may("expression", Str),
    ],
).since(V1_36);

pub(super) static AUDIT_ANNOTATION: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::AuditAnnotation",
    "AuditAnnotation describes how to produce an audit annotation for an API request.",
    true,
    &[
        must("key", Str),
        must("valueExpression", Str),
    ],
);

pub(super) static EXPRESSION_WARNING: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::ExpressionWarning",
    "ExpressionWarning is a warning information that targets a specific expression.",
    true,
    &[
        must("fieldRef", Str),
        must("warning", Str),
    ],
);

pub(super) static JSON_PATCH: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::JSONPatch",
    "JSONPatch defines a JSON Patch.",
    true,
    &[
        may("expression", Str),
    ],
).since(V1_36);

pub(super) static MATCH_CONDITION: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::MatchCondition",
    "MatchCondition represents a condition which must by fulfilled for a request to be sent to a webhook.",
    true,
    &[
        must("expression", Str),
        must("name", Str),
    ],
);

pub(super) static MATCH_RESOURCES: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::MatchResources",
    "MatchResources decides whether to run the admission control policy on an object based on whether it meets the match criteria.",
    true,
    &[
        may("excludeResourceRules", List(&Struct(&super::admissionregistration_v1::NAMED_RULE_WITH_OPERATIONS))).said("ExcludeResourceRules describes what operations on what resources/subresources the ValidatingAdmissionPolicy should not care about."),
        may("matchPolicy", Str),
        may("namespaceSelector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("NamespaceSelector decides whether to run the admission control policy on an object based on whether the namespace for that object matches the selector."),
        may("objectSelector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("ObjectSelector decides whether to run the validation based on if the object has matching labels."),
        may("resourceRules", List(&Struct(&super::admissionregistration_v1::NAMED_RULE_WITH_OPERATIONS))).said("ResourceRules describes what operations on what resources/subresources the ValidatingAdmissionPolicy matches."),
    ],
);

pub(super) static MUTATING_ADMISSION_POLICY_BINDING_SPEC: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::MutatingAdmissionPolicyBindingSpec",
    "MutatingAdmissionPolicyBindingSpec defines the specification of the MutatingAdmissionPolicyBinding.",
    true,
    &[
        may("matchResources", Struct(&super::admissionregistration_v1::MATCH_RESOURCES)).said("matchResources limits what resources match this binding and may be mutated by it."),
        may("paramRef", Struct(&super::admissionregistration_v1::PARAM_REF)).said("paramRef specifies the parameter resource used to configure the admission control policy."),
        may("policyName", Str),
    ],
).since(V1_36);

pub(super) static MUTATING_ADMISSION_POLICY_SPEC: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::MutatingAdmissionPolicySpec",
    "MutatingAdmissionPolicySpec defines the desired behavior of the admission policy.",
    true,
    &[
        may("failurePolicy", Str),
        may("matchConditions", List(&Struct(&super::admissionregistration_v1::MATCH_CONDITION))).said("matchConditions is a list of conditions that must be met for a request to be validated."),
        may("matchConstraints", Struct(&super::admissionregistration_v1::MATCH_RESOURCES)).said("matchConstraints specifies what resources this policy is designed to validate."),
        may("mutations", List(&Struct(&super::admissionregistration_v1::MUTATION))).said("mutations contain operations to perform on matching objects."),
        may("paramKind", Struct(&super::admissionregistration_v1::PARAM_KIND)).said("paramKind specifies the kind of resources used to parameterize this policy."),
        may("reinvocationPolicy", Str),
        may("variables", List(&Struct(&super::admissionregistration_v1::VARIABLE))).said("variables contain definitions of variables that can be used in composition of other expressions."),
    ],
).since(V1_36);

pub(super) static MUTATING_WEBHOOK: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::MutatingWebhook",
    "MutatingWebhook describes an admission webhook and the resources and operations it applies to.",
    true,
    &[
        must("admissionReviewVersions", List(&Str)),
        must("clientConfig", Struct(&super::admissionregistration_v1::WEBHOOK_CLIENT_CONFIG)).said("ClientConfig defines how to communicate with the hook."),
        may("failurePolicy", Str),
        may("matchConditions", List(&Struct(&super::admissionregistration_v1::MATCH_CONDITION))).said("MatchConditions is a list of conditions that must be met for a request to be sent to this webhook."),
        may("matchPolicy", Str),
        must("name", Str),
        may("namespaceSelector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("NamespaceSelector decides whether to run the webhook on an object based on whether the namespace for that object matches the selector."),
        may("objectSelector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("ObjectSelector decides whether to run the webhook based on if the object has matching labels."),
        may("reinvocationPolicy", Str),
        may("rules", List(&Struct(&super::admissionregistration_v1::RULE_WITH_OPERATIONS))).said("Rules describes what operations on what resources/subresources the webhook cares about."),
        must("sideEffects", Str),
        may("timeoutSeconds", I32),
    ],
);

pub(super) static MUTATION: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::Mutation",
    "Mutation specifies the CEL expression which is used to apply the Mutation.",
    true,
    &[
        may("applyConfiguration", Struct(&super::admissionregistration_v1::APPLY_CONFIGURATION)).said("applyConfiguration defines the desired configuration values of an object."),
        may("jsonPatch", Struct(&super::admissionregistration_v1::JSON_PATCH)).said("jsonPatch defines a [JSON patch](https://jsonpatch.com/) operation to perform a mutation to the object."),
        must("patchType", Str),
    ],
).since(V1_36);

pub(super) static NAMED_RULE_WITH_OPERATIONS: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::NamedRuleWithOperations",
    "NamedRuleWithOperations is a tuple of Operations and Resources with ResourceNames.",
    true,
    &[
        may("apiGroups", List(&Str)),
        may("apiVersions", List(&Str)),
        may("operations", List(&Str)),
        may("resourceNames", List(&Str)),
        may("resources", List(&Str)),
        may("scope", Str),
    ],
);

pub(super) static PARAM_KIND: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::ParamKind",
    "ParamKind is a tuple of Group Kind and Version.",
    true,
    &[
        may("apiVersion", Str),
        may("kind", Str),
    ],
);

pub(super) static PARAM_REF: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::ParamRef",
    "ParamRef describes how to locate the params to be used as input to expressions of rules applied by a policy binding.",
    true,
    &[
        may("name", Str),
        may("namespace", Str),
        may("parameterNotFoundAction", Str),
        may("selector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("selector can be used to match multiple param objects based on their labels."),
    ],
);

pub(super) static RULE_WITH_OPERATIONS: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::RuleWithOperations",
    "RuleWithOperations is a tuple of Operations and Resources.",
    true,
    &[
        may("apiGroups", List(&Str)),
        may("apiVersions", List(&Str)),
        may("operations", List(&Str)),
        may("resources", List(&Str)),
        may("scope", Str),
    ],
);

pub(super) static SERVICE_REFERENCE: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::ServiceReference",
    "ServiceReference holds a reference to Service.legacy.k8s.io",
    true,
    &[
        must("name", Str),
        must("namespace", Str),
        may("path", Str),
        may("port", I32),
    ],
);

pub(super) static TYPE_CHECKING: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::TypeChecking",
    "TypeChecking contains results of type checking the expressions in the ValidatingAdmissionPolicy",
    true,
    &[
        may("expressionWarnings", List(&Struct(&super::admissionregistration_v1::EXPRESSION_WARNING))).said("The type checking warnings for each expression."),
    ],
);

pub(super) static VALIDATING_ADMISSION_POLICY_BINDING_SPEC: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::ValidatingAdmissionPolicyBindingSpec",
    "ValidatingAdmissionPolicyBindingSpec is the specification of the ValidatingAdmissionPolicyBinding.",
    true,
    &[
        may("matchResources", Struct(&super::admissionregistration_v1::MATCH_RESOURCES)).said("MatchResources declares what resources match this binding and will be validated by it."),
        may("paramRef", Struct(&super::admissionregistration_v1::PARAM_REF)).said("paramRef specifies the parameter resource used to configure the admission control policy."),
        must("policyName", Str),
        must("validationActions", List(&Str)),
    ],
);

pub(super) static VALIDATING_ADMISSION_POLICY_SPEC: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::ValidatingAdmissionPolicySpec",
    "ValidatingAdmissionPolicySpec is the specification of the desired behavior of the AdmissionPolicy.",
    true,
    &[
        may("auditAnnotations", List(&Struct(&super::admissionregistration_v1::AUDIT_ANNOTATION))).said("auditAnnotations contains CEL expressions which are used to produce audit annotations for the audit event of the API request."),
        may("failurePolicy", Str),
        may("matchConditions", List(&Struct(&super::admissionregistration_v1::MATCH_CONDITION))).said("MatchConditions is a list of conditions that must be met for a request to be validated."),
        may("matchConstraints", Struct(&super::admissionregistration_v1::MATCH_RESOURCES)).said("MatchConstraints specifies what resources this policy is designed to validate."),
        may("paramKind", Struct(&super::admissionregistration_v1::PARAM_KIND)).said("ParamKind specifies the kind of resources used to parameterize this policy."),
        may("validations", List(&Struct(&super::admissionregistration_v1::VALIDATION))).said("Validations contain CEL expressions which is used to apply the validation."),
        may("variables", List(&Struct(&super::admissionregistration_v1::VARIABLE))).said("Variables contain definitions of variables that can be used in composition of other expressions."),
    ],
);

pub(super) static VALIDATING_ADMISSION_POLICY_STATUS: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::ValidatingAdmissionPolicyStatus",
    "ValidatingAdmissionPolicyStatus represents the status of an admission validation policy.",
    true,
    &[
        may("conditions", List(&Struct(&super::meta_v1::CONDITION))).said("The conditions represent the latest available observations of a policy's current state."),
        may("observedGeneration", I64),
        may("typeChecking", Struct(&super::admissionregistration_v1::TYPE_CHECKING)).said("The results of type checking for each expression."),
    ],
);

pub(super) static VALIDATING_WEBHOOK: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::ValidatingWebhook",
    "ValidatingWebhook describes an admission webhook and the resources and operations it applies to.",
    true,
    &[
        must("admissionReviewVersions", List(&Str)),
        must("clientConfig", Struct(&super::admissionregistration_v1::WEBHOOK_CLIENT_CONFIG)).said("ClientConfig defines how to communicate with the hook."),
        may("failurePolicy", Str),
        may("matchConditions", List(&Struct(&super::admissionregistration_v1::MATCH_CONDITION))).said("MatchConditions is a list of conditions that must be met for a request to be sent to this webhook."),
        may("matchPolicy", Str),
        must("name", Str),
        may("namespaceSelector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("NamespaceSelector decides whether to run the webhook on an object based on whether the namespace for that object matches the selector."),
        may("objectSelector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("ObjectSelector decides whether to run the webhook based on if the object has matching labels."),
        may("rules", List(&Struct(&super::admissionregistration_v1::RULE_WITH_OPERATIONS))).said("Rules describes what operations on what resources/subresources the webhook cares about."),
        must("sideEffects", Str),
        may("timeoutSeconds", I32),
    ],
);

pub(super) static VALIDATION: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::Validation",
    "Validation specifies the CEL expression which is used to apply the validation.",
    true,
    &[
        must("expression", Str),
        may("message", Str),
        may("messageExpression", Str),
        may("reason", Str),
    ],
);

pub(super) static VARIABLE: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::Variable",
    "Variable is the definition of a variable that is used for composition.",
    true,
    &[
        must("expression", Str),
        must("name", Str),
    ],
);

pub(super) static WEBHOOK_CLIENT_CONFIG: Type = leaf(
    "k8s_openapi::api::admissionregistration::v1::WebhookClientConfig",
    "WebhookClientConfig contains the information to make a TLS connection with the webhook",
    true,
    &[
        may("caBundle", Bytes),
        may("service", Struct(&super::admissionregistration_v1::SERVICE_REFERENCE)).said("`service` is a reference to the service for this webhook."),
        may("url", Str),
    ],
);
