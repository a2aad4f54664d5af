//! Tracks `metadata.managedFields`: which manager owns which field.
//!
//! It follows <https://kubernetes.io/docs/reference/using-api/server-side-apply/>, and in detail the field managers of
//! `k8s.io/apimachinery/pkg/util/managedfields` on top of structured-merge-diff.

mod compare;
mod last_applied;
mod owners;
mod set;
mod shape;
pub(crate) mod strategic;
pub(crate) mod typed;

use serde_json::{Value, json};

use crate::{
    kinds::{
        builtin,
        kind::{SCALE_VERSION, Types, Version},
    },
    request::{APPLY, Request, Sent},
    values::{
        object::{self, at, list, put, section},
        status::{Answer, apply_conflict, no_resource, unexplained},
    },
};
use owners::{Owner, Owners, owned};
use set::Fields;
pub(crate) use shape::Shape;

/// Applies a configuration to an object. Returns its new state, or `None` if nothing changes.
pub(crate) fn apply(live: Value, config: &Value, request: &Request) -> Answer<Option<Value>> {
    if request.manager() != last_applied::KUBECTL || !last_applied::is_in(&live) {
        return merge(live, config, request, &Fields::default());
    }
    let allowed = last_applied::fields(&live, &shape(request)?, &request.target.api_version());
    let merged = merge(live.clone(), config, request, &allowed)?;
    let mut object = merged.unwrap_or_else(|| live.clone());
    last_applied::replace(&mut object, config);
    Ok((object != live).then_some(object))
}

/// Applies a configuration to an object. Other managers keep their fields, unless the change is forced or one of the `allowed` fields.
fn merge(
    mut live: Value,
    config: &Value,
    request: &Request,
    allowed: &Fields,
) -> Answer<Option<Value>> {
    let shape = shape(request)?;
    let mut owners = Owners::read(&live);
    let before = section(&mut live, "metadata").remove("managedFields");
    if owners.0.is_empty() && !object::uid(&live).is_empty() {
        let mut first = Owner::of(request, "Update");
        "before-first-apply".clone_into(&mut first.manager);
        let sent = Sent::default();
        first.fields = owners.update(&shape, &blank(request), &live, &first, request, &sent);
        owners.set(first);
    }
    let mut own = Owner::of(request, "Apply");
    let last = owners.find(&own).cloned();
    own.fields = typed::fields_of(&shape, config).without(&ignored(request)?);
    let merged = typed::merge(&shape, Some(&live), Some(config)).unwrap_or_default();
    // An operator that starts applies again what it has applied before.
    if let Some(last) = &last
        && last.api_version == own.api_version
        && last.fields == owned(&own.fields)
        && merged == live
    {
        return Ok(None);
    }
    owners.set(own.clone());
    let merged = match &last {
        // Nothing goes while all that was applied still is.
        Some(last) if !last.fields.difference(&own.fields).is_empty() => {
            owners.prune(&shape, &merged, &last.fields)
        }
        _ => merged,
    };
    let changes = owners.changes(&shape, &live, &merged, &merged, request)?;
    let conflicts = owners.conflicts(&own, &changes, allowed);
    if !conflicts.is_empty() && !request.query.flag("force") {
        return Err(apply_conflict(conflicts));
    }
    owners.take(&own, &changes);
    if let Some(own) = owners.find_mut(&own) {
        own.fields = owned(&own.fields);
    }
    owners.0.retain(|owner| !owner.fields.is_empty());
    // A change of fields that the request cannot write counts for the time.
    if merged == live {
        let before = json!({"metadata": {"managedFields": before}});
        if owners.without_times() == Owners::read(&before).without_times() {
            return Ok(None);
        }
        // The time is of the last change of the object.
        if let Some(own) = owners.find_mut(&own) {
            own.time = last.map(|last| last.time).unwrap_or_default();
        }
    }
    let mut object = merged;
    owners.write(&mut object);
    Ok(Some(object))
}

/// Applies a scale to an object. Returns the object's new state, or `None` if nothing changes.
pub(crate) fn apply_scale(
    object: &Value,
    mut live: Value,
    config: &Value,
    request: &Request,
) -> Answer<Option<Value>> {
    let target = &request.target;
    let paths = target.version()?.scale.as_ref().ok_or_else(no_resource)?;
    let mut owners = Owners::read(object);
    let scaled = owners.of_scale(paths);
    if scaled.0.is_empty() && target.kind.custom {
        return Err(unexplained(
            "failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1",
        ));
    }
    scaled.write(&mut live);
    let Some(applied) = apply(live, config, request)? else {
        return Ok(None);
    };
    owners.take_scale(paths, Owners::read(&applied), &target.api_version());
    let mut object = object.clone();
    let replicas = at(&applied, "/spec/replicas").as_i64().unwrap_or_default();
    put(&mut object, &paths.spec, replicas.into());
    for field in ["uid", "resourceVersion"] {
        object::copy(
            section(&mut object, "metadata"),
            at(&applied, "/metadata"),
            field,
        );
    }
    owners.write(&mut object);
    Ok(Some(object))
}

