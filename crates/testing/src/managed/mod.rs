//! Tracks `metadata.managedFields`: which manager owns which field.
//!
//! It follows <https://kubernetes.io/docs/reference/using-api/server-side-apply/>, and in detail the field managers of
//! `k8s.io/apimachinery/pkg/util/managedfields` on top of structured-merge-diff.

mod fields;
mod shape;
pub(crate) mod typed;

use serde_json::{Value, json};

use crate::{
    kind::Scale,
    object::{self, at, list, map, now, section, text},
    request::{APPLY, Request},
    status::{Answer, apply_conflict},
};
use fields::Fields;
pub(crate) use shape::{LIST_KEYS, Shape};

/// Fields of every object that have no owner.
const UNOWNED: &[&[&str]] = &[
    &["f:apiVersion"],
    &["f:kind"],
    &["f:metadata"],
    &["f:metadata", "f:name"],
    &["f:metadata", "f:namespace"],
    &["f:metadata", "f:creationTimestamp"],
    &["f:metadata", "f:selfLink"],
    &["f:metadata", "f:uid"],
    &["f:metadata", "f:clusterName"],
    &["f:metadata", "f:generation"],
    &["f:metadata", "f:managedFields"],
    &["f:metadata", "f:resourceVersion"],
];

/// As many owners by update are kept; older ones are merged.
const MAX_UPDATERS: usize = 10;

/// The fields that one manager owns through one operation.
#[derive(Clone, Debug, PartialEq)]
struct Owner {
    manager: String,
    operation: String,
    subresource: String,
    api_version: String,
    time: Value,
    fields: Fields,
}

/// All owners of an object.
#[derive(Clone, Debug, Default, PartialEq)]
struct Owners(Vec<Owner>);

/// The result of an apply.
pub(crate) struct Applied {
    pub(crate) object: Value,
    /// Whether the configuration changes the object, be it in fields that the request cannot write.
    pub(crate) is_changed: bool,
}

/// Applies a configuration to an object. Returns its new state, or `None` if nothing changes.
pub(crate) fn apply(live: &Value, config: &Value, request: &Request) -> Answer<Option<Applied>> {
    let shape = Shape::root(request.target.version()?);
    let mut live = live.clone();
    let mut owners = Owners::read(&live);
    section(&mut live, "metadata").remove("managedFields");
    if owners.0.is_empty() && !object::uid(&live).is_empty() {
        let mut first = Owner::of(request, "Update");
        first.manager = "before-first-apply".to_owned();
        first.subresource.clear();
        first.fields = owners.update(&shape, &blank(request), &live, &first, request);
        owners.set(first);
    }
    let mut own = Owner::of(request, "Apply");
    let before = owners.clone();
    let last = owners.find(&own).cloned();
    own.fields = typed::fields_of(&shape, config).without(&ignored(request)?);
    let merged = typed::merge(&shape, Some(&live), Some(config)).unwrap_or_default();
    owners.set(own.clone());
    let merged = match &last {
        Some(last) => owners.prune(&shape, &merged, &last.fields),
        None => merged,
    };
    let compared = compare(&shape, &live, &merged, request)?;
    let conflicts = owners.conflicts(&own, &compared);
    if !conflicts.is_empty() && !request.query.flag("force") {
        return Err(apply_conflict(conflicts));
    }
    owners.take(&own, &compared);
    if let Some(own) = owners.find_mut(&own) {
        own.fields = owned(&own.fields);
    }
    owners.0.retain(|owner| !owner.fields.is_empty());
    let is_changed = merged != live;
    if !is_changed {
        if owners.without_times() == before.without_times() {
            return Ok(None);
        }
        // The time is of the last change of the object.
        if let Some(own) = owners.find_mut(&own) {
            own.time = last.map(|last| last.time).unwrap_or_default();
        }
    }
    let mut object = merged;
    owners.write(&mut object);
    Ok(Some(Applied { object, is_changed }))
}

