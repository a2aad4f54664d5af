//! `metadata.managedFields`: an object's old and new state in, who owns which field out.
use serde_json::{Value, json};

use super::fields::{self, Fields};
use super::shape::Shape;
use crate::admit::now;
use crate::failure::Answer;
use crate::object::{list, map, section, text};
use crate::patch::APPLY;
use crate::request::Request;

/// Fields that nobody owns.
const NOBODYS: &[&[&str]] = &[
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

/// What one manager owns through one operation.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    pub(super) manager: String,
    operation: String,
    subresource: String,
    api_version: String,
    time: Value,
    pub(super) fields: Fields,
}

/// All owners of an object.
#[derive(Clone, Debug, Default)]
pub(super) struct Owners(Vec<Owner>);

pub(super) fn read(object: &Value) -> Owners {
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
    /// What the manager of this apply owned until now, and all other owners.
    pub(super) fn split(&mut self, request: &Request) -> (Fields, Vec<&mut Owner>) {
        let (own, others): (Vec<_>, Vec<_>) =
            self.0.iter_mut().partition(|owner| owner.is(request));
        (
            own.first()
                .map(|owner| owner.fields.clone())
                .unwrap_or_default(),
            others,
        )
    }

    /// Sets what the request's manager owns through its operation.
    pub(super) fn set(&mut self, request: &Request, fields: Fields) {
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

    pub(super) fn write(&self) -> Value {
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

/// The part of a set that this request can own.
pub(super) fn writable(set: Fields, request: &Request) -> Answer<Fields> {
    let set = NOBODYS.iter().fold(set, |set, path| set.without(path));
    Ok(match request.target.subresource.as_str() {
        "status" => set.only("f:status"),
        _ if request.target.version()?.status => set.without(&["f:status"]),
        _ => set,
    })
}

/// Writes down that the request's manager owns what it changed; an apply has done so itself.
pub(crate) fn track(object: &mut Value, old: Option<&Value>, request: &Request) {
    let Ok(version) = request.target.version() else {
        return;
    };
    if request.content_type == APPLY {
        return;
    }
    let shape = Shape::root(version);
    let now_set = fields::of(&shape, object);
    let changed = match old {
        None => now_set.clone(),
        Some(old) => now_set.filter(&|path, inner| {
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
    // What is gone has no owner, and what was changed has a new one.
    for owner in &mut owners.0 {
        owner.fields = owner.fields.intersection(&now_set);
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

/// Takes the times out, which alone do not make a change.
pub(crate) fn without_times(object: &mut Value) {
    if let Some(Value::Array(entries)) = section(object, "metadata").get_mut("managedFields") {
        for entry in entries {
            map(entry).remove("time");
        }
    }
}
