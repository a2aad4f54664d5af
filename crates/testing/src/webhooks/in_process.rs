//! Webhooks of the same process: functions that answer reviews.

use std::{collections::BTreeMap, error::Error, fmt, sync::Arc};

use k8s_openapi::{
    api::admissionregistration::v1::{
        MutatingWebhookConfiguration, RuleWithOperations, ValidatingWebhookConfiguration,
        WebhookClientConfig,
    },
    apimachinery::pkg::apis::meta::v1::LabelSelector,
};
use kube::core::{Selector, SelectorExt as _};
use serde::Deserialize;
use serde_json::{Value, json};

use super::chain;
use crate::values::object::{self, at};

/// Answers a review that was sent to a path.
pub(crate) type Respond =
    dyn Fn(&str, Value) -> Result<Value, Box<dyn Error + Send + Sync>> + Send + Sync;

/// The webhooks of a server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Webhooks {
    /// In the order of their calls.
    admission: Vec<Arc<Webhook>>,
    /// By the names of the definitions.
    conversion: BTreeMap<String, Converter>,
}

/// Converts the objects of a definition.
#[derive(Clone)]
struct Converter {
    path: String,
    respond: Arc<Respond>,
}

/// What a webhook of admission is asked about.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) operation: &'a str,
    pub(crate) group: &'a str,
    pub(crate) version: &'a str,
    pub(crate) plural: &'a str,
    pub(crate) subresource: &'a str,
    pub(crate) object: &'a Value,
}

/// A webhook of admission.
pub(crate) struct Webhook {
    pub(crate) name: String,
    path: String,
    mutating: bool,
    rules: Vec<RuleWithOperations>,
    object_selector: LabelSelector,
    pub(crate) ignores_failures: bool,
    pub(crate) conditions: Value,
    respond: Arc<Respond>,
}

impl Webhook {
    /// Returns the answer to a review, or why the webhook failed.
    pub(crate) fn ask(&self, review: Value) -> Result<Value, String> {
        let answer = (self.respond)(&self.path, review);
        answer.map_err(|error| chain(&*error))
    }

    fn applies(&self, mutating: bool, subject: &Subject<'_>) -> bool {
        self.mutating == mutating && self.rules.iter().any(|rule| applies(rule, subject))
    }

    fn selects(&self, labels: &BTreeMap<String, String>) -> bool {
        Selector::try_from(self.object_selector.clone()).is_ok_and(|it| it.matches(labels))
    }
}

impl Webhooks {
    /// Adds the webhooks of a configuration, or the conversion webhook of a definition.
    pub(crate) fn add(
        &mut self,
        configuration: &Value,
        respond: Arc<Respond>,
    ) -> Result<(), serde_json::Error> {
        if configuration["kind"] == "CustomResourceDefinition" {
            let client = at(configuration, "/spec/conversion/webhook/clientConfig");
            let client = Option::<WebhookClientConfig>::deserialize(client)?;
            let path = path(client.unwrap_or_default());
            let name = object::name(configuration).to_owned();
            self.conversion.insert(name, Converter { path, respond });
            return Ok(());
        }
        // Both kinds of webhooks have the same fields, but for the reinvocation policy.
        macro_rules! webhooks {
            ($configuration:ty, $mutating:literal) => {
                for it in <$configuration>::deserialize(configuration)?
                    .webhooks
                    .unwrap_or_default()
                {
                    self.admission.push(Arc::new(Webhook {
                        name: it.name,
                        path: path(it.client_config),
                        mutating: $mutating,
                        rules: it.rules.unwrap_or_default(),
                        object_selector: it.object_selector.unwrap_or_default(),
                        ignores_failures: it.failure_policy.as_deref() == Some("Ignore"),
                        conditions: json!(it.match_conditions),
                        respond: Arc::clone(&respond),
                    }));
                }
            };
        }
        if configuration["kind"] == "MutatingWebhookConfiguration" {
            webhooks!(MutatingWebhookConfiguration, true);
        } else {
            webhooks!(ValidatingWebhookConfiguration, false);
        }
        Ok(())
    }

    /// Returns the function that converts the objects of a definition, if there is one.
    pub(crate) fn conversion(
        &self,
        definition: &str,
    ) -> Option<impl Fn(Value) -> Result<Value, String>> {
        let converter = self.conversion.get(definition)?;
        Some(|review| {
            let answer = (converter.respond)(&converter.path, review);
            answer.map_err(|error| chain(&*error))
        })
    }

    /// Returns the webhooks of admission that are asked about something.
    pub(crate) fn matching(&self, mutating: bool, subject: &Subject<'_>) -> Vec<&Webhook> {
        if self.admission.is_empty() {
            return Vec::new();
        }
        let labels = at(subject.object, "/metadata/labels");
        let labels = BTreeMap::deserialize(labels).unwrap_or_default();
        let webhooks = self.admission.iter().map(|webhook| &**webhook);
        webhooks
            .filter(|webhook| webhook.applies(mutating, subject) && webhook.selects(&labels))
            .collect()
    }
}

/// Returns the path of a service or URL.
fn path(client: WebhookClientConfig) -> String {
    let url = client.url.and_then(|url| url.parse::<http::Uri>().ok());
    let of_url = url.map(|url| url.path().to_owned());
    let of_service = || client.service?.path;
    of_url.or_else(of_service).unwrap_or_else(|| "/".to_owned())
}

fn applies(rule: &RuleWithOperations, subject: &Subject<'_>) -> bool {
    let resource = match subject.subresource {
        "" => subject.plural.to_owned(),
        part => format!("{}/{part}", subject.plural),
    };
    let has = |list: &Option<Vec<String>>, value: &str| {
        list.iter().flatten().any(|it| it == "*" || it == value)
    };
    has(&rule.operations, subject.operation)
        && has(&rule.api_groups, subject.group)
        && has(&rule.api_versions, subject.version)
        && (has(&rule.resources, &resource)
            || rule.resources.iter().flatten().any(|it| it == "*/*"))
}

impl fmt::Debug for Converter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Converter")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook")
            .field("name", &self.name)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}
