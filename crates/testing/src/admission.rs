//! Calls the admission webhooks of the stored configurations
//! (<https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/>).
//!
//! Not evaluated: `matchConditions`, `matchPolicy` and `reinvocationPolicy`; a deletion of a collection calls no webhook.

use std::{sync::Arc, time::Duration};

use http::Request as HttpRequest;
use k8s_openapi::ByteString;
use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
    core::response::{Status, StatusDetails},
};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    admit,
    auth::User,
    object::{self, at, list, strings, text},
    read,
    request::{Probe, Request, Verb, present},
    shared::{Shared, lock},
    status::{Answer, internal},
    store::Store,
    write,
};

const GROUP: &str = "admissionregistration.k8s.io/v1";

/// Sends a write through the matching webhooks. Their changes are kept in the request; an error is a refusal.
pub(crate) async fn admit(shared: &Arc<Shared>, request: &mut Request, user: &User) -> Answer<()> {
    let is_object = matches!(request.target.subresource.as_str(), "" | "status");
    let is_write = matches!(
        request.verb,
        Verb::Create | Verb::Update | Verb::Patch | Verb::Delete
    );
    if !is_object || !is_write || request.target.kind.group == "admissionregistration.k8s.io" {
        return Ok(());
    }
    let (mutating, validating) = {
        let store = lock(&shared.store);
        (
            hooks(&store, "MutatingWebhookConfiguration"),
            hooks(&store, "ValidatingWebhookConfiguration"),
        )
    };
    if mutating.is_empty() && validating.is_empty() {
        return Ok(());
    }
    let mut warnings = Vec::new();
    for hook in mutating {
        let Ok(change) = Change::probe(shared, request, Probe::Unvalidated) else {
            return Ok(()); // The request itself fails, and says why.
        };
        if !change.matches(shared, request, &hook) {
            continue;
        }
        let response = call(shared, &hook, &change.review(request, user)).await?;
        warnings.extend(strings(&response, "/warnings"));
        if let Some(patch) = patch(&response) {
            request.patches.push(patch);
        }
    }
    for hook in validating {
        let change = Change::probe(shared, request, Probe::Validated)?;
        if change.matches(shared, request, &hook) {
            let response = call(shared, &hook, &change.review(request, user)).await?;
            warnings.extend(strings(&response, "/warnings"));
        }
    }
    request.warnings.borrow_mut().extend(warnings);
    Ok(())
}

/// Returns the webhooks of all configurations of a kind, in the order in which they are called.
fn hooks(store: &Store, kind: &str) -> Vec<Value> {
    let Some(kind) = store.kinds.named(GROUP, kind) else {
        return Vec::new();
    };
    let configurations = store.list(kind, "");
    let hooks = configurations.iter().flat_map(|it| list(it, "/webhooks"));
    hooks.cloned().collect()
}

/// What a request would change.
struct Change {
    operation: &'static str,
    old: Value,
    new: Value,
}

impl Change {
    /// Executes a request without storing anything.
    fn probe(shared: &Shared, request: &mut Request, probe: Probe) -> Answer<Self> {
        let mut guard = lock(&shared.store);
        let store = &mut *guard;
        let target = request.target.clone();
        let old = read::found(store, &target)
            .map_or(Value::Null, |found| present(&found, &target, false));
        if request.verb == Verb::Delete {
            read::current(store, &target)?;
            return Ok(Self {
                operation: "DELETE",
                old,
                new: Value::Null,
            });
        }
        request.probe = Some(probe);
        let result = match request.verb {
            Verb::Create => write::create(store, request),
            Verb::Update => write::update(store, request).map(|(object, _)| object),
            _ => write::patch(store, request).map(|(object, _)| object),
        };
        request.probe = None;
        request.warnings.borrow_mut().clear();
        Ok(Self {
            operation: if old.is_null() { "CREATE" } else { "UPDATE" },
            old,
            new: result?,
        })
    }

    fn object(&self) -> &Value {
        if self.new.is_null() {
            &self.old
        } else {
            &self.new
        }
    }

