//! The objects that register the webhooks.
use std::time::Duration;

use k8s_openapi::{
    api::{
        admissionregistration::v1::MutatingWebhookConfiguration, autoscaling::v1::Scale,
        coordination::v1::Lease, core::v1::ConfigMap,
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube_codegen_runtime::webhook::{
    ClientConfig, FailurePolicy, OwnCertificates, Rejection, Request, Webhook, WebhookServer,
    Webhooks,
};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    client::gadget::{self, Gadget},
    webhook::operator::{Operator, Rules, convert, set_color, webhooks},
};

#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
fn nothing<K>(_: &mut K, _: &Request) -> Result<(), Rejection> {
    Ok(())
}

#[test]
fn they_have_what_the_handlers_say() {
    let client = ClientConfig::service("system", "operator-webhook");
    let all = webhooks().configurations(&client);
    let mutating = json!(all.mutating.unwrap());
    assert_eq!(
        mutating["webhooks"],
        json!([{
            "name": "default-v1-configmap.core.operator",
            "admissionReviewVersions": ["v1"],
            "clientConfig": {"service": {
                "name": "operator-webhook", "namespace": "system", "path": "/mutate--v1-configmap", "port": 443,
            }},
            "failurePolicy": "Fail",
            "matchPolicy": "Equivalent",
            "namespaceSelector": {"matchExpressions": [
                {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["system"]},
            ]},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["configmaps"]}],
            "sideEffects": "None",
            "timeoutSeconds": 10,
        }])
    );
    assert_eq!(
        all.validating.unwrap().metadata.name.as_deref(),
        Some("operator-validating")
    );
    let (name, conversion) = &all.conversions[0];
    assert_eq!(name, "configmaps.");
    assert_eq!(conversion.strategy, "Webhook");
}

#[test]
fn settings_of_a_webhook_are_part_of_it() {
    let validating = Webhook::validating::<ConfigMap>(Rules)
        .failure_policy(FailurePolicy::Ignore)
        .timeout(Duration::from_secs(90))
        .match_condition("not-root", "request.userInfo.username != 'root'")
        .subresource("status")
        .side_effects()
        .include_own_namespace();
    let scale = Webhook::defaulting(nothing::<Scale>)
        .resource("apps", "v1", "deployments/scale")
        .path("/scale")
        .reinvoke();
    let lease = Webhook::defaulting(nothing::<Lease>);
    let all = Webhooks::new("operator")
        .webhook(validating)
        .webhook(scale)
        .webhook(lease);
    let all = all.configurations(&ClientConfig::url("https://127.0.0.1:9443/"));
    assert!(all.service.is_none());
    let validating = json!(all.validating.unwrap())["webhooks"][0].clone();
    assert_eq!(
        validating["clientConfig"]["url"],
        "https://127.0.0.1:9443/validate--v1-configmap"
    );
    assert_eq!(validating["failurePolicy"], "Ignore");
    assert_eq!(validating["timeoutSeconds"], 30);
    assert_eq!(validating["matchConditions"][0]["name"], "not-root");
    assert_eq!(
        validating["rules"][0]["resources"],
        json!(["configmaps", "configmaps/status"])
    );
    assert_eq!(validating["sideEffects"], "NoneOnDryRun");
    assert!(validating.get("namespaceSelector").is_none());
    let mutating = json!(all.mutating.unwrap())["webhooks"].clone();
    assert_eq!(mutating[0]["name"], "default-v1-scale-scale.apps.operator");
    assert_eq!(mutating[0]["reinvocationPolicy"], "IfNeeded");
    assert_eq!(
        mutating[0]["rules"][0]["resources"],
        json!(["deployments/scale"])
    );
    assert_eq!(
        mutating[1]["matchConditions"][0]["expression"],
        "request.resource.resource != 'leases'"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_url_takes_the_place_of_an_installed_service() {
    let webhooks = || {
        let webhooks = Webhooks::new("operator").defaulting(set_color);
        webhooks.converting::<Gadget, _>(convert)
    };
    let service = || ClientConfig::service("default", "operator-webhook");
    let deployed = webhooks().configurations(&service());
    let mut crd = gadget::crd();
    crd["spec"]["preserveUnknownFields"] = false.into();
    crd["spec"]["conversion"] = json!(deployed.conversions[0].1);
    let server = ApiServer::new();
    server.apply(&crd.to_string()).await.unwrap();
    server.apply(&deployed.to_yaml().unwrap()).await.unwrap();
    let own = OwnCertificates::new();
    let operator = Operator::start_with(&server, webhooks(), own, WebhookServer::install);
    let reached = async |way: &str, other: &str| {
        let reached = server.until(|server| {
            let crd: CustomResourceDefinition = server.get("", "gadgets.example.com")?;
            let crd = json!(crd)["spec"]["conversion"]["webhook"]["clientConfig"].clone();
            let mutating: MutatingWebhookConfiguration = server.get("", "operator-mutating")?;
            let mutating = json!(mutating)["webhooks"][0]["clientConfig"].clone();
            let all = [crd, mutating];
            let is_written = |one: &Value| !one[way].is_null() && one["caBundle"].is_string();
            all.iter().all(is_written).then_some(all)
        });
        for config in timeout(Duration::from_secs(10), reached).await.unwrap() {
            assert!(config[other].is_null(), "{config}");
        }
    };
    reached("url", "service").await;
    operator.stop().await.unwrap();
    // And the reverse.
    let own = OwnCertificates::new();
    let change = |settings: WebhookServer| settings.install().reached_by(service());
    let operator = Operator::start_with(&server, webhooks(), own, change);
    reached("service", "url").await;
    operator.stop().await.unwrap();
}

#[test]
fn they_are_written_as_yaml() {
    let client = ClientConfig::service("system", "operator-webhook");
    let all = webhooks()
        .configurations(&client)
        .inject_ca_from("system/serving-cert");
    let yaml = all.to_yaml().unwrap();
    let kinds: Vec<_> = yaml
        .lines()
        .filter_map(|line| line.strip_prefix("kind: "))
        .collect();
    assert_eq!(
        kinds,
        [
            "Service",
            "MutatingWebhookConfiguration",
            "ValidatingWebhookConfiguration"
        ]
    );
    assert_eq!(
        yaml.matches("cert-manager.io/inject-ca-from: system/serving-cert")
            .count(),
        2
    );
    assert!(yaml.contains("targetPort: webhook-server"), "{yaml}");
    assert!(yaml.contains("# The CustomResourceDefinition configmaps. needs this field:\n#   spec:\n#     conversion:\n"), "{yaml}");
}
