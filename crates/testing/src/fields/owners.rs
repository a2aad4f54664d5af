//! The owners in `metadata.managedFields`, and how they change.

use std::{fmt::Write, sync::LazyLock};

use serde_json::{Value, json};

use super::{
    Shape,
    compare::{self, Changes},
    ignored,
    set::Fields,
    typed,
};
use crate::{
    kinds::kind::{SCALE_VERSION, Scale},
    request::{Request, Sent, Verb},
    values::{
        object::{list, map, now, section, text},
        status::Answer,
    },
};

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
pub(super) struct Owner {
    pub(super) manager: String,
    pub(super) operation: String,
    pub(super) subresource: String,
    pub(super) api_version: String,
    pub(super) time: Value,
    pub(super) fields: Fields,
}

/// All owners of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Owners(pub(super) Vec<Owner>);

const SCALE_REPLICAS: &str = "/spec/replicas";

/// Returns the set of the field with the replicas.
fn replicas(pointer: &str) -> Fields {
    let mut replicas = Fields::default();
    let steps = pointer.split('/').filter(|step| !step.is_empty());
    replicas.insert(&steps.map(|step| format!("f:{step}")).collect::<Vec<_>>());
    replicas
}

/// Returns an object with the status that was sent with it, which the request may not write.
fn whole(object: &Value, request: &Request, sent: &Sent) -> Value {
    let mut whole = object.clone();
    let target = &request.target;
    let is_change = matches!(request.verb, Verb::Update | Verb::Patch);
    if is_change && target.kind.custom && target.subresource.is_empty() {
        match &sent.status {
            Some(status) => map(&mut whole).insert("status".to_owned(), status.clone()),
            None => map(&mut whole).remove("status"),
        };
    }
    whole
}

/// [`UNOWNED`] as a set.
static UNOWNED_SET: LazyLock<Fields> = LazyLock::new(|| {
    let mut unowned = Fields::default();
    for path in UNOWNED {
        unowned.insert(&path.iter().map(ToString::to_string).collect::<Vec<_>>());
    }
    unowned
});

/// Removes the fields that have no owner.
pub(super) fn owned(fields: &Fields) -> Fields {
    fields.difference(&UNOWNED_SET)
}

