//! `admissionregistration.k8s.io`: the configurations of webhooks and policies.

use serde_json::json;

use crate::kinds::builtin::{
    fields::or_nil,
    strategy::{Fields, Group, Strategy},
    validate::{policies, webhooks},
};

pub(super) const GROUP: Group = Group {
    name: "admissionregistration.k8s.io",
    package: "admissionregistration",
    kinds: &[
        Strategy {
            kind: "MutatingAdmissionPolicy",
            validate: |it, _, _, object| policies::mutating(it, object),
            ..POLICY
        },
        Strategy {
            kind: "MutatingAdmissionPolicyBinding",
            validate: |it, _, _, object| policies::mutating_binding(it, object),
            ..POLICY
        },
        Strategy {
            kind: "MutatingWebhookConfiguration",
            ..WEBHOOKS
        },
        Strategy {
            kind: "ValidatingAdmissionPolicy",
            validate: |it, subresource, _, object| {
                if subresource.is_empty() {
                    policies::validating(it, object);
                }
            },
            ..POLICY
        },
        Strategy {
            kind: "ValidatingAdmissionPolicyBinding",
            validate: |it, _, _, object| policies::validating_binding(it, object),
            ..POLICY
        },
        Strategy {
            kind: "ValidatingWebhookConfiguration",
            ..WEBHOOKS
        },
    ],
    defaults,
};

const POLICY: Strategy = Strategy {
    has_generation: true,
    needs_version: true,
    ..Strategy::PLAIN
};

const WEBHOOKS: Strategy = Strategy {
    validate: |it, _, _, object| webhooks::validate(it, object),
    blanks: "webhooks",
    ..POLICY
};

fn defaults(name: &str, it: &mut Fields) {
    match name {
        "ValidatingWebhook" | "MutatingWebhook" => {
            or_nil(it, "failurePolicy", "Fail");
            or_nil(it, "matchPolicy", "Equivalent");
            or_nil(it, "namespaceSelector", json!({}));
            or_nil(it, "objectSelector", json!({}));
            or_nil(it, "timeoutSeconds", 10);
            if name == "MutatingWebhook" {
                or_nil(it, "reinvocationPolicy", "Never");
            }
        }
        "RuleWithOperations" | "NamedRuleWithOperations" => or_nil(it, "scope", "*"),
        "ServiceReference" => or_nil(it, "port", 443),
        "ValidatingAdmissionPolicySpec" | "MutatingAdmissionPolicySpec" => {
            or_nil(it, "failurePolicy", "Fail");
        }
        "MatchResources" => {
            or_nil(it, "matchPolicy", "Equivalent");
            or_nil(it, "namespaceSelector", json!({}));
            or_nil(it, "objectSelector", json!({}));
        }
        _ => {}
    }
}
