//! Calls the admission webhooks of the stored configurations
//! (<https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/>).
//!
//! A patch of a webhook that gets another version than that of the request is applied to the version of the request.

mod call;
pub(crate) mod in_process;

use serde_json::{Value, json};

use crate::{
    kinds::{
        convert::{self, current, found, loaded},
        names,
        status::forbidden,
        store::{Backend, Store},
        target::{Target, present},
    },
    request::{Probe, Request, Selector, User, Verb, selector},
    storage::lock,
    values::{
        object::{self, at, list, strings, text},
        status::Answer,
    },
    webhooks::condition,
};

use call::{call, patch};

/// Executes a write, and returns the new state: the handlers do.
type Written = fn(&mut Store, &Request) -> Answer<Value>;

const GROUP: &str = "admissionregistration.k8s.io/v1";

/// Sends a write through the matching webhooks. Their changes are kept in the request; an error is a refusal.
pub(crate) async fn admit(
    backend: &Backend,
    request: &mut Request,
    user: &User,
    written: Written,
) -> Answer<()> {
    let is_object = matches!(request.target.subresource.as_str(), "" | "status");
    let is_write = !matches!(request.verb, Verb::Get | Verb::List | Verb::Watch);
    if !is_object || !is_write || request.target.kind.group == "admissionregistration.k8s.io" {
        return Ok(());
    }
    let (mutating, validating) = {
        let store = lock(&backend.store);
        (
            hooks(&store, "MutatingWebhookConfiguration"),
            hooks(&store, "ValidatingWebhookConfiguration"),
        )
    };
    if mutating.is_empty() && validating.is_empty() {
        return Ok(());
    }
    if request.verb == Verb::DeleteCollection {
        return admit_collection(backend, request, user, &validating).await;
    }
    // A webhook that asks for it is called again if another one has changed the object since.
    let mut called = Vec::new();
    for hook in &mutating {
        if mutate(backend, request, user, written, hook).await? {
            called.push((hook, request.patches.len()));
        }
    }
    for (hook, patches) in called {
        let is_needed = request.patches.len() > patches;
        if is_needed && text(hook, "/reinvocationPolicy") == "IfNeeded" {
            mutate(backend, request, user, written, hook).await?;
        }
    }
    if validating.is_empty() {
        return Ok(());
    }
    let change = Change::probe(backend, request, written, Probe::Validated).await?;
    for hook in &validating {
        change.send(backend, request, user, hook).await?;
    }
    Ok(())
}

/// Calls a mutating webhook, and returns whether it was called.
async fn mutate(
    backend: &Backend,
    request: &mut Request,
    user: &User,
    written: Written,
    hook: &Value,
) -> Answer<bool> {
    let Ok(change) = Change::probe(backend, request, written, Probe::Unvalidated).await else {
        return Ok(false); // The request itself fails, and says why.
    };
    let response = change.send(backend, request, user, hook).await?;
    let patch = response.as_ref().and_then(patch);
    request.patches.extend(patch);
    Ok(response.is_some())
}

/// Calls the validating webhooks for each object of a collection that is deleted.
async fn admit_collection(
    backend: &Backend,
    request: &mut Request,
    user: &User,
    validating: &[Value],
) -> Answer<()> {
    let target = request.target.clone();
    let selector = Selector::read(&request.query, &target)?;
    let objects = convert::retried(backend, |store| {
        loaded(
            store,
            &target,
            store.stored(&target.kind, &target.namespace),
        )
    });
    for object in objects.await?.iter().filter(|it| selector.matches(it)) {
        let change = Change {
            operation: "DELETE",
            old: present(object, &target, false),
            new: Value::Null,
        };
        for hook in validating {
            change.send(backend, request, user, hook).await?;
        }
    }
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
    async fn probe(
        backend: &Backend,
        request: &mut Request,
        written: Written,
        probe: Probe,
    ) -> Answer<Self> {
        convert::retried(backend, |store| {
            Self::try_probe(store, request, written, probe)
        })
        .await
    }

    fn try_probe(
        store: &mut Store,
        request: &mut Request,
        written: Written,
        probe: Probe,
    ) -> Answer<Self> {
        let target = request.target.clone();
        let old =
            found(store, &target)?.map_or(Value::Null, |found| present(&found, &target, false));
        if request.verb == Verb::Delete {
            current(store, &target)?;
            return Ok(Self {
                operation: "DELETE",
                old,
                new: Value::Null,
            });
        }
        let warnings = request.warnings.get_mut().len();
        request.probe = Some(probe);
        let result = written(store, request);
        request.probe = None;
        request.warnings.get_mut().truncate(warnings);
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

    /// Calls a webhook and returns its response; `None` if it does not match, or failed and failures are ignored.
    async fn send(
        &self,
        backend: &Backend,
        request: &mut Request,
        user: &User,
        hook: &Value,
    ) -> Answer<Option<Value>> {
        let target = request.target.clone();
        let Some(version) = self.version(&target, hook) else {
            return Ok(None);
        };
        if !self.is_selected(backend, &target, hook) {
            return Ok(None);
        }
        let objects = self.converted(backend, &target, &version).await?;
        let review = self.review(request, user, &version, objects);
        match condition::holds(at(hook, "/matchConditions"), at(&review, "/request")) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(_) if text(hook, "/failurePolicy") == "Ignore" => return Ok(None),
            Err(why) => return Err(forbidden(&target.kind, &target.name, &why)),
        }
        let response = call(backend, hook, &review).await?;
        let warnings = strings(&response, "/warnings");
        request.warnings.get_mut().extend(warnings);
        Ok(Some(response).filter(|it| !it.is_null()))
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
    fn review(
        &self,
        request: &Request,
        user: &User,
        version: &str,
        [new, old]: [Value; 2],
    ) -> Value {
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
            "userInfo": user.info(),
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
