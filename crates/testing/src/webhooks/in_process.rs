//! Admission webhooks, called in process while an object is written.

use std::{collections::BTreeMap, fmt, sync::Arc};

use k8s_openapi::{
    ByteString,
    api::admissionregistration::v1::{
        MatchCondition, MutatingWebhookConfiguration, RuleWithOperations,
        ValidatingWebhookConfiguration, WebhookClientConfig,
    },
    apimachinery::pkg::apis::meta::v1::LabelSelector,
};
use kube::core::response::Status;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ApiServer,
    handlers::patch,
    kinds::kind::Kind,
    request::{Request, Verb, present},
    server::shared::lock,
    storage::store::Store,
    values::{
        object::{self, at},
        status::{Answer, error, forbidden},
    },
    webhooks::condition,
};

/// Answers a review that was sent to a path.
type Respond = dyn Fn(&str, Value) -> Result<Value, String> + Send + Sync;

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

struct Webhook {
    name: String,
    path: String,
    mutating: bool,
    rules: Vec<RuleWithOperations>,
    object_selector: LabelSelector,
    ignores_failures: bool,
    conditions: Value,
    respond: Arc<Respond>,
}

impl ApiServer {
    /// Calls the webhooks of a `MutatingWebhookConfiguration` or a `ValidatingWebhookConfiguration` while objects are written, or the
    /// conversion webhook of a `CustomResourceDefinition` while its objects are read or written in another version than the stored
    /// one. `respond` gets the path of a webhook and an `AdmissionReview` or a `ConversionReview`, and returns the review with its
    /// response, or why the webhook failed.
    ///
    /// `Webhooks::in_process` of the runtime is such a function:
    ///
    /// ```ignore
    /// let configurations = webhooks.configurations(&ClientConfig::url("https://localhost"));
    /// server.call_webhooks(&json!(configurations.mutating), webhooks.in_process())?;
    /// server.call_webhooks(&json!(configurations.validating), webhooks.in_process())?;
    /// server.call_webhooks(&json!(crd), webhooks.in_process())?;
    /// ```
    ///
    /// Rules, object selectors, match conditions and failure policies apply. Namespace selectors and reinvocation do not, and an
    /// object is not converted to the version of a rule.
    ///
    /// # Errors
    /// If the object is none of them.
    pub fn call_webhooks(
        &self,
        configuration: &Value,
        respond: impl Fn(&str, Value) -> Result<Value, String> + Send + Sync + 'static,
    ) -> Result<(), serde_json::Error> {
        let respond: Arc<Respond> = Arc::new(respond);
        if configuration["kind"] == "CustomResourceDefinition" {
            let client = at(configuration, "/spec/conversion/webhook/clientConfig");
            let client = Option::<WebhookClientConfig>::deserialize(client)?;
            let path = path(client.unwrap_or_default());
            let name = object::name(configuration).to_owned();
            let converters = &mut lock(&self.0.store).webhooks.conversion;
            converters.insert(name, Converter { path, respond });
            return Ok(());
        }
        let webhook = |mutating: bool,
                       name: String,
                       client: WebhookClientConfig,
                       rules: Option<Vec<RuleWithOperations>>,
                       object_selector: Option<LabelSelector>,
                       conditions: Option<Vec<MatchCondition>>,
                       policy: Option<String>| {
            Arc::new(Webhook {
                name,
                path: path(client),
                mutating,
                rules: rules.unwrap_or_default(),
                object_selector: object_selector.unwrap_or_default(),
                ignores_failures: policy.as_deref() == Some("Ignore"),
                conditions: json!(conditions),
                respond: Arc::clone(&respond),
            })
        };
        let webhooks: Vec<_> = if configuration["kind"] == "MutatingWebhookConfiguration" {
            let all = MutatingWebhookConfiguration::deserialize(configuration)?.webhooks;
            let all = all.into_iter().flatten().map(|it| {
                let (client, rules) = (it.client_config, it.rules);
                webhook(
                    true,
                    it.name,
                    client,
                    rules,
                    it.object_selector,
                    it.match_conditions,
                    it.failure_policy,
                )
            });
            all.collect()
        } else {
            let all = ValidatingWebhookConfiguration::deserialize(configuration)?.webhooks;
            let all = all.into_iter().flatten().map(|it| {
                let (client, rules) = (it.client_config, it.rules);
                webhook(
                    false,
                    it.name,
                    client,
                    rules,
                    it.object_selector,
                    it.match_conditions,
                    it.failure_policy,
                )
            });
            all.collect()
        };
        lock(&self.0.store).webhooks.admission.extend(webhooks);
        Ok(())
    }
}

/// Returns the path of a service or URL.
fn path(client: WebhookClientConfig) -> String {
    let url = client.url.and_then(|url| url.parse::<http::Uri>().ok());
    let of_url = url.map(|url| url.path().to_owned());
    let of_service = || client.service?.path;
    of_url.or_else(of_service).unwrap_or_else(|| "/".to_owned())
}

/// Lets the mutating webhooks change an object, and returns whether one did.
pub(crate) fn mutate(
    store: &Store,
    request: &Request,
    old: Option<&Value>,
    object: &mut Value,
) -> Answer<bool> {
    let operation = operation(old);
    let mut changed = false;
    for webhook in store.webhooks.matching(true, request, operation, object) {
        let response = webhook.call(request, operation, old, Some(object))?;
        let Some(encoded) = response.as_ref().and_then(|it| it["patch"].as_str()) else {
            continue;
        };
        let bytes = ByteString::deserialize(json!(encoded)).map_err(|it| it.to_string());
        let operations = bytes
            .and_then(|bytes| serde_json::from_slice(&bytes.0).map_err(|it| it.to_string()))
            .map_err(|why| webhook.failed(&why))?;
        patch::json(object, &operations)?;
        changed = true;
    }
    Ok(changed)
}

