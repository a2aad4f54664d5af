//! What the timeline of a failure shows besides requests and events: where the caches of the operator are behind the server, and what a write
//! changes.

use std::collections::{BTreeMap, BTreeSet};

use kube_codegen_testing::ApiServer;
use serde_json::Value;

use super::World;
use crate::{
    request::Seen,
    state::{Mask, State, comparable, differences, id, is_ignored, text},
    timeline::{Effect, Happening, Lag, Lagging, Lags},
};

/// Differences between cache and server in one line of the timeline.
const SHOWN: usize = 3;

/// The kind of objects in lists and watches of metadata alone, as kube's `Controller` watches children.
const METADATA: &str = "PartialObjectMetadata";

/// What one process has got from its lists and watches.
#[derive(Debug, Default)]
pub(super) struct View {
    /// The kinds of which all objects are watched.
    kinds: BTreeSet<String>,
    /// The resources of which some objects are watched.
    selected: BTreeSet<String>,
    /// The kind of a resource that was listed.
    listed: BTreeMap<String, String>,
    /// uid and resource version by kind and place.
    objects: BTreeMap<(String, String), (String, String)>,
}

fn place(object: &Value) -> String {
    let (namespace, name) = (
        text(object, "/metadata/namespace"),
        text(object, "/metadata/name"),
    );
    let slash = if namespace.is_empty() { "" } else { "/" };
    format!("{namespace}{slash}{name}")
}

fn version(object: &Value) -> (String, String) {
    let (uid, version) = (
        text(object, "/metadata/uid"),
        text(object, "/metadata/resourceVersion"),
    );
    (uid.to_owned(), version.to_owned())
}

impl View {
    /// Returns the kind of an object, also of one that is watched as metadata alone.
    fn kind(&self, server: &ApiServer, object: &Value) -> Option<String> {
        let kind = text(object, "/kind");
        if kind != METADATA {
            return Some(kind.to_owned());
        }
        let uid = text(object, "/metadata/uid");
        let mut known = self.objects.iter().filter(|(_, version)| version.0 == uid);
        let known = known.next().map(|((kind, _), _)| kind.clone());
        let stored = || {
            let kinds = server.filter_map(|stored| {
                let is_same = text(stored, "/metadata/uid") == uid;
                is_same.then(|| text(stored, "/kind").to_owned())
            });
            kinds.into_iter().next()
        };
        known.or_else(stored)
    }

    fn list(&mut self, server: &ApiServer, resource: &str, list: &Value) {
        let items = list.get("items").and_then(Value::as_array);
        let items: Vec<&Value> = items.into_iter().flatten().collect();
        let kind = match text(list, "/kind").trim_end_matches("List") {
            METADATA => items.first().and_then(|item| {
                let mut item = (*item).clone();
                item["kind"] = METADATA.into();
                self.kind(server, &item)
            }),
            kind => Some(kind.to_owned()),
        };
        let Some(kind) = kind else { return };
        self.listed.insert(resource.to_owned(), kind.clone());
        self.objects.retain(|(of, _), _| *of != kind);
        for item in items {
            self.objects
                .insert((kind.clone(), place(item)), version(item));
        }
    }

    /// A list that no watch follows is not a cache.
    fn watch(&mut self, seen: &Seen) {
        let resource = seen.resource.clone();
        let kind = self.listed.get(&resource);
        if seen.is_selective() {
            if let Some(kind) = kind {
                self.kinds.remove(kind);
            }
            self.selected.insert(resource);
        } else if let Some(kind) = kind {
            self.kinds.insert(kind.clone());
        }
    }

    fn event(&mut self, server: &ApiServer, resource: &str, event: &Value) {
        let object = &event["object"];
        let Some(kind) = self.kind(server, object) else {
            return;
        };
        match text(event, "/type") {
            "ADDED" | "MODIFIED" => {
                self.objects
                    .insert((kind.clone(), place(object)), version(object));
            }
            "DELETED" => {
                self.objects.remove(&(kind.clone(), place(object)));
            }
            "BOOKMARK" => {}
            _ => return,
        }
        if !self.selected.contains(resource) {
            self.kinds.insert(kind);
        }
    }