impl Owners {
    pub(super) fn read(object: &Value) -> Self {
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
    pub(super) fn write(&self, object: &mut Value) {
        let mut owners: Vec<&Owner> = self.0.iter().collect();
        owners.sort_by_key(|owner| {
            (
                &owner.operation,
                owner.time.as_str(),
                &owner.manager,
                &owner.api_version,
                &owner.subresource,
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

    pub(super) fn find(&self, of: &Owner) -> Option<&Owner> {
        self.0.iter().find(|owner| owner.is(of))
    }

    pub(super) fn find_mut(&mut self, of: &Owner) -> Option<&mut Owner> {
        self.0.iter_mut().find(|owner| owner.is(of))
    }

    pub(super) fn set(&mut self, owner: Owner) {
        self.0.retain(|other| !other.is(&owner));
        if !owner.fields.is_empty() {
            self.0.push(owner);
        }
    }

    /// Returns the owners of the replicas as those of the scale.
    pub(super) fn of_scale(&self, paths: &Scale) -> Self {
        let replicas = replicas(&paths.spec);
        let owns = |owner: &&Owner| !owner.fields.intersection(&replicas).is_empty();
        let mut scaled = Self(self.0.iter().filter(owns).cloned().collect());
        for owner in &mut scaled.0 {
            owner.fields = self::replicas(SCALE_REPLICAS);
            SCALE_VERSION.clone_into(&mut owner.api_version);
        }
        scaled
    }

    /// Makes the owners of the scale those of the replicas, in a version of the object. They get an entry of their own, without a
    /// time, as the API server's conversion of owners gives them.
    pub(super) fn take_scale(&mut self, paths: &Scale, mut scaled: Self, version: &str) {
        let replicas = replicas(&paths.spec);
        for owner in &mut self.0 {
            // An applier has the same identity in both versions, and keeps its entry.
            let kept = scaled.0.iter().position(|it| it.is(owner));
            match kept.filter(|_| !owner.fields.intersection(&replicas).is_empty()) {
                Some(index) => drop(scaled.0.remove(index)),
                None => owner.fields = owner.fields.difference(&replicas),
            }
        }
        self.0.retain(|owner| !owner.fields.is_empty());
        for mut owner in scaled.0 {
            owner.fields = replicas.clone();
            owner.time = Value::Null;
            version.clone_into(&mut owner.api_version);
            self.0.push(owner);
        }
    }

    /// Compares two states of an object for the owners. `sent` is the new state with what the request cannot write.
    pub(super) fn changes(
        &self,
        shape: &Shape<'_>,
        live: &Value,
        object: &Value,
        sent: &Value,
        request: &Request,
    ) -> Answer<Changes> {
        let ignored = ignored(request)?;
        let version = request.target.api_version();
        let mut written = compare::compare(shape, live, object);
        for set in [
            &mut written.added,
            &mut written.modified,
            &mut written.removed,
        ] {
            *set = set.without(&ignored);
        }
        // A request to the status cannot write the other fields in any version.
        let is_main = request.target.subresource.is_empty();
        let has_others = is_main && self.0.iter().any(|owner| owner.api_version != version);
        Ok(Changes {
            version,
            written,
            sent: has_others.then(|| compare::compare(shape, live, sent)),
        })
    }

    /// Takes the changed fields from the other owners. Returns the fields that the updater owns now, besides those it had.
    pub(super) fn update(
        &mut self,
        shape: &Shape<'_>,
        live: &Value,
        object: &Value,
        own: &Owner,
        request: &Request,
        sent: &Sent,
    ) -> Fields {
        let sent = whole(object, request, sent);
        let Ok(changes) = self.changes(shape, live, object, &sent, request) else {
            return Fields::default();
        };
        // The updater counts as one more manager until its fields are merged with those it had.
        for owner in &mut self.0 {
            let compared = changes.in_version(&owner.api_version);
            if !owner.is(own) {
                compared.take_from(&mut owner.fields);
            } else if !compared.removed.is_empty() {
                owner.fields = owner.fields.difference(&compared.removed);
            }
        }
        self.0.retain(|owner| !owner.fields.is_empty());
        owned(&changes.written.changed())
    }

    /// Removes from a merged object what the applier has stopped applying and no other manager owns.
    pub(super) fn prune(&self, shape: &Shape<'_>, merged: &Value, last: &Fields) -> Value {
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

    /// Returns the fields of other owners that an apply would change, besides those that it may.
    pub(super) fn conflicts(
        &self,
        own: &Owner,
        changes: &Changes,
        allowed: &Fields,
    ) -> Vec<(String, Vec<String>)> {
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
            let compared = changes.in_version(&owner.api_version);
            let fields = owner.fields.intersection(&compared.changed());
            (owner.shown(), fields.difference(allowed).paths())
        });
        conflicts.filter(|(_, paths)| !paths.is_empty()).collect()
    }

    /// Takes the changed and removed fields from the other owners.
    pub(super) fn take(&mut self, own: &Owner, changes: &Changes) {
        for owner in self.0.iter_mut().filter(|owner| !owner.is(own)) {
            changes
                .in_version(&owner.api_version)
                .take_from(&mut owner.fields);
        }
        self.0.retain(|owner| !owner.fields.is_empty());
    }

    /// Merges the oldest owners by update of a version into one, if there are too many.
    pub(super) fn cap(&mut self) {
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

    pub(super) fn without_times(&self) -> Vec<Owner> {
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
    pub(super) fn of(request: &Request, operation: &str) -> Self {
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
    pub(super) fn is(&self, other: &Self) -> bool {
        self.manager == other.manager
            && self.operation == other.operation
            && self.subresource == other.subresource
            && (self.operation == "Apply" || self.api_version == other.api_version)
    }

    /// Returns the owner as messages of conflicts name it.
    pub(super) fn shown(&self) -> String {
        let mut shown = format!("{:?}", self.manager);
        if !self.subresource.is_empty() {
            _ = write!(shown, " with subresource {:?}", self.subresource);
        }
        if self.operation == "Update" {
            _ = write!(shown, " using {}", self.api_version);
        }
        shown
    }
}
