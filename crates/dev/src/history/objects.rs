//! The objects of a run, with their versions.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::Arc,
};

use serde_json::{Value, json};

/// How many bytes of versions are kept, besides the newest of each object.
const BYTES: usize = 128 * 1024 * 1024;
/// How many versions are kept, besides the newest of each object.
const REPLACED: usize = 50_000;
/// How many versions of one object are kept.
const VERSIONS: usize = 200;

/// What a watch has reported of an object.
pub(crate) struct Change {
    /// The path of the group and version, such as `/apis/apps/v1`.
    pub(crate) root: String,
    pub(crate) plural: String,
    /// Where its kind is shown among the others.
    pub(crate) rank: usize,
    /// Whether it has a custom kind.
    pub(crate) custom: bool,
    pub(crate) object: Value,
    pub(crate) columns: Vec<String>,
    pub(crate) cells: Vec<String>,
    pub(crate) deleted: bool,
}

/// A version of an object.
#[derive(Clone)]
pub(crate) struct Version {
    /// Microseconds since the start.
    pub(crate) at: u64,
    pub(crate) text: Arc<str>,
}

/// An object with its versions, from the oldest to the newest.
#[allow(clippy::struct_field_names)]
pub(crate) struct Versions {
    pub(crate) root: String,
    pub(crate) plural: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) deleted: bool,
    pub(crate) versions: Vec<Version>,
}

struct Kept {
    root: String,
    plural: String,
    rank: usize,
    custom: bool,
    kind: String,
    namespace: String,
    name: String,
    uid: String,
    owner: String,
    columns: Vec<String>,
    cells: Vec<String>,
    deleted: bool,
    /// The number of the next entry when the object last changed.
    number: u64,
    versions: VecDeque<Version>,
}

/// All objects, by their keys: `PLURAL.GROUP/NAMESPACE/NAME`.
#[derive(Default)]
pub(super) struct Objects {
    kept: BTreeMap<String, Kept>,
    /// The parts of keys before the first slash, by the names of kinds: `Deployment.apps`.
    kinds: HashMap<String, String>,
    /// The keys of all versions but the newest, and of deleted objects, in the order in which that happened.
    replaced: VecDeque<String>,
    bytes: usize,
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Returns `NAME.GROUP`, of which the core group has no part after the name.
fn qualified(name: &str, group: &str) -> String {
    if group.is_empty() {
        name.to_owned()
    } else {
        format!("{name}.{group}")
    }
}

/// Returns the manager whose entry of the managed fields differs from before. Their times are seconds, so that it may be the newest one that
/// has not changed; a deletion has no entry.
fn writer(before: &Value, after: &Value) -> String {
    let managers = |object: &Value| -> Vec<Value> {
        let fields = object["metadata"]["managedFields"].as_array();
        fields.cloned().unwrap_or_default()
    };
    let (old, new) = (managers(before), managers(after));
    let deleted = |object: &Value| object["metadata"]["deletionTimestamp"].is_string();
    let time = |it: &&Value| it["time"].as_str().unwrap_or_default().to_owned();
    let changed = new.iter().find(|it| !old.contains(it));
    let newest = || new.iter().max_by_key(time);
    let entry = changed.or_else(|| if deleted(after) { None } else { newest() });
    let name = entry.and_then(|it| it["manager"].as_str());
    name.unwrap_or_default().to_owned()
}

impl Objects {
    pub(super) fn key(&self, kind: impl AsRef<str>, name: impl AsRef<str>) -> String {
        let kind = kind.as_ref();
        let resource = self.kinds.get(kind).map_or(kind, String::as_str);
        format!("{resource}/{}", name.as_ref())
    }