    fn matches(&self, shared: &Shared, request: &Request, hook: &Value) -> bool {
        let target = &request.target;
        let any = |rule: &Value, field: &str, wanted: &str| {
            strings(rule, field)
                .iter()
                .any(|found| found == "*" || found == wanted)
        };
        let scope = if target.kind.namespaced {
            "Namespaced"
        } else {
            "Cluster"
        };
        let resource = |rule: &Value| {
            strings(rule, "/resources").iter().any(|found| {
                let (name, sub) = found.split_once('/').unwrap_or((found, ""));
                (name == "*" || name == target.kind.plural)
                    && (sub == target.subresource || sub == "*")
            })
        };
        let covered = list(hook, "/rules").iter().any(|rule| {
            any(rule, "/operations", self.operation)
                && any(rule, "/apiGroups", &target.kind.group)
                && any(rule, "/apiVersions", &target.version)
                && resource(rule)
                && (matches!(text(rule, "/scope"), "" | "*") || text(rule, "/scope") == scope)
        });
        if !covered {
            return false;
        }
        let namespace = if target.kind.kind == "Namespace" {
            Some(at(self.object(), "/metadata/labels").clone())
        } else if target.namespace.is_empty() {
            None
        } else {
            let store = lock(&shared.store);
            let kind = store.kinds.named("v1", "Namespace");
            let found = kind.and_then(|kind| store.get(kind, "", &target.namespace));
            let labels = found.map(|found| at(&found, "/metadata/labels").clone());
            // Without the life cycle of namespaces, they need not exist.
            Some(labels.unwrap_or_else(|| json!({"kubernetes.io/metadata.name": target.namespace})))
        };
        namespace.is_none_or(|labels| selects(at(hook, "/namespaceSelector"), &labels))
            && [&self.new, &self.old].into_iter().any(|object| {
                !object.is_null()
                    && selects(at(hook, "/objectSelector"), at(object, "/metadata/labels"))
            })
    }

    fn review(&self, request: &Request, user: &User) -> Value {
        let target = &request.target;
        let kind = json!({"group": target.kind.group, "version": target.version, "kind": target.kind.kind});
        let resource = json!({"group": target.kind.group, "version": target.version, "resource": target.kind.plural});
        let options = match self.operation {
            "CREATE" => "CreateOptions",
            "DELETE" => "DeleteOptions",
            _ => "UpdateOptions",
        };
        let mut asked = json!({
            "uid": admit::uid(request.body.len() as u64),
            "kind": kind,
            "resource": resource,
            "requestKind": kind,
            "requestResource": resource,
            "name": object::name(self.object()),
            "operation": self.operation,
            "userInfo": user.info(),
            "object": self.new,
            "oldObject": self.old,
            "dryRun": request.dry_run(),
            "options": {"apiVersion": "meta.k8s.io/v1", "kind": options},
        });
        if !target.namespace.is_empty() {
            asked["namespace"] = target.namespace.clone().into();
        }
        if !target.subresource.is_empty() {
            asked["subResource"] = target.subresource.clone().into();
            asked["requestSubResource"] = target.subresource.clone().into();
        }
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": asked})
    }
}

/// Returns whether a label selector matches.
fn selects(selector: &Value, labels: &Value) -> bool {
    let equal = at(selector, "/matchLabels")
        .as_object()
        .into_iter()
        .flatten()
        .all(|(key, value)| labels.get(key) == Some(value));
    equal
        && list(selector, "/matchExpressions").iter().all(|rule| {
            let found = labels.get(text(rule, "/key")).and_then(Value::as_str);
            let listed =
                found.is_some_and(|found| strings(rule, "/values").iter().any(|it| it == found));
            match text(rule, "/operator") {
                "In" => listed,
                "NotIn" => !listed,
                "Exists" => found.is_some(),
                _ => found.is_none(),
            }
        })
}