    /// Returns how the cache differs from the objects of the server.
    fn behind(&self, objects: &[Value]) -> Vec<Lag> {
        let mut found = Vec::new();
        let mut living = BTreeSet::new();
        for object in objects {
            let (kind, place) = (text(object, "/kind").to_owned(), place(object));
            if is_ignored(&kind) || !self.kinds.contains(&kind) {
                continue;
            }
            let (uid, newest) = version(object);
            let how = match self.objects.get(&(kind.clone(), place.clone())) {
                None => Some(Lagging::Lacks),
                Some((cached, _)) if *cached != uid => Some(Lagging::Former),
                Some((_, shown)) if *shown != newest => {
                    let shown = shown.clone();
                    Some(Lagging::Older { shown, newest })
                }
                Some(_) => None,
            };
            living.insert((kind.clone(), place.clone()));
            found.extend(how.map(|how| Lag { kind, place, how }));
        }
        for (kind, place) in self.objects.keys() {
            let is_watched = self.kinds.contains(kind) && !is_ignored(kind);
            if is_watched && !living.contains(&(kind.clone(), place.clone())) {
                let (kind, place) = (kind.clone(), place.clone());
                let how = Lagging::Gone;
                found.push(Lag { kind, place, how });
            }
        }
        found
    }
}

impl Seen {
    /// Returns what a write has changed, without the values.
    pub(super) fn changes(&self, status: u16, effect: bool, answer: &[u8]) -> Effect {
        if status != 200 || self.verb == "delete" {
            return Effect::Unknown;
        }
        let after: Value = serde_json::from_slice(answer).unwrap_or_default();
        let is_same = |it: &&Value| version(it).0 == version(&after).0;
        let Some(before) = self.before.iter().find(is_same) else {
            return Effect::Unknown;
        };
        if !effect {
            return Effect::None;
        }
        let of = |object: &Value| State::from([(String::new(), comparable(object))]);
        let found = differences(&of(before), &of(&after), &Mask::new());
        let mut fields: Vec<String> = found.into_iter().map(|it| it.path).collect();
        // Whether an object can go matters more than the rest of it.
        fields.sort_by_key(|field| !field.starts_with("metadata.finalizers"));
        let more = fields.len().saturating_sub(SHOWN);
        fields.truncate(SHOWN);
        if fields.is_empty() {
            return Effect::Unknown;
        }
        Effect::Changes(fields, more)
    }
}

impl World {
    /// Returns the owner of an object that was written, if it is being deleted.
    pub(super) fn deleted_owner(&self, status: u16, answer: &[u8]) -> Option<String> {
        if !self.detailed || !matches!(status, 200 | 201) {
            return None;
        }
        let object: Value = serde_json::from_slice(answer).unwrap_or_default();
        let owners = object.pointer("/metadata/ownerReferences")?.as_array()?;
        let is_owner = |other: &Value| {
            let uid = text(other, "/metadata/uid");
            other.pointer("/metadata/deletionTimestamp")?;
            let is_it = owners.iter().any(|owner| text(owner, "/uid") == uid);
            is_it.then(|| id(other))
        };
        self.server.filter_map(is_owner).into_iter().next()
    }

    /// Notes what a list of the operator has returned.
    pub(crate) fn listed(&self, replica: usize, seen: &Seen, answer: &[u8]) {
        if self.detailed && !seen.is_selective() {
            let list: Value = serde_json::from_slice(answer).unwrap_or_default();
            let view = &mut self.replicas.lock()[replica].view;
            view.list(&self.server, &seen.resource, &list);
        }
    }

    /// Notes that the operator watches a resource.
    pub(crate) fn watches(&self, replica: usize, seen: &Seen) {
        if self.setup.demands.is_of_user(&seen.group, &seen.resource) {
            self.history.lock().watched.insert(seen.namespace.clone());
        }
        if self.detailed {
            self.replicas.lock()[replica].view.watch(seen);
        }
    }

    /// Notes what a watch of the operator has shown.
    pub(crate) fn watched(&self, replica: usize, resource: &str, line: &[u8]) {
        if self.detailed {
            let event: Value = serde_json::from_slice(line).unwrap_or_default();
            let view = &mut self.replicas.lock()[replica].view;
            view.event(&self.server, resource, &event);
        }
    }

    /// Shows where the caches of the operator are behind the server, just before it writes, and returns the objects of the server; none without
    /// details.
    pub(crate) fn show_view(&self, replica: usize) -> Vec<Value> {
        if !self.detailed {
            return Vec::new();
        }
        let objects = self.server.objects();
        let behind = self.replicas.lock()[replica].view.behind(&objects);
        if behind.is_empty() {
            return objects;
        }
        let more = behind.len().saturating_sub(SHOWN);
        self.log(|| {
            let shown = behind.into_iter().take(SHOWN).collect();
            Happening::Cache(self.name(replica), Lags { shown, more })
        });
        objects
    }
}
