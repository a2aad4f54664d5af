//! Lists the webhooks of the project: those of the manifests that controller-gen wrote, or else those of the markers.
use serde_json::Value;

use super::{facts::GoFile, manifests::Manifests};

/// A webhook for some resources.
#[derive(Debug)]
pub(super) struct Webhook {
    pub(super) name: String,
    /// Where it is registered.
    pub(super) place: String,
    pub(super) groups: Vec<String>,
    pub(super) resources: Vec<String>,
    /// What differs from a webhook without settings.
    pub(super) settings: Vec<String>,
}

/// Returns the webhooks, and whether each of them changes objects.
pub(super) fn all(manifests: &Manifests, files: &[GoFile]) -> Vec<(bool, Webhook)> {
    let configurations = manifests.webhooks.iter();
    let registered = configurations.flat_map(|configuration| {
        let is_mutating = configuration["kind"] == "MutatingWebhookConfiguration";
        let webhooks = configuration["webhooks"].as_array();
        let webhooks = webhooks.into_iter().flatten();
        webhooks.map(move |webhook| (is_mutating, of_manifest(webhook)))
    });
    let mut all: Vec<_> = registered.collect();
    if all.is_empty() {
        for file in files {
            let markers = file.markers.iter().filter(|marker| marker.is_webhook);
            all.extend(markers.map(|marker| {
                let ignores = marker.text("failurePolicy").eq_ignore_ascii_case("ignore");
                let settings = ignores.then(|| "`failurePolicy: Ignore`".to_owned());
                let webhook = Webhook {
                    name: marker.text("name").to_owned(),
                    place: format!("{}:{}", file.path, marker.at.line),
                    groups: marker.list("groups").to_vec(),
                    resources: marker.list("resources").to_vec(),
                    settings: settings.into_iter().collect(),
                };
                (marker.text("mutating") == "true", webhook)
            }));
        }
    }
    all
}

fn of_manifest(webhook: &Value) -> Webhook {
    let rules = webhook["rules"].as_array();
    let rules: Vec<&Value> = rules.into_iter().flatten().collect();
    let strings = |key: &str| -> Vec<String> {
        let lists = rules.iter().filter_map(|rule| rule[key].as_array());
        let all = lists.flatten().filter_map(Value::as_str);
        all.map(str::to_owned).collect()
    };
    let mut settings = Vec::new();
    if webhook["failurePolicy"] == "Ignore" {
        settings.push("`failurePolicy: Ignore`".to_owned());
    }
    for key in [
        "matchConditions",
        "namespaceSelector",
        "objectSelector",
        "reinvocationPolicy",
        "timeoutSeconds",
    ] {
        if !webhook[key].is_null() {
            settings.push(format!("`{key}`"));
        }
    }
    if strings("operations").iter().any(|it| it == "DELETE") {
        settings.push("the operation DELETE".to_owned());
    }
    Webhook {
        name: webhook["name"].as_str().unwrap_or_default().to_owned(),
        place: "config/webhook/manifests.yaml".to_owned(),
        groups: strings("apiGroups"),
        resources: strings("resources"),
        settings,
    }
}