/// Returns how the objects of a request merge.
pub(crate) fn shape(request: &Request) -> Answer<Shape<'_>> {
    if request.target.subresource == "scale" {
        return Ok(Shape::Root(&shape::SCALE));
    }
    Ok(Shape::root(request.target.version()?))
}

/// Makes the request's manager the owner of the fields it changed; an apply has done so itself.
pub(crate) fn track(object: &mut Value, old: Option<&Value>, request: &Request, sent: &Sent) {
    let Ok(version) = request.target.version() else {
        return;
    };
    if request.content_type == APPLY {
        return;
    }
    if sent.is_untracked
        && let Some(old) = old
    {
        let owners = at(old, "/metadata").clone();
        object::copy(section(object, "metadata"), &owners, "managedFields");
        return;
    }
    let shape = Shape::root(version);
    let mut owners = match Owners::read(object) {
        // One empty entry clears all owners.
        _ if list(object, "/metadata/managedFields") == [json!({})] => Owners::default(),
        owners if owners.0.is_empty() => old.map(Owners::read).unwrap_or_default(),
        owners => owners,
    };
    section(object, "metadata").remove("managedFields");
    if let (Some(old), Some(paths), "scale") =
        (old, &version.scale, request.target.subresource.as_str())
    {
        let replicas = at(object, &paths.spec);
        let is_changed = at(old, &paths.spec) != replicas;
        // Go does not write a zero there: it counts as removed.
        let mut own = Owner::of(request, "Update");
        SCALE_VERSION.clone_into(&mut own.api_version);
        let mut scaled = owners.of_scale(paths);
        // Nothing is tracked while the replicas have no owner.
        if !scaled.0.is_empty() {
            if is_changed {
                scaled.0 = Some(own).filter(|_| replicas != 0).into_iter().collect();
            }
            owners.take_scale(paths, scaled, &request.target.api_version());
        }
        owners.write(object);
        return;
    }
    // Nothing is tracked once all owners have been cleared, until an apply.
    if old.is_some() && owners.0.is_empty() {
        return;
    }
    let mut live = old.cloned().unwrap_or_else(|| blank(request));
    section(&mut live, "metadata").remove("managedFields");
    let mut own = Owner::of(request, "Update");
    own.fields = owners.update(&shape, &live, object, &own, request, sent);
    if !own.fields.is_empty() {
        if let Some(previous) = owners.find(&own) {
            own.fields = own.fields.union(&previous.fields);
        }
        owners.set(own);
    }
    owners.cap();
    owners.write(object);
}

/// Returns the state before a creation.
fn blank(request: &Request) -> Value {
    if request.target.subresource == "scale" {
        return json!({"apiVersion": SCALE_VERSION, "kind": "Scale"});
    }
    let mut blank =
        json!({"apiVersion": request.target.api_version(), "kind": request.target.kind.kind});
    if let Ok(Version {
        types: Types::Builtin(name),
        ..
    }) = request.target.version()
    {
        // Go's structs are always there.
        builtin::normalize(builtin::schema(name), &mut blank);
    }
    blank
}

/// Returns the fields that a request cannot write.
fn ignored(request: &Request) -> Answer<Fields> {
    let strategy = builtin::strategy(&request.target.kind);
    if let Some(paths) = (strategy.unwritten)(&request.target.subresource) {
        let mut fields = Fields::default();
        for path in paths {
            fields.insert(
                &path
                    .split('.')
                    .map(|step| format!("f:{step}"))
                    .collect::<Vec<_>>(),
            );
        }
        return Ok(fields);
    }
    Ok(match request.target.subresource.as_str() {
        "status" if request.target.kind.custom => Fields::top(&["metadata", "spec"]),
        "status" => {
            let mut fields = Fields::top(&["spec"]);
            for field in strategy.kept_metadata {
                fields.insert(&["f:metadata".to_owned(), format!("f:{field}")]);
            }
            fields
        }
        _ if request.target.version()?.status => Fields::top(&["status"]),
        _ => Fields::default(),
    })
}

/// Returns whether the owners of two objects are equal, in order. Times count only in that they decide the order.
pub(crate) fn equal_without_times(one: &Value, other: &Value) -> bool {
    let owners = |object| list(object, "/metadata/managedFields");
    let (one, other) = (owners(one), owners(other));
    let mut pairs = one.iter().zip(other);
    one.len() == other.len() && pairs.all(|(one, other)| object::equal(one, other, &["time"]))
}
