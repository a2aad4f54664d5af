//! Calls the admission webhooks of the stored configurations
//! (<https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/>).
//!
//! A webhook may get another version than that of the request (`matchPolicy: Equivalent`). Its patch is applied to that version, and the
//! result is converted back.

mod call;
pub(crate) mod in_process;

use kube::core::response::Status;
use serde_json::{Value, json};

use crate::{
    admission::{self, Change, Draft, policies},
    kinds::{
        convert::{self, current, loaded},
        status::forbidden,
        store::{Backend, Store},
        target::Target,
    },
    request::{Notes, Request, Selector},
    storage::lock,
    values::{
        object::{at, list, strings, text},
        patch,
        status::{Answer, internal},
    },
    webhooks::condition,
};

use call::{call, patch_of};

const GROUP: &str = "admissionregistration.k8s.io";

/// The webhooks of the stored configurations, for one request, in the order of their calls.
pub(crate) struct Hooks {
    mutating: Vec<Value>,
    validating: Vec<Value>,
}

impl Hooks {
    /// Returns the webhooks that a request may have to pass; each decides by its rules then.
    pub(crate) fn of(store: &Store, request: &Request) -> Self {
        let is_object = matches!(request.target.subresource.as_str(), "" | "status");
        let is_asked = is_object && request.target.kind.group != GROUP;
        let hooks = |kind| {
            let kind = store.kinds.named(&format!("{GROUP}/v1"), kind);
            let configurations = kind.filter(|_| is_asked).map(|kind| store.list(kind, ""));
            let configurations = configurations.unwrap_or_default();
            let hooks = configurations.iter().flat_map(|it| list(it, "/webhooks"));
            hooks.cloned().collect()
        };
        Self {
            mutating: hooks("MutatingWebhookConfiguration"),
            validating: hooks("ValidatingWebhookConfiguration"),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.mutating.is_empty() && self.validating.is_empty()
    }

    /// Lets the mutating webhooks change the new state. A policy or a webhook that asks for it is called again if another one may have
    /// changed the object since.
    pub(crate) async fn mutate(
        &self,
        backend: &Backend,
        request: &Request,
        draft: &mut Draft,
        notes: &mut Notes,
    ) -> Answer<()> {
        let (mut changes, mut called) = (0, Vec::new());
        for hook in &self.mutating {
            if let Some(is_patched) = mutate(backend, request, draft, hook, notes).await? {
                changes += usize::from(is_patched);
                called.push((hook, changes));
            }
        }
        if !draft.invoked.is_empty() {
            let reinvoked = convert::retried(backend, |store| {
                let mut draft = draft.clone();
                policies::reinvoke(store, request, &mut draft)?;
                Ok(draft)
            });
            let reinvoked = reinvoked.await?;
            changes += usize::from(reinvoked.object != draft.object);
            *draft = reinvoked;
        }
        for (hook, before) in called {
            if changes != before && text(hook, "/reinvocationPolicy") == "IfNeeded" {
                let is_patched = mutate(backend, request, draft, hook, notes).await?;
                changes += usize::from(is_patched == Some(true));
            }
        }
        Ok(())
    }

    /// Asks the validating webhooks about a write.
    pub(crate) async fn validate(
        &self,
        backend: &Backend,
        request: &Request,
        draft: &Draft,
        notes: &mut Notes,
    ) -> Answer<()> {
        let change = Change::write(request, draft);
        for hook in &self.validating {
            send(backend, request, &change, hook, notes).await?;
        }
        Ok(())
    }

    /// Asks all webhooks about the deletion of an object.
    pub(crate) async fn delete(
        &self,
        backend: &Backend,
        request: &Request,
        notes: &mut Notes,
    ) -> Answer<()> {
        let hooks = self.mutating.iter().chain(&self.validating);
        if self.is_empty() {
            return Ok(());
        }
        let target = &request.target;
        let old = convert::retried(backend, |store| current(store, target)).await?;
        let change = Change::deletion(target, &old);
        for hook in hooks {
            send(backend, request, &change, hook, notes).await?;
        }
        Ok(())
    }

    /// Asks the validating webhooks about each object of a collection that is deleted.
    pub(crate) async fn delete_collection(
        &self,
        backend: &Backend,
        request: &Request,
        notes: &mut Notes,
    ) -> Answer<()> {
        if self.validating.is_empty() {
            return Ok(());
        }
        let target = &request.target;
        let selector = Selector::read(&request.query, target)?;
        let objects = convert::retried(backend, |store| {
            let stored = store.stored(&target.kind, &target.namespace);
            loaded(store, target, stored)
        });
        for object in objects.await?.iter().filter(|it| selector.matches(it)) {
            let change = Change::deletion(target, object);
            for hook in &self.validating {
                send(backend, request, &change, hook, notes).await?;
            }
        }
        Ok(())
    }
}

/// Calls a mutating webhook and returns whether it patched the new state; `None` if it was not called, or failed and failures are ignored.
async fn mutate(
    backend: &Backend,
    request: &Request,
    draft: &mut Draft,
    hook: &Value,
    notes: &mut Notes,
) -> Answer<Option<bool>> {
    let change = Change::write(request, draft);
    let Some(response) = send(backend, request, &change, hook, notes).await? else {
        return Ok(None);
    };
    let name = text(hook, "/name");
    let patch = patch_of(&response).map_err(|why| broken(name, &why.to_string()))?;
    if let (Some(patch), Some(version)) = (&patch, version(&request.target, &change, hook)) {
        apply(backend, request, &version, draft, name, patch).await?;
    }
    Ok(Some(patch.is_some()))
}

/// Returns an object with the JSON patch of a webhook, which an error names.
fn patched(name: &str, mut object: Value, operations: &Value) -> Answer<Value> {
    let operations = operations.as_array();
    let operations = operations.ok_or_else(|| broken(name, "it is not a list of operations"))?;
    for operation in operations {
        patch::json(&mut object, &json!([operation]))
            .map_err(|_| broken(name, &format!("{operation} does not apply")))?;
    }
    Ok(object)
}

/// Replaces the new state by the object that a webhook gives back.
fn replace(request: &Request, draft: &mut Draft, name: &str, object: Value) -> Answer<()> {
    admission::set_object(request, draft, object).map_err(|why| broken(name, &why.message))
}

fn broken(name: &str, why: &str) -> Box<Status> {
    internal(&format!(
        "admission webhook {name:?} returned a patch that breaks the object: {why}"
    ))
}

/// Calls a webhook about a change and returns its response; `None` if it does not match, or failed and failures are ignored.
async fn send(
    backend: &Backend,
    request: &Request,
    change: &Change,
    hook: &Value,
    notes: &mut Notes,
) -> Answer<Option<Value>> {
    let target = &request.target;
    let Some(version) = version(target, change, hook) else {
        return Ok(None);
    };
    if !change.is_selected(&lock(&backend.store), target, hook) {
        return Ok(None);
    }
    let mut asked = change.request(request, &version);
    for (field, object) in [("object", &change.new), ("oldObject", &change.old)] {
        asked[field] = if object.is_null() || version == target.version {
            object.clone()
        } else {
            convert::to(backend, &target.in_version(&version), object).await?
        };
    }
    match condition::holds(at(hook, "/matchConditions"), &asked) {
        Ok(true) => {}
        Ok(false) => return Ok(None),
        Err(_) if text(hook, "/failurePolicy") == "Ignore" => return Ok(None),
        Err(why) => return Err(forbidden(&target.kind, &target.name, &why)),
    }
    let response = call(backend, hook, &review(&asked)).await?;
    notes.warnings.extend(strings(&response, "/warnings"));
    Ok(Some(response).filter(|it| !it.is_null()))
}

fn review(request: &Value) -> Value {
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request})
}

/// Returns the version in which a webhook gets the object, if its rules cover it.
fn version(target: &Target, change: &Change, hook: &Value) -> Option<String> {
    change.version(target, list(hook, "/rules"), text(hook, "/matchPolicy"))
}

/// Applies the JSON patch of a webhook, in the version in which the webhook got the object.
async fn apply(
    backend: &Backend,
    request: &Request,
    version: &str,
    draft: &mut Draft,
    name: &str,
    operations: &Value,
) -> Answer<()> {
    let target = &request.target;
    if version == target.version {
        let object = patched(name, draft.object.clone(), operations)?;
        return replace(request, draft, name, object);
    }
    let other = target.in_version(version);
    let object = convert::to(backend, &other, &draft.object).await?;
    let object = patched(name, object, operations)?;
    let object = convert::to(backend, target, &object).await?;
    replace(request, draft, name, object)
}
