//! What the caches of the operator can know: shown in the timeline of a failure, where they are behind the server.

use std::collections::{BTreeMap, BTreeSet};

use kube_codegen_testing::ApiServer;
use serde_json::Value;

use super::World;
use crate::state::{is_ignored, text};

/// Differences between cache and server in one line of the timeline.
const SHOWN: usize = 3;

/// The kind of objects in lists and watches of metadata alone, as kube's `Controller` watches children.
const METADATA: &str = "PartialObjectMetadata";

/// What one process has got from its lists and watches.
#[derive(Debug, Default)]
pub(super) struct View {
    kinds: BTreeSet<String>,
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

    fn list(&mut self, server: &ApiServer, list: &Value) {
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
        self.kinds.insert(kind.clone());
        self.objects.retain(|(of, _), _| *of != kind);
        for item in items {
            self.objects
                .insert((kind.clone(), place(item)), version(item));
        }
    }

    fn event(&mut self, server: &ApiServer, event: &Value) {
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
        self.kinds.insert(kind);
    }

    /// Describes how the cache differs from the objects of the server.
    fn behind(&self, objects: &[Value]) -> Vec<String> {
        let mut found = Vec::new();
        let mut living = BTreeSet::new();
        for object in objects {
            let (kind, place) = (text(object, "/kind"), place(object));
            if is_ignored(kind) || !self.kinds.contains(kind) {
                continue;
            }
            let (uid, newest) = version(object);
            match self.objects.get(&(kind.to_owned(), place.clone())) {
                None => found.push(format!("lacks {kind} {place}")),
                Some((cached, _)) if *cached != uid => found.push(format!(
                    "shows the former {kind} {place}, which was deleted and created again"
                )),
                Some((_, version)) if *version != newest => found.push(format!(
                    "shows an older {kind} {place} (resourceVersion {version}, now {newest})"
                )),
                Some(_) => {}
            }
            living.insert((kind.to_owned(), place));
        }
        for (kind, place) in self.objects.keys() {
            if !is_ignored(kind) && !living.contains(&(kind.clone(), place.clone())) {
                found.push(format!("still shows {kind} {place}, which is deleted"));
            }
        }
        found
    }
}

impl World {
    /// Notes what a list of the operator has returned.
    pub(crate) fn listed(&self, replica: usize, answer: &[u8]) {
        if self.detailed {
            let list: Value = serde_json::from_slice(answer).unwrap_or_default();
            let mut inner = self.lock();
            inner.replicas[replica].view.list(&self.server, &list);
        }
    }

    /// Notes what a watch of the operator has shown.
    pub(crate) fn watched(&self, replica: usize, line: &[u8]) {
        if self.detailed {
            let event: Value = serde_json::from_slice(line).unwrap_or_default();
            let mut inner = self.lock();
            inner.replicas[replica].view.event(&self.server, &event);
        }
    }

    /// Shows where the caches of the operator are behind the server, just before it writes.
    pub(crate) fn show_view(&self, replica: usize) {
        if !self.detailed {
            return;
        }
        let objects = self.server.objects();
        let behind = self.lock().replicas[replica].view.behind(&objects);
        if behind.is_empty() {
            return;
        }
        let more = behind.len().saturating_sub(SHOWN);
        let mut text = behind[..behind.len().min(SHOWN)].join("; ");
        if more > 0 {
            text = format!("{text}; and {more} more");
        }
        self.log("  its cache", || text);
    }
}
