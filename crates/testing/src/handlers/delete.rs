//! The verbs delete and deletecollection.

use std::sync::Arc;

use kube::core::response::{Status, StatusDetails};
use serde_json::{Value, json};

use crate::{
    admission::{namespaces, policies, webhooks::in_process},
    handlers::{
        read::item,
        removal::{self, Propagation},
    },
    kinds::{
        builtin::{self, Deletion},
        convert::{self, current, loaded},
        status::precondition,
        store::Store,
        target::{Target, present},
    },
    request::{Notes, Request, Selector},
    values::{
        object::{self, at, text},
        status::{Answer, cause, document, invalid_options, no_details, not_allowed},
    },
};

/// Returns the deleted object, or a status that names it.
pub(crate) fn delete(store: &mut Store, request: &Request, notes: &mut Notes) -> Answer<Value> {
    let target = &request.target;
    if !target.subresource.is_empty() {
        return Err(not_allowed());
    }
    let options = Options::read(request, notes)?;
    let found = current(store, target)?;
    namespaces::admit_delete(store, &target.kind, &target.name)?;
    options.check(request, &found)?;
    policies::validate_deletion(store, request, &found, notes)?;
    in_process::validate_deletion(store, request, &found, notes)?;
    if options.dry_run {
        let kind = &target.kind;
        let shown = removal::would_delete(store, kind, &found, options.propagation, options.grace);
        return Ok(match shown {
            Some(marked) => present(&marked, target, false),
            None => deleted(target, &found),
        });
    }
    let stored = store.get(&target.kind, &target.namespace, &target.name);
    let (last, removed) = removal::delete(
        store,
        &target.kind,
        &stored.unwrap_or_else(|| found.clone()),
        options.propagation,
        options.grace,
    );
    let last = convert::load(store, target, &last)?;
    if !removed {
        return Ok(present(&last, target, false));
    }
    Ok(deleted(target, &last))
}

/// Returns the answer to a deletion that has removed the object.
fn deleted(target: &Target, last: &Value) -> Value {
    let strategy = builtin::strategy(&target.kind);
    if strategy.returns_deleted {
        let mut last = present(last, target, false);
        if strategy.deletion == Deletion::Graceful {
            if !object::deleting(&last) {
                removal::mark(&mut last, 0);
            }
            object::put(&mut last, "/metadata/deletionGracePeriodSeconds", 0.into());
        }
        return last;
    }
    let details = StatusDetails {
        name: target.name.clone(),
        group: target.kind.group.clone(),
        kind: target.kind.plural.clone(),
        uid: object::uid(last).to_owned(),
        ..no_details()
    };
    document(&Status::success().with_details(details))
}

/// Returns the deleted objects.
pub(crate) fn delete_collection(
    store: &mut Store,
    request: &Request,
    notes: &mut Notes,
) -> Answer<Value> {
    let target = &request.target;
    let selector = Selector::read(&request.query, target)?;
    let options = Options::read(request, notes)?;
    let chosen = loaded(store, target, store.stored(&target.kind, &target.namespace))?;
    let chosen = chosen.into_iter().filter(|object| selector.matches(object));
    let chosen: Vec<Arc<Value>> = chosen.collect();
    for object in &chosen {
        policies::validate_deletion(store, request, object, notes)?;
        if options.dry_run {
            continue;
        }
        let (namespace, name) = (object::namespace(object), object::name(object));
        // The deletion of one object may delete others.
        if let Some(stored) = store.get(&target.kind, namespace, name) {
            let propagation = options.propagation;
            removal::delete(store, &target.kind, &stored, propagation, options.grace);
        }
    }
    let items: Vec<_> = chosen.iter().map(|object| item(object, request)).collect();
    let mut metadata = json!({"resourceVersion": store.revision().to_string()});
    if target.kind.custom {
        metadata["continue"] = "".into();
    }
    Ok(
        json!({"apiVersion": target.api_version(), "kind": target.kind.list_kind, "metadata": metadata, "items": items}),
    )
}

/// `DeleteOptions` from the body, or from the query if there is no body.
struct Options {
    propagation: Propagation,
    grace: Option<i64>,
    uid: Option<String>,
    resource_version: Option<String>,
    dry_run: bool,
}

impl Options {
    fn read(request: &Request, notes: &mut Notes) -> Answer<Self> {
        let content = request.content()?;
        notes.warnings.extend(content.warnings);
        let body = content.value;
        let modes = at(&body, "/dryRun");
        let orphans = at(&body, "/orphanDependents");
        let policy = at(&body, "/propagationPolicy");
        if !orphans.is_null() && !policy.is_null() {
            let message = format!(
                "Invalid value: {policy}: orphanDependents and deletionPropagation cannot be both set"
            );
            let cause = cause("propagationPolicy", "FieldValueInvalid", message);
            return Err(invalid_options("DeleteOptions", vec![cause]));
        }
        let known = |mode: &Value| mode == "All";
        if !modes.as_array().into_iter().flatten().all(known) {
            let message = format!("Unsupported value: {modes}: supported values: \"All\"");
            let cause = cause("dryRun", "FieldValueNotSupported", message);
            return Err(invalid_options("DeleteOptions", vec![cause]));
        }
        let query = |name: &str| {
            let found = request.query.get(name).filter(|_| body.is_null());
            found.unwrap_or_default().to_owned()
        };
        let policy = match text(&body, "/propagationPolicy") {
            "" => query("propagationPolicy"),
            policy => policy.to_owned(),
        };
        let orphans = builtin::strategy(&request.target.kind).orphans;
        let propagation = match (policy.as_str(), orphans) {
            ("", Some(warning)) => {
                notes.warnings.push(warning.to_owned());
                Propagation::Orphan
            }
            ("" | "Background", _) => Propagation::Background,
            ("Foreground", _) => Propagation::Foreground,
            ("Orphan", _) => Propagation::Orphan,
            (other, _) => {
                let message = format!(
                    "Unsupported value: {other:?}: supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\""
                );
                let cause = cause("propagationPolicy", "FieldValueNotSupported", message);
                return Err(invalid_options("DeleteOptions", vec![cause]));
            }
        };
        let grace = match at(&body, "/gracePeriodSeconds").as_i64() {
            None if body.is_null() => request.query.integer("gracePeriodSeconds")?,
            grace => grace,
        };
        let condition = |name: &str| {
            let found = at(&body, "/preconditions").get(name)?;
            found.as_str().map(str::to_owned)
        };
        Ok(Self {
            propagation,
            grace,
            uid: condition("uid"),
            resource_version: condition("resourceVersion"),
            dry_run: query("dryRun") == "All"
                || object::strings(&body, "/dryRun")
                    .iter()
                    .any(|mode| mode == "All"),
        })
    }

    fn check(&self, request: &Request, found: &Value) -> Answer<()> {
        let target = &request.target;
        let version = text(found, "/metadata/resourceVersion");
        let uid = object::uid(found);
        let differs = |asked: &&String, own: &str| *asked != own;
        let other_uid = self.uid.as_ref().filter(|it| differs(it, uid));
        let other_version = self.resource_version.as_ref();
        let other_version = other_version.filter(|it| differs(it, version));
        let why = match (other_uid, other_version) {
            (Some(asked), _) => format!(
                "the UID in the precondition ({asked}) does not match the UID in record ({uid}). The object might have been deleted and then recreated"
            ),
            (None, Some(asked)) => format!(
                "the ResourceVersion in the precondition ({asked}) does not match the ResourceVersion in record ({version}). The object might have been modified"
            ),
            (None, None) => return Ok(()),
        };
        Err(precondition(&target.kind, &target.name, &why))
    }
}
