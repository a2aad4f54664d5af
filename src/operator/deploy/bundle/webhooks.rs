//! Describes the webhooks of an operator for OLM, which makes their certificates, Services and configurations.
use serde_json::{Value, json};

use crate::operator::deploy::{Manifest, Tree};

const TYPES: [(&str, &str); 2] = [
    ("MutatingWebhookConfiguration", "MutatingAdmissionWebhook"),
    (
        "ValidatingWebhookConfiguration",
        "ValidatingAdmissionWebhook",
    ),
];

/// Fields that mean the same in a configuration and in a description.
const SAME: [&str; 8] = [
    "admissionReviewVersions",
    "failurePolicy",
    "matchPolicy",
    "objectSelector",
    "reinvocationPolicy",
    "rules",
    "sideEffects",
    "timeoutSeconds",
];

/// Returns the descriptions of all webhooks, and of the conversions.
pub(super) fn definitions(tree: &Tree, deployment: &str) -> Vec<Value> {
    let mut definitions = Vec::new();
    for (kind, name) in TYPES {
        for webhook in tree.of(kind).flat_map(|it| it.list("/webhooks")) {
            let mut definition = described(tree, &webhook["clientConfig"]["service"], deployment);
            definition["type"] = name.into();
            definition["generateName"] = webhook["name"].clone();
            for field in SAME {
                if let Some(value) = webhook.get(field) {
                    definition[field] = value.clone();
                }
            }
            definitions.push(definition);
        }
    }
    let converted: Vec<_> = converted(tree).collect();
    if let Some(first) = converted.first() {
        let webhook = first.get("/spec/conversion/webhook");
        let mut definition = described(tree, &webhook["clientConfig"]["service"], deployment);
        definition["type"] = "ConversionWebhook".into();
        definition["generateName"] = format!("convert.{}", first.text("/spec/group")).into();
        definition["admissionReviewVersions"] = webhook["conversionReviewVersions"].clone();
        definition["sideEffects"] = "None".into();
        definition["conversionCRDs"] = converted.iter().map(|it| it.name()).collect();
        definitions.push(definition);
    }
    definitions
}

/// Returns the CRDs whose objects a webhook converts.
pub(super) fn converted(tree: &Tree) -> impl Iterator<Item = &Manifest> {
    let is_converted = |it: &&Manifest| it.text("/spec/conversion/strategy") == "Webhook";
    tree.of("CustomResourceDefinition").filter(is_converted)
}

/// Returns whether an object is the Service of webhooks, in place of which OLM makes its own.
pub(in crate::operator::deploy) fn is_service(tree: &Tree, manifest: &Manifest) -> bool {
    let configured = TYPES.iter().flat_map(|(kind, _)| tree.of(kind));
    let configured = configured.flat_map(|it| it.list("/webhooks"));
    let admission = configured.map(|it| &it["clientConfig"]["service"]["name"]);
    let conversion =
        converted(tree).map(|it| it.get("/spec/conversion/webhook/clientConfig/service/name"));
    manifest.kind() == "Service" && admission.chain(conversion).any(|it| it == manifest.name())
}

fn described(tree: &Tree, service: &Value, deployment: &str) -> Value {
    let port = service["port"].as_u64().unwrap_or(443);
    let mut services = tree.of("Service").filter(|it| service["name"] == it.name());
    let ports = services.next().map(|it| it.list("/spec/ports"));
    let mut ports = ports.unwrap_or_default().iter();
    let target = ports
        .find(|it| it["port"] == port)
        .and_then(|it| it.get("targetPort"));
    json!({
        "deploymentName": deployment,
        "containerPort": port,
        "targetPort": target.cloned().unwrap_or_else(|| port.into()),
        "webhookPath": service["path"],
    })
}