/// Makes the request's manager the owner of the fields it changed; an apply has done so itself.
pub(crate) fn track(object: &mut Value, old: Option<&Value>, request: &Request) {
    let Ok(version) = request.target.version() else {
        return;
    };
    if request.content_type == APPLY {
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
        let own = (replicas != 0).then(|| Owner::of(request, "Update"));
        owners.scale(paths, is_changed, own);
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
    own.fields = owners.update(&shape, &live, object, &own, request);
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
    if request.target.kind.custom {
        json!({"apiVersion": request.target.api_version(), "kind": request.target.kind.kind})
    } else {
        // Go's structs are always there.
        let template = json!({"metadata": {}, "spec": {}});
        json!({"metadata": {}, "spec": {"template": template, "strategy": {}}, "status": {}})
    }
}

/// Returns the fields that a request cannot write.
fn ignored(request: &Request) -> Answer<Fields> {
    Ok(match request.target.subresource.as_str() {
        "status" => Fields::top(&["metadata", "spec"]),
        _ if request.target.version()?.status => Fields::top(&["status"]),
        _ => Fields::default(),
    })
}

/// Compares two states in the fields that a request can write.
fn compare(
    shape: &Shape<'_>,
    live: &Value,
    object: &Value,
    request: &Request,
) -> Answer<typed::Comparison> {
    let ignored = ignored(request)?;
    let mut found = typed::compare(shape, live, object);
    for set in [&mut found.added, &mut found.modified, &mut found.removed] {
        *set = set.without(&ignored);
    }
    Ok(found)
}

/// Removes the fields that have no owner.
fn owned(fields: &Fields) -> Fields {
    let mut unowned = Fields::default();
    for path in UNOWNED {
        unowned.insert(&path.iter().map(ToString::to_string).collect::<Vec<_>>());
    }
    fields.difference(&unowned)
}

impl Owners {
    fn read(object: &Value) -> Self {
        let entries = list(object, "/metadata/managedFields").iter();
        let owners = entries.map(|entry| Owner {
            manager: text(entry, "/manager").to_owned(),
            operation: text(entry, "/operation").to_owned(),
            subresource: text(entry, "/subresource").to_owned(),
            api_version: text(entry, "/apiVersion").to_owned(),
            time: entry.get("time").cloned().unwrap_or_default(),
            fields: entry.get("fieldsV1").map(Fields::read).unwrap_or_default(),
        });
        // Of entries of one identity, the last counts.
        let mut read = Self::default();
        for owner in owners.filter(|owner| !owner.operation.is_empty()) {
            read.set(owner);
        }
        read
    }

    /// Writes `metadata.managedFields`, if there are owners.
    fn write(&self, object: &mut Value) {
        let mut owners: Vec<&Owner> = self.0.iter().collect();
        owners.sort_by_key(|owner| {
            (
                &owner.operation,
                owner.time.as_str(),
                &owner.manager,
                &owner.api_version,
            )
        });
        let entry = |owner: &Owner| {
            let mut entry = json!({
                "manager": owner.manager,
                "operation": owner.operation,
                "apiVersion": owner.api_version,
                "time": owner.time,
                "fieldsType": "FieldsV1",
                "fieldsV1": owner.fields.write(),
            });
            if !owner.subresource.is_empty() {
                entry["subresource"] = owner.subresource.clone().into();
            }
            if owner.time.is_null() {
                map(&mut entry).remove("time");
            }
            entry
        };
        let metadata = section(object, "metadata");
        if owners.is_empty() {
            metadata.remove("managedFields");
        } else {
            let entries: Vec<Value> = owners.into_iter().map(entry).collect();
            metadata.insert("managedFields".to_owned(), entries.into());
        }
    }

    fn find(&self, of: &Owner) -> Option<&Owner> {
        self.0.iter().find(|owner| owner.is(of))
    }

    fn find_mut(&mut self, of: &Owner) -> Option<&mut Owner> {
        self.0.iter_mut().find(|owner| owner.is(of))
    }

    fn set(&mut self, owner: Owner) {
        self.0.retain(|other| !other.is(&owner));
        if !owner.fields.is_empty() {
            self.0.push(owner);
        }
    }

    /// Tracks an update of the scale as the API server's conversion of owners does: nothing is tracked while the replicas have no
    /// owner; owners by update get an entry of its own for them, without a time.
    fn scale(&mut self, paths: &Scale, is_changed: bool, own: Option<Owner>) {
        let mut replicas = Fields::default();
        let steps = paths.spec.split('/').filter(|step| !step.is_empty());
        replicas.insert(&steps.map(|step| format!("f:{step}")).collect::<Vec<_>>());
        let owns = |owner: &Owner| !owner.fields.intersection(&replicas).is_empty();
        let mut split: Vec<Owner> = self.0.iter().filter(|it| owns(it)).cloned().collect();
        if split.is_empty() {
            return;
        }
        if is_changed {
            split = own.into_iter().collect();
        }
        // An applier has the same identity in both versions, and keeps its entry.
        let is_kept = |owner: &Owner| owner.operation == "Apply" && !is_changed;
        for owner in &mut self.0 {
            if !is_kept(owner) {
                owner.fields = owner.fields.difference(&replicas);
            }
        }
        self.0.retain(|owner| !owner.fields.is_empty());
        for mut owner in split.into_iter().filter(|owner| !is_kept(owner)) {
            owner.fields = replicas.clone();
            owner.time = Value::Null;
            self.0.push(owner);
        }
    }

    /// Takes the changed fields from the other owners. Returns the fields that the updater owns now, besides those it had.
    fn update(
        &mut self,
        shape: &Shape<'_>,
        live: &Value,
        object: &Value,
        own: &Owner,
        request: &Request,
    ) -> Fields {
        let Ok(compared) = compare(shape, live, object, request) else {
            return Fields::default();
        };
        // The updater counts as one more manager until its fields are merged with those it had.
        for owner in &mut self.0 {
            let changed = compared.modified.union(&compared.added);
            if !owner.is(own) {
                owner.fields = owner.fields.difference(&changed);
            }
            owner.fields = owner.fields.difference(&compared.removed);
        }
        self.0.retain(|owner| !owner.fields.is_empty());
        owned(&compared.modified.union(&compared.added))
    }

    /// Removes from a merged object what the applier has stopped applying and no other manager owns.
    fn prune(&self, shape: &Shape<'_>, merged: &Value, last: &Fields) -> Value {
        if last.is_empty() {
            return merged.clone();
        }
        let declared = |set: &Fields| set.with_declared(shape);
        let set_of = |object: &Value| declared(&typed::fields_of(shape, object));
        let pruned = typed::remove(shape, merged, &declared(last));
        let managed = self.0.iter();
        let managed = managed.fold(Fields::default(), |all, owner| all.union(&owner.fields));
        let all = set_of(merged);
        let kept = set_of(&pruned).union(&declared(&managed));
        let pruned = typed::remove(shape, merged, &all.difference(&kept));
        let dropped = all.difference(&set_of(&pruned));
        typed::remove(shape, merged, &dropped.intersection(&declared(last)))
    }

    /// Returns the fields of other owners that an apply would change.
    fn conflicts(&self, own: &Owner, compared: &typed::Comparison) -> Vec<(String, Vec<String>)> {
        let changed = compared.modified.union(&compared.added);
        let mut others: Vec<&Owner> = self.0.iter().filter(|owner| !owner.is(own)).collect();
        // By their identifiers in Go: JSON, in which more fields sort first.
        others.sort_by_key(|owner| {
            let is_main = owner.subresource.is_empty();
            (
                &owner.manager,
                &owner.operation,
                &owner.api_version,
                is_main,
                &owner.subresource,
            )
        });
        let conflicts = others.into_iter().map(|owner| {
            let paths = owner.fields.intersection(&changed).paths();
            (owner.shown(), paths)
        });
        conflicts.filter(|(_, paths)| !paths.is_empty()).collect()
    }

    /// Takes the changed and removed fields from the other owners.
    fn take(&mut self, own: &Owner, compared: &typed::Comparison) {
        let changed = compared.modified.union(&compared.added);
        for owner in self.0.iter_mut().filter(|owner| !owner.is(own)) {
            owner.fields = owner.fields.difference(&changed);
            owner.fields = owner.fields.difference(&compared.removed);
        }
        self.0.retain(|owner| !owner.fields.is_empty());
    }

    /// Merges the oldest owners by update of a version into one, if there are too many.
    fn cap(&mut self) {
        let is_updater = |owner: &Owner| owner.operation == "Update";
        while self.0.iter().filter(|owner| is_updater(owner)).count() > MAX_UPDATERS {
            let mut updaters: Vec<Owner> = self
                .0
                .iter()
                .filter(|owner| is_updater(owner))
                .cloned()
                .collect();
            updaters.sort_by_key(|owner| owner.time.as_str().map(str::to_owned));
            let mut pair = None;
            for (at, owner) in updaters.iter().enumerate() {
                let newer = updaters[at + 1..].iter();
                if let Some(next) = newer.clone().find(|it| it.api_version == owner.api_version) {
                    pair = Some((owner.clone(), next.clone()));
                    break;
                }
            }
            let Some((first, next)) = pair else {
                return;
            };
            self.0.retain(|owner| !owner.is(&first) && !owner.is(&next));
            self.set(Owner {
                manager: "ancient-changes".to_owned(),
                subresource: String::new(),
                fields: first.fields.union(&next.fields),
                ..next
            });
        }
    }

    fn without_times(&self) -> Vec<Owner> {
        let mut owners = self.0.clone();
        for owner in &mut owners {
            owner.time = Value::Null;
        }
        owners.sort_by_key(|it| [&it.manager, &it.operation, &it.subresource].map(String::clone));
        owners
    }
}

impl Owner {
    /// Creates the owner of a request, without fields.
    fn of(request: &Request, operation: &str) -> Self {
        Self {
            manager: request.manager(),
            operation: operation.to_owned(),
            subresource: request.target.subresource.clone(),
            api_version: request.target.api_version(),
            time: now(),
            fields: Fields::default(),
        }
    }

    /// Returns whether both are one owner. An applier is one over all versions.
    fn is(&self, other: &Self) -> bool {
        self.manager == other.manager
            && self.operation == other.operation
            && self.subresource == other.subresource
            && (self.operation == "Apply" || self.api_version == other.api_version)
    }

    /// Returns the owner as messages of conflicts name it.
    fn shown(&self) -> String {
        let mut shown = format!("{:?}", self.manager);
        if !self.subresource.is_empty() {
            shown += &format!(" with subresource {:?}", self.subresource);
        }
        if self.operation == "Update" {
            shown += &format!(" using {}", self.api_version);
        }
        shown
    }
}

/// Removes the times, which alone do not count as a change.
pub(crate) fn without_times(object: &mut Value) {
    if let Some(Value::Array(entries)) = section(object, "metadata").get_mut("managedFields") {
        for entry in entries.iter_mut() {
            map(entry).remove("time");
        }
        entries.sort_by_key(ToString::to_string);
    }
}
