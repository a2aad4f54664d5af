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
    admission::{self, Draft},
    kinds::{
        convert::{self, current, loaded},
        names,
        status::forbidden,
        store::{Backend, Store},
        target::{Target, present},
    },
    request::{Notes, Request, Selector, selector},
    storage::lock,
    values::{
        object::{self, at, list, strings, text},
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

    /// Lets the mutating webhooks change the new state. One that asks for it is called again if another one has changed the object since.
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
            change.send(backend, request, hook, notes).await?;
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
            change.send(backend, request, hook, notes).await?;
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
                change.send(backend, request, hook, notes).await?;
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
    let Some(response) = change.send(backend, request, hook, notes).await? else {
        return Ok(None);
    };
    let patch = patch_of(&response);
    let patch = patch.map_err(|why| broken(text(hook, "/name"), &why.to_string()))?;
    if let Some(patch) = &patch {
        change.apply(backend, request, draft, hook, patch).await?;
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
    admission::change(request, draft, object).map_err(|why| broken(name, &why.message))
}

fn broken(name: &str, why: &str) -> Box<Status> {
    internal(&format!(
        "admission webhook {name:?} returned a patch that breaks the object: {why}"
    ))
}

/// What a request would change, as webhooks get it.
struct Change {
    operation: &'static str,
    old: Value,
    new: Value,
}

impl Change {
    fn write(request: &Request, draft: &Draft) -> Self {
        let shown = |object: &Value| present(object, &request.target, false);
        Self {
            operation: draft.operation(),
            old: draft.old.as_deref().map(shown).unwrap_or_default(),
            new: shown(&draft.object),
        }
    }

    fn deletion(target: &Target, old: &Value) -> Self {
        Self {
            operation: "DELETE",
            old: present(old, target, false),
            new: Value::Null,
        }
    }

    fn object(&self) -> &Value {
        if self.new.is_null() {
            &self.old
        } else {
            &self.new
        }
    }

    /// Calls a webhook and returns its response; `None` if it does not match, or failed and failures are ignored.
    async fn send(
        &self,
        backend: &Backend,
        request: &Request,
        hook: &Value,
        notes: &mut Notes,
    ) -> Answer<Option<Value>> {
        let target = &request.target;
        let Some(version) = self.version(target, hook) else {
            return Ok(None);
        };
        if !self.is_selected(backend, target, hook) {
            return Ok(None);
        }
        let objects = self.converted(backend, target, &version).await?;
        let review = self.review(request, &version, objects);
        match condition::holds(at(hook, "/matchConditions"), at(&review, "/request")) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(_) if text(hook, "/failurePolicy") == "Ignore" => return Ok(None),
            Err(why) => return Err(forbidden(&target.kind, &target.name, &why)),
        }
        let response = call(backend, hook, &review).await?;
        notes.warnings.extend(strings(&response, "/warnings"));
        Ok(Some(response).filter(|it| !it.is_null()))
    }

    /// Applies the JSON patch of a webhook, in the version in which the webhook got the object.
    async fn apply(
        &self,
        backend: &Backend,
        request: &Request,
        draft: &mut Draft,
        hook: &Value,
        operations: &Value,
    ) -> Answer<()> {
        let (target, name) = (&request.target, text(hook, "/name"));
        let version = self.version(target, hook);
        let version = version.filter(|version| *version != target.version);
        let Some(version) = version else {
            let object = patched(name, draft.object.clone(), operations)?;
            return replace(request, draft, name, object);
        };
        let other = Target {
            version,
            ..target.clone()
        };
        let object = convert::to(backend, &other, &draft.object).await?;
        let object = patched(name, object, operations)?;
        let object = convert::to(backend, target, &object).await?;
        replace(request, draft, name, object)
    }

    /// Returns the version in which a webhook gets the object, if its rules cover it.
    fn version(&self, target: &Target, hook: &Value) -> Option<String> {
        if self.is_covered(target, &target.version, hook) {
            return Some(target.version.clone());
        }
        if text(hook, "/matchPolicy") == "Exact" {
            return None;
        }
        let others = target.kind.versions.iter().map(|version| &version.name);
        let mut others = others.filter(|other| self.is_covered(target, other, hook));
        others.next().cloned()
    }

    fn is_covered(&self, target: &Target, version: &str, hook: &Value) -> bool {
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
        list(hook, "/rules").iter().any(|rule| {
            any(rule, "/operations", self.operation)
                && any(rule, "/apiGroups", &target.kind.group)
                && any(rule, "/apiVersions", version)
                && resource(rule)
                && (matches!(text(rule, "/scope"), "" | "*") || text(rule, "/scope") == scope)
        })
    }

    /// Returns whether the selectors of a webhook match the object and its namespace.
    fn is_selected(&self, backend: &Backend, target: &Target, hook: &Value) -> bool {
        let namespace = if target.kind.kind == "Namespace" {
            Some(at(self.object(), "/metadata/labels").clone())
        } else if target.namespace.is_empty() {
            None
        } else {
            let store = lock(&backend.store);
            let found = store.find("v1", "Namespace", "", &target.namespace);
            let labels = found.map(|found| at(&found, "/metadata/labels").clone());
            // Without the life cycle of namespaces, they need not exist.
            Some(labels.unwrap_or_else(|| json!({"kubernetes.io/metadata.name": target.namespace})))
        };
        namespace.is_none_or(|labels| selector::selects(at(hook, "/namespaceSelector"), &labels))
            && [&self.new, &self.old].into_iter().any(|object| {
                !object.is_null()
                    && selector::selects(
                        at(hook, "/objectSelector"),
                        at(object, "/metadata/labels"),
                    )
            })
    }

    /// Returns the new and the old object in a version.
    async fn converted(
        &self,
        backend: &Backend,
        target: &Target,
        version: &str,
    ) -> Answer<[Value; 2]> {
        let mut objects = [self.new.clone(), self.old.clone()];
        if version != target.version {
            let wanted = Target {
                version: version.to_owned(),
                ..target.clone()
            };
            for object in objects.iter_mut().filter(|it| !it.is_null()) {
                *object = convert::to(backend, &wanted, object).await?;
            }
        }
        Ok(objects)
    }

    /// Returns the review for a webhook that gets these objects in a version.
    fn review(&self, request: &Request, version: &str, [new, old]: [Value; 2]) -> Value {
        let target = &request.target;
        let group = &target.kind.group;
        let kind = |version: &str| {
            let kind = &target.kind.kind;
            json!({"group": group, "version": version, "kind": kind})
        };
        let resource = |version: &str| {
            let plural = &target.kind.plural;
            json!({"group": group, "version": version, "resource": plural})
        };
        let options = match self.operation {
            "CREATE" => "CreateOptions",
            "DELETE" => "DeleteOptions",
            _ => "UpdateOptions",
        };
        let mut asked = json!({
            "uid": names::uid(request.body.len() as u64),
            "kind": kind(version),
            "resource": resource(version),
            "requestKind": kind(&target.version),
            "requestResource": resource(&target.version),
            "name": object::name(self.object()),
            "operation": self.operation,
            "userInfo": request.user.info(),
            "object": new,
            "oldObject": old,
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
