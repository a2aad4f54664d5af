//! Tracks `metadata.managedFields`: which manager owns which field.

pub(crate) mod fields;
mod shape;

use serde_json::{Value, json};

use crate::{
    object::{list, map, now, section, text},
    request::{APPLY, Request},
    status::Answer,
};
use fields::Fields;
pub(crate) use shape::{LIST_KEYS, Shape};

/// Fields without an owner.
const UNOWNED: &[&[&str]] = &[
    &["f:apiVersion"],
    &["f:kind"],
    &["f:metadata", "f:name"],
    &["f:metadata", "f:namespace"],
    &["f:metadata", "f:uid"],
    &["f:metadata", "f:selfLink"],
    &["f:metadata", "f:generation"],
    &["f:metadata", "f:resourceVersion"],
    &["f:metadata", "f:creationTimestamp"],
    &["f:metadata", "f:deletionTimestamp"],
    &["f:metadata", "f:deletionGracePeriodSeconds"],
    &["f:metadata", "f:managedFields"],
];

/// The fields that one manager owns through one operation.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    pub(crate) manager: String,
    operation: String,
    subresource: String,
    api_version: String,
    time: Value,
    pub(crate) fields: Fields,
}

/// All owners of an object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners(Vec<Owner>);

pub(crate) fn read(object: &Value) -> Owners {
    let entries = list(object, "/metadata/managedFields")
        .iter()
        .map(|entry| Owner {
            manager: text(entry, "/manager").to_owned(),
            operation: text(entry, "/operation").to_owned(),
            subresource: text(entry, "/subresource").to_owned(),
            api_version: text(entry, "/apiVersion").to_owned(),
            time: entry.get("time").cloned().unwrap_or_default(),
            fields: entry.get("fieldsV1").map(Fields::read).unwrap_or_default(),
        });
    Owners(entries.collect())
}

impl Owners {
    /// Returns the fields that the manager of this apply owned until now, and all other owners.
    pub(crate) fn split(&mut self, request: &Request) -> (Fields, Vec<&mut Owner>) {
        let (own, others): (Vec<_>, Vec<_>) =
            self.0.iter_mut().partition(|owner| owner.is(request));
        (
            own.first()
                .map(|owner| owner.fields.clone())
                .unwrap_or_default(),
            others,
        )
    }

    /// Sets the fields that the request's manager owns through its operation.
    pub(crate) fn set(&mut self, request: &Request, fields: Fields) {
        let kept = self
            .0
            .iter()
            .find(|owner| owner.is(request) && owner.fields == fields)
            .map(|owner| owner.time.clone());
        self.0
            .retain(|owner| !owner.is(request) && !owner.fields.is_empty());
        if fields.is_empty() {
            return;
        }
        self.0.push(Owner {
            manager: request.manager(),
            operation: operation(request).to_owned(),
            subresource: request.target.subresource.clone(),
            api_version: request.target.api_version(),
            time: kept.unwrap_or_else(now),
            fields,
        });
    }

    pub(crate) fn write(&self) -> Value {
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
            entry
        };
        self.0.iter().map(entry).collect()
    }
}

impl Owner {
    fn is(&self, request: &Request) -> bool {
        self.manager == request.manager()
            && self.operation == operation(request)
            && self.subresource == request.target.subresource
    }
}

fn operation(request: &Request) -> &'static str {
    if request.content_type == APPLY {
        "Apply"
    } else {
        "Update"
    }
}

/// Returns the part of a set that this request can own.
pub(crate) fn writable(set: Fields, request: &Request) -> Answer<Fields> {
    let set = UNOWNED.iter().fold(set, |set, path| set.without(path));
    Ok(match request.target.subresource.as_str() {
        "status" => set.only("f:status"),
        _ if request.target.version()?.status => set.without(&["f:status"]),
        _ => set,
    })
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
    let new_fields = fields::of(&shape, object);
    let changed = match old {
        None => new_fields.clone(),
        Some(old) => new_fields.filter(&|path, inner| {
            let (before, after) = (fields::value(old, path), fields::value(object, path));
            if inner {
                before.is_none()
            } else {
                before != after
            }
        }),
    };
    let Ok(changed) = writable(changed, request) else {
        return;
    };
    let mut owners = old.map(read).unwrap_or_default();
    // Removed fields lose their owner, changed ones get a new owner.
    for owner in &mut owners.0 {
        owner.fields = owner.fields.intersection(&new_fields);
        if !owner.is(request) {
            owner.fields = owner.fields.difference(&changed);
        }
    }
    let own = owners
        .0
        .iter()
        .find(|owner| owner.is(request))
        .map(|owner| owner.fields.clone())
        .unwrap_or_default();
    owners.set(request, own.union(&changed));
    section(object, "metadata").insert("managedFields".to_owned(), owners.write());
}

/// Removes the times, which alone do not count as a change.
pub(crate) fn without_times(object: &mut Value) {
    if let Some(Value::Array(entries)) = section(object, "metadata").get_mut("managedFields") {
        for entry in entries {
            map(entry).remove("time");
        }
    }
}