/// Asks the validating webhooks.
pub(crate) fn validate(
    store: &Store,
    request: &Request,
    old: Option<&Value>,
    object: Option<&Value>,
) -> Answer<()> {
    let operation = match object {
        Some(_) => operation(old),
        None => "DELETE",
    };
    let Some(subject) = object.or(old) else {
        return Ok(());
    };
    for webhook in store.webhooks.matching(false, request, operation, subject) {
        webhook.call(request, operation, old, object)?;
    }
    Ok(())
}

fn operation(old: Option<&Value>) -> &'static str {
    if old.is_some() { "UPDATE" } else { "CREATE" }
}

impl Webhooks {
    /// Returns the function that converts the objects of a kind in process, if there is one.
    pub(crate) fn conversion(
        &self,
        kind: &Kind,
    ) -> Option<impl Fn(Value) -> Result<Value, String>> {
        let converter = self.conversion.get(&kind.qualified())?;
        Some(|review| (converter.respond)(&converter.path, review))
    }

    fn matching<'a>(
        &'a self,
        mutating: bool,
        request: &'a Request,
        operation: &'a str,
        object: &Value,
    ) -> Vec<&'a Webhook> {
        if self.admission.is_empty() {
            return Vec::new();
        }
        let labels = BTreeMap::deserialize(at(object, "/metadata/labels")).unwrap_or_default();
        let webhooks = self.admission.iter().map(|webhook| &**webhook);
        webhooks
            .filter(|webhook| webhook.mutating == mutating)
            .filter(|webhook| {
                webhook
                    .rules
                    .iter()
                    .any(|rule| applies(rule, request, operation))
            })
            .filter(|webhook| {
                let selector = webhook.object_selector.clone();
                kube::core::Selector::try_from(selector).is_ok_and(|it| {
                    use kube::core::SelectorExt as _;
                    it.matches(&labels)
                })
            })
            .collect()
    }
}

fn applies(rule: &RuleWithOperations, request: &Request, operation: &str) -> bool {
    let target = &request.target;
    let resource = match &*target.subresource {
        "" => target.kind.plural.clone(),
        part => format!("{}/{part}", target.kind.plural),
    };
    let has = |list: &Option<Vec<String>>, value: &str| {
        list.iter().flatten().any(|it| it == "*" || it == value)
    };
    has(&rule.operations, operation)
        && has(&rule.api_groups, &target.kind.group)
        && has(&rule.api_versions, &target.version)
        && (has(&rule.resources, &resource)
            || rule.resources.iter().flatten().any(|it| it == "*/*"))
}

impl Webhook {
    /// Returns the response that admits the object; `None` if the webhook is not called, or failed and failures are ignored.
    fn call(
        &self,
        request: &Request,
        operation: &str,
        old: Option<&Value>,
        object: Option<&Value>,
    ) -> Answer<Option<Value>> {
        let target = &request.target;
        let (group, version) = (&target.kind.group, &target.version);
        let kind = json!({"group": group, "version": version, "kind": target.kind.kind});
        let resource = json!({"group": group, "version": version, "resource": target.kind.plural});
        let shown = |object: &Value| present(object, target, false);
        let subject = object.or(old).unwrap_or(&Value::Null);
        let review = json!({
            "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "request": {
                "uid": "00000000-0000-4000-8000-000000000000",
                "kind": kind, "requestKind": kind, "resource": resource, "requestResource": resource,
                "subResource": target.subresource,
                "name": object::name(subject), "namespace": object::namespace(subject),
                "operation": operation, "dryRun": request.verb != Verb::Delete && request.dry_run(),
                "userInfo": {"username": "system:admin", "groups": ["system:masters"]},
                "object": object.map(shown), "oldObject": old.map(shown),
            },
        });
        match condition::holds(&self.conditions, &review["request"]) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(_) if self.ignores_failures => return Ok(None),
            Err(why) => return Err(forbidden(&target.kind, &target.name, &why)),
        }
        let response = match (self.respond)(&self.path, review) {
            Ok(review) => review["response"].clone(),
            Err(_) if self.ignores_failures => return Ok(None),
            Err(why) => return Err(self.failed(&why)),
        };
        let warnings = response["warnings"].as_array().into_iter().flatten();
        let warnings = warnings.filter_map(|it| it.as_str().map(str::to_owned));
        request.warnings.borrow_mut().extend(warnings);
        if response["allowed"] == true {
            return Ok(Some(response));
        }
        // As kube-apiserver: the status of the webhook, with its own introduction.
        let mut status = Status::deserialize(&response["status"]).unwrap_or_default();
        let why = match &*status.message {
            "" => "without explanation",
            message => message,
        };
        status.message = format!(
            "admission webhook {:?} denied the request: {why}",
            self.name
        );
        if status.code == 0 {
            status.code = 403;
        }
        if status.reason.is_empty() {
            "Forbidden".clone_into(&mut status.reason);
        }
        Err(status.boxed())
    }

    fn failed(&self, why: &str) -> Box<Status> {
        let message = format!(
            "Internal error occurred: failed calling webhook {:?}: failed to call webhook: {why}",
            self.name
        );
        error(500, "InternalError", &message)
    }
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