/// Returns the JSON patch of a response.
fn patch(response: &Value) -> Option<Value> {
    let encoded = response.get("patch").filter(|it| it.is_string())?;
    let ByteString(bytes) = serde_json::from_value(encoded.clone()).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Calls a webhook and returns its response, if it allows the request or its failure is ignored.
async fn call(shared: &Shared, hook: &Value, review: &Value) -> Answer<Value> {
    let name = text(hook, "/name");
    let seconds = at(hook, "/timeoutSeconds").as_u64().unwrap_or(10);
    let limit = Duration::from_secs(seconds);
    let answer = match timeout(limit, send(shared, hook, review, seconds)).await {
        Ok(Ok(answer)) => answer,
        failed => {
            if text(hook, "/failurePolicy") == "Ignore" {
                return Ok(Value::Null);
            }
            let why = failed.map_or_else(
                |_| "context deadline exceeded".to_owned(),
                |it| it.err().unwrap_or_default(),
            );
            return Err(internal(&format!(
                "Internal error occurred: failed calling webhook {name:?}: failed to call webhook: {why}"
            )));
        }
    };
    let response = at(&answer, "/response").clone();
    if response["allowed"] == true {
        return Ok(response);
    }
    let why = [
        text(&response, "/status/message"),
        text(&response, "/status/reason"),
    ]
    .into_iter()
    .find(|text| !text.is_empty())
    .map_or_else(
        || " without explanation".to_owned(),
        |text| format!(": {text}"),
    );
    let code = at(&response, "/status/code").as_u64().unwrap_or(403);
    let reason = match text(&response, "/status/reason") {
        "" => "Forbidden",
        reason => reason,
    };
    let message = format!("admission webhook {name:?} denied the request{why}");
    let mut status =
        Status::failure(&message, reason).with_code(u16::try_from(code).unwrap_or(403));
    let details = response.pointer("/status/details").cloned();
    status.details =
        details.and_then(|details| serde_json::from_value::<StatusDetails>(details).ok());
    Err(status.boxed())
}

async fn send(
    shared: &Shared,
    hook: &Value,
    review: &Value,
    seconds: u64,
) -> Result<Value, String> {
    let config = at(hook, "/clientConfig");
    let url = text(config, "/url");
    let (base, path, server_name) = if url.is_empty() {
        let service = at(config, "/service");
        let server_name = format!(
            "{}.{}.svc",
            text(service, "/name"),
            text(service, "/namespace")
        );
        let address = lock(&shared.settings).webhooks;
        (
            format!("https://{address}"),
            text(service, "/path").to_owned(),
            Some(server_name),
        )
    } else {
        let uri: http::Uri = url.parse().map_err(|error| format!("{url}: {error}"))?;
        let authority = uri.authority().map(ToString::to_string).unwrap_or_default();
        (
            format!("{}://{authority}", uri.scheme_str().unwrap_or("https")),
            uri.path().to_owned(),
            None,
        )
    };
    let mut cluster = json!({"server": base});
    if !text(config, "/caBundle").is_empty() {
        cluster["certificate-authority-data"] = at(config, "/caBundle").clone();
    }
    if let Some(name) = server_name {
        cluster["tls-server-name"] = name.into();
    }
    let kubeconfig = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "webhook", "cluster": cluster}],
        "users": [{"name": "webhook", "user": {}}],
        "contexts": [{"name": "webhook", "context": {"cluster": "webhook", "user": "webhook"}}],
        "current-context": "webhook",
    });
    let failed = |error: &dyn std::fmt::Display| {
        format!("Post \"{base}{path}?timeout={seconds}s\": {error}")
    };
    let kubeconfig: Kubeconfig =
        serde_json::from_value(kubeconfig).map_err(|error| failed(&error))?;
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .map_err(|error| failed(&error))?;
    config.default_retry = false;
    let client = Client::try_from(config).map_err(|error| failed(&error))?;
    let request = HttpRequest::post(format!("{path}?timeout={seconds}s"))
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(review.to_string().into_bytes())
        .map_err(|error| failed(&error))?;
    client
        .request(request)
        .await
        .map_err(|error| failed(&error))
}