    /// Stores a change. Returns the key of the object, and what has happened and by whom, unless nothing has.
    pub(super) fn change(
        &mut self,
        change: Change,
        at: u64,
        number: u64,
    ) -> (String, Option<(&'static str, String)>) {
        let object = &change.object;
        let group = change.root.strip_prefix("/apis/").unwrap_or_default();
        let group = group.split('/').next().unwrap_or_default();
        let resource = qualified(&change.plural, group);
        let kind = text(object, "/kind").to_owned();
        let (namespace, name) = (
            text(object, "/metadata/namespace"),
            text(object, "/metadata/name"),
        );
        let path = if namespace.is_empty() {
            name.to_owned()
        } else {
            format!("{namespace}/{name}")
        };
        let key = format!("{resource}/{path}");
        if !kind.is_empty() {
            self.kinds.insert(qualified(&kind, group), resource);
        }
        let mut owners = object["metadata"]["ownerReferences"]
            .as_array()
            .into_iter()
            .flatten();
        let owner = owners
            .clone()
            .find(|it| it["controller"] == true)
            .or_else(|| owners.next());
        let old = self.kept.remove(&key);
        let is_new = old
            .as_ref()
            .is_none_or(|old| old.deleted || old.uid != text(object, "/metadata/uid"));
        let mut versions = old.map(|old| old.versions).unwrap_or_default();
        let version: Arc<str> = object.to_string().into();
        let is_same = versions.back().is_some_and(|last| last.text == version);
        let what = match (change.deleted, is_new, is_same) {
            (true, ..) => Some(("deleted", String::new())),
            (_, true, _) => Some(("created", writer(&Value::Null, object))),
            (_, _, false) => {
                let before = versions.back();
                let before = before.and_then(|it| serde_json::from_str(&it.text).ok());
                Some(("changed", writer(&before.unwrap_or_default(), object)))
            }
            _ => None,
        };
        if !is_same {
            if let Some(last) = versions.back() {
                self.bytes += last.text.len();
                self.replaced.push_back(key.clone());
            }
            versions.push_back(Version { at, text: version });
        }
        let kept = Kept {
            rank: change.rank,
            custom: change.custom,
            kind,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            uid: text(object, "/metadata/uid").to_owned(),
            owner: owner
                .map(|it| text(it, "/uid").to_owned())
                .unwrap_or_default(),
            root: change.root,
            plural: change.plural,
            columns: change.columns,
            cells: change.cells,
            deleted: change.deleted,
            number,
            versions,
        };
        let is_long = kept.versions.len() > VERSIONS;
        self.kept.insert(key.clone(), kept);
        if is_long {
            self.forget(&key);
        }
        if change.deleted {
            self.replaced.push_back(key.clone());
        }
        while (self.bytes > BYTES || self.replaced.len() > REPLACED)
            && let Some(oldest) = self.replaced.pop_front()
        {
            self.forget(&oldest);
        }
        (key, what)
    }

    /// Removes the oldest version of an object, unless it is the newest of an object that exists.
    fn forget(&mut self, key: &str) {
        let Some(kept) = self.kept.get_mut(key) else {
            return;
        };
        if kept.versions.len() > 1
            && let Some(version) = kept.versions.pop_front()
        {
            self.bytes = self.bytes.saturating_sub(version.text.len());
        } else if kept.deleted {
            self.kept.remove(key);
        }
    }

    pub(super) fn versions(&self, key: &str) -> Option<Versions> {
        let kept = self.kept.get(key)?;
        Some(Versions {
            root: kept.root.clone(),
            plural: kept.plural.clone(),
            namespace: kept.namespace.clone(),
            name: kept.name.clone(),
            deleted: kept.deleted,
            versions: kept.versions.iter().cloned().collect(),
        })
    }

    /// Returns the objects that exist.
    pub(super) fn all(&self) -> Vec<Value> {
        let exist = self.kept.values().filter(|it| !it.deleted);
        let newest = exist.filter_map(|it| it.versions.back());
        newest
            .filter_map(|it| serde_json::from_str(&it.text).ok())
            .collect()
    }

    /// Returns the rows of the objects that `wanted` selects, by the key and the number of the last change.
    pub(super) fn rows(&self, wanted: impl Fn(&str, u64) -> bool) -> Vec<Value> {
        let wanted = self
            .kept
            .iter()
            .filter(|(key, kept)| wanted(key, kept.number));
        let rows = wanted.map(|(key, kept)| {
            json!({
                "key": key,
                "kind": kept.kind,
                "rank": kept.rank,
                "custom": kept.custom,
                "namespace": kept.namespace,
                "name": kept.name,
                "uid": kept.uid,
                "owner": kept.owner,
                "columns": kept.columns,
                "cells": kept.cells,
                "deleted": kept.deleted,
                "versions": kept.versions.len(),
            })
        });
        rows.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(name: &str, replicas: u64, deleted: bool) -> Change {
        Change {
            root: "/apis/apps/v1".to_owned(),
            plural: "deployments".to_owned(),
            rank: 0,
            custom: false,
            object: json!({"kind": "Deployment", "metadata": {"name": name, "namespace": "default", "uid": name, "managedFields": [{"manager": "user", "fieldsV1": {}}]}, "spec": {"replicas": replicas}}),
            columns: Vec::new(),
            cells: Vec::new(),
            deleted,
        }
    }

    #[test]
    fn versions_have_a_bound_and_deletions_end_an_object() {
        let mut objects = Objects::default();
        let (key, what) = objects.change(change("a", 1, false), 0, 0);
        assert_eq!(
            (key.as_str(), what),
            (
                "deployments.apps/default/a",
                Some(("created", "user".to_owned()))
            )
        );
        assert_eq!(objects.key("Deployment.apps", "default/a"), key);
        assert_eq!(objects.change(change("a", 1, false), 1, 1).1, None);
        for replicas in 0..300 {
            let (_, what) = objects.change(change("a", 2 + replicas, false), 2, 2);
            assert_eq!(what, Some(("changed", "user".to_owned())));
        }
        let versions = objects.versions(&key).unwrap();
        assert_eq!(versions.versions.len(), VERSIONS);
        assert!(
            versions
                .versions
                .last()
                .unwrap()
                .text
                .contains("\"replicas\":301")
        );
        assert_eq!(
            objects.change(change("a", 301, true), 3, 3).1,
            Some(("deleted", String::new()))
        );
        assert_eq!(objects.all(), Vec::<Value>::new());
        assert_eq!(
            objects.change(change("a", 1, false), 4, 4).1,
            Some(("created", "user".to_owned()))
        );
        assert_eq!(objects.all().len(), 1);
    }
}
