//! The rules for the conversion between the versions of a definition.

use kube_codegen_formats::{names, webhook};
use serde_json::{Value, json};

use super::{Node, Path, Rule, Violations, child, entry, text, texts};

const STRATEGIES: &[&str] = &["None", "Webhook"];
/// The versions of a review that the server can send.
const REVIEWS: &[&str] = &["v1", "v1beta1"];
const PORTS: std::ops::RangeInclusive<i64> = 1..=65535;

pub(super) fn check(conversion: &Node, at: &Path<'_>, found: &mut Violations) {
    let strategy = text(conversion, "strategy").unwrap_or_default();
    let webhook = child(conversion, "webhook");
    // The server has both parts of the webhook where they were in v1beta1.
    let webhook_at = at.child_as("webhook", "");
    let client_at = webhook_at.child_as("clientConfig", "webhookClientConfig");
    let reviews_at = webhook_at.child("conversionReviewVersions");
    let part = |name: &str| webhook.and_then(|it| entry(it, name));
    if strategy.is_empty() {
        found.missing(&at.child("strategy"), "");
    }
    match strategy {
        "" | "None" => {
            let why = "should not be set when strategy is not set to Webhook";
            let reviews = part("conversionReviewVersions").and_then(Value::as_array);
            let is_set = [
                (&client_at, part("clientConfig").is_some()),
                (&reviews_at, reviews.is_some_and(|it| !it.is_empty())),
            ];
            for (said_at, _) in is_set.iter().filter(|(_, is_set)| *is_set) {
                found
                    .whole(Rule::UnusedWebhook, &webhook_at)
                    .forbidden(said_at, why);
            }
        }
        "Webhook" => {
            if let Some(client) = part("clientConfig") {
                if let Some(client) = client.as_object() {
                    self::client(client, &client_at, found);
                }
            } else {
                let why = "required when strategy is set to Webhook";
                let violation = found.whole(Rule::NoWebhook, &client_at);
                violation.required(&client_at, why);
            }
            let none = Node::new();
            reviews(webhook.unwrap_or(&none), &reviews_at, found);
        }
        _ => {
            let at = at.child("strategy");
            found
                .whole(Rule::Strategy, &at)
                .unsupported(&at, strategy, STRATEGIES);
        }
    }
}

fn client(client: &Node, at: &Path<'_>, found: &mut Violations) {
    let (url, service) = (text(client, "url"), child(client, "service"));
    match (url, service) {
        (Some(url), None) => {
            let at = at.child("url");
            for (part, why) in webhook::url(url) {
                found.reject(Rule::WebhookUrl, &at, part.as_str(), &why);
            }
        }
        (None, Some(service)) => self::service(service, &at.child("service"), found),
        _ => {
            let why = "exactly one of url or service is required";
            found.whole(Rule::WebhookTarget, at).required(at, why);
        }
    }
}

fn service(service: &Node, at: &Path<'_>, found: &mut Violations) {
    // The server reports each at the other.
    for (field, said) in [("name", "namespace"), ("namespace", "name")] {
        if text(service, field).unwrap_or_default().is_empty() {
            let violation = found.whole(Rule::WebhookService, &at.child(field));
            violation.required(&at.child(said), "");
        }
    }
    let port = entry(service, "port").and_then(Value::as_i64);
    if let Some(port) = port.filter(|port| !PORTS.contains(port)) {
        let why = "port is not valid: must be between 1 and 65535, inclusive";
        found.reject(Rule::WebhookPort, &at.child("port"), port, why);
    }
    let (at, path) = (at.child("path"), text(service, "path").unwrap_or_default());
    for why in webhook::path(path) {
        found.reject(Rule::WebhookPath, &at, path, &why);
    }
}

fn reviews(webhook: &Node, at: &Path<'_>, found: &mut Violations) {
    let versions: Vec<&str> = texts(webhook, "conversionReviewVersions").collect();
    if versions.is_empty() {
        found.whole(Rule::NoReviews, at).required(at, "");
        return;
    }
    for (index, version) in versions.iter().enumerate() {
        let item = at.index(index);
        if versions[..index].contains(version) {
            found.reject(Rule::ReviewTwice, &item, *version, "duplicate version");
            continue;
        }
        for why in names::dns_1035_label(version) {
            found.reject(Rule::ReviewName, &item, *version, &why);
        }
    }
    if !versions.iter().any(|version| REVIEWS.contains(version)) {
        let why = format!("must include at least one of {}", REVIEWS.join(", "));
        found.reject(Rule::UnknownReviews, at, json!(versions), &why);
    }
}
