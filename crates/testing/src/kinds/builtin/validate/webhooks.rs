//! Validates the configurations of admission webhooks.

use std::collections::BTreeSet;

use kube_codegen_formats::{names, webhook};
use serde_json::{Value, json};

use super::Causes;
use crate::values::object::{at, list, strings, text};

const OPERATIONS: &[&str] = &["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES: &[&str] = &["*", "Cluster", "Namespaced"];
const REVIEWS: &[&str] = &["v1", "v1beta1"];

pub(crate) fn validate(it: &mut Causes, object: &Value) {
    let mut names = BTreeSet::new();
    for (index, webhook) in list(object, "/webhooks").iter().enumerate() {
        let path = format!("webhooks[{index}]");
        let name = text(webhook, "/name");
        if !names.insert(name) && !name.is_empty() {
            it.duplicate(format!("{path}.name"), json!(name));
        }
        if name.is_empty() {
            it.required(format!("{path}.name"), "");
        } else if name.split('.').count() < 3 {
            let why = "should be a domain with at least three segments separated by dots";
            it.invalid(format!("{path}.name"), at(webhook, "/name"), why);
        } else {
            it.subdomain(&format!("{path}.name"), at(webhook, "/name"));
        }
        client(
            it,
            &format!("{path}.clientConfig"),
            at(webhook, "/clientConfig"),
        );
        reviews(it, &format!("{path}.admissionReviewVersions"), webhook);
        let effects = at(webhook, "/sideEffects");
        if effects.is_null() {
            let why = "must specify one of None, NoneOnDryRun";
            it.required(format!("{path}.sideEffects"), why);
        }
        for (field, supported) in [
            ("sideEffects", &["None", "NoneOnDryRun"]),
            ("failurePolicy", &["Fail", "Ignore"]),
            ("matchPolicy", &["Equivalent", "Exact"]),
            ("reinvocationPolicy", &["IfNeeded", "Never"]),
        ] {
            let value = webhook.get(field).unwrap_or(&Value::Null);
            it.one_of(format!("{path}.{field}"), value, supported);
        }
        let seconds = at(webhook, "/timeoutSeconds");
        if seconds.as_i64().is_some_and(|it| !(1..=30).contains(&it)) {
            let why = "the timeout value must be between 1 and 30 seconds";
            it.invalid(format!("{path}.timeoutSeconds"), seconds, why);
        }
        for field in ["namespaceSelector", "objectSelector"] {
            let selector = webhook.get(field).unwrap_or(&Value::Null);
            it.selector(&format!("{path}.{field}"), selector);
        }
        for (number, of_webhook) in list(webhook, "/rules").iter().enumerate() {
            rule(it, &format!("{path}.rules[{number}]"), of_webhook);
        }
    }
}

fn client(it: &mut Causes, path: &str, config: &Value) {
    let (service, url) = (at(config, "/service"), at(config, "/url"));
    if url.is_string() == service.is_object() {
        it.required(path, "exactly one of url or service is required");
    } else if service.is_object() {
        // The server reports each at the other.
        for (field, reported) in [("name", "namespace"), ("namespace", "name")] {
            if text(service, &format!("/{field}")).is_empty() {
                it.required(format!("{path}.service.{reported}"), "");
            }
        }
        it.port(format!("{path}.service.port"), at(service, "/port"));
    } else {
        for (part, why) in webhook::url(text(config, "/url")) {
            it.invalid(format!("{path}.url"), json!(part), why);
        }
    }
}

fn reviews(it: &mut Causes, path: &str, webhook: &Value) {
    let versions = strings(webhook, "/admissionReviewVersions");
    if versions.is_empty() {
        it.required(path, "must specify one of v1, v1beta1");
        return;
    }
    let mut seen = BTreeSet::new();
    for (index, version) in versions.iter().enumerate() {
        let path = format!("{path}[{index}]");
        if !seen.insert(version) {
            it.invalid(&path, json!(version), "duplicate version");
            continue;
        }
        for why in names::dns_1035_label(version) {
            it.invalid(&path, json!(version), why);
        }
    }
    if !versions.iter().any(|it| REVIEWS.contains(&it.as_str())) {
        let why = "must include at least one of v1, v1beta1";
        it.invalid(path, json!(versions), why);
    }
}

/// Validates a rule of a webhook or a policy.
pub(super) fn rule(it: &mut Causes, path: &str, rule: &Value) {
    for (field, shown) in [
        ("operations", "operations"),
        ("apiGroups", "API groups"),
        ("apiVersions", "API versions"),
        ("resources", ""),
    ] {
        let values = strings(rule, &format!("/{field}"));
        let path = format!("{path}.{field}");
        if values.is_empty() {
            it.required(&path, "");
        }
        let has_all = values.iter().any(|it| it == "*");
        if values.len() > 1 && has_all && !shown.is_empty() {
            let why = format!("if '*' is present, must not specify other {shown}");
            it.invalid(&path, json!(values), why);
        }
        for (index, value) in values.iter().enumerate() {
            let path = format!("{path}[{index}]");
            match field {
                "operations" => it.one_of(path, &json!(value), OPERATIONS),
                "apiVersions" | "resources" if value.is_empty() => it.required(path, ""),
                _ => {}
            }
        }
        let is_plain = |it: &String| !it.is_empty() && !it.contains('/') && it != "*";
        if field == "resources" && has_all && values.iter().any(is_plain) {
            let why = "if '*' is present, must not specify other resources without subresources";
            it.invalid(&path, json!(values), why);
        }
    }
    it.one_of(format!("{path}.scope"), at(rule, "/scope"), SCOPES);
}
