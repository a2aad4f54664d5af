//! Objects and their changes in, reads at a version out; it never judges whether a write is allowed.
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;

use super::kind::{Kind, Kinds};
use super::object::{self, put, section};

/// Namespace (empty where there is none) and name.
pub(super) type Key = (String, String);

/// One step in the life of an object.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) revision: u64,
    pub(super) old: Option<Arc<Value>>,
    /// None: deleted.
    pub(super) new: Option<Arc<Value>>,
}

/// All objects of one kind, in whatever version.
#[derive(Debug, Default)]
pub(super) struct Collection {
    pub(super) objects: BTreeMap<Key, Arc<Value>>,
    history: VecDeque<Change>,
    /// The newest change that has left the window.
    trimmed: u64,
    /// No watch can start before this revision.
    compacted: u64,
}

impl Collection {
    /// The oldest revision that a watch can start from.
    pub(super) fn oldest(&self) -> u64 {
        self.trimmed.max(self.compacted)
    }

    /// The changes after `revision`, for a watch that runs already; an error says what left the window meanwhile.
    pub(super) fn since(&self, revision: u64) -> Result<impl Iterator<Item = &Change>, u64> {
        if revision < self.trimmed {
            return Err(self.trimmed);
        }
        let start = self
            .history
            .partition_point(|change| change.revision <= revision);
        Ok(self.history.range(start..))
    }
}

/// A list that is being read page by page.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    pub(super) revision: u64,
    pub(super) objects: Arc<[Arc<Value>]>,
}

/// Everything the server stores.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) kinds: Kinds,
    pub(super) revision: u64,
    collections: BTreeMap<(String, String), Collection>,
    snapshots: BTreeMap<u64, Snapshot>,
    window: usize,
    counter: u64,
}

/// Lists that may be open at a time; the oldest expires first.
const OPEN_LISTS: usize = 64;

impl Store {
    pub(super) fn new(window: usize) -> Self {
        Self {
            kinds: Kinds::builtin(),
            revision: 1,
            collections: BTreeMap::new(),
            snapshots: BTreeMap::new(),
            window,
            counter: 0,
        }
    }

    pub(super) fn set_window(&mut self, window: usize) {
        self.window = window;
    }

    /// A number never given before by this server.
    pub(super) fn unique(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }

    pub(super) fn collection(&mut self, kind: &Kind) -> &mut Collection {
        self.collections
            .entry((kind.group.clone(), kind.plural.clone()))
            .or_default()
    }

    pub(super) fn get(&self, kind: &Kind, namespace: &str, name: &str) -> Option<Arc<Value>> {
        let collection = self
            .collections
            .get(&(kind.group.clone(), kind.plural.clone()))?;
        collection
            .objects
            .get(&(namespace.to_owned(), name.to_owned()))
            .cloned()
    }

    /// The objects of a namespace, or of all where it is empty, by namespace and name.
    pub(super) fn list(&self, kind: &Kind, namespace: &str) -> Vec<Arc<Value>> {
        let collection = self
            .collections
            .get(&(kind.group.clone(), kind.plural.clone()));
        let objects = collection
            .into_iter()
            .flat_map(|collection| &collection.objects);
        objects
            .filter(|(key, _)| namespace.is_empty() || key.0 == namespace)
            .map(|(_, object)| object.clone())
            .collect()
    }

    /// Every object with its kind.
    pub(super) fn all(&self) -> impl Iterator<Item = (&Arc<Kind>, &Arc<Value>)> {
        self.collections
            .iter()
            .flat_map(|((group, plural), collection)| {
                let kind = self.kinds.get(group, plural);
                kind.into_iter().flat_map(|kind| {
                    collection
                        .objects
                        .values()
                        .map(move |object| (kind, object))
                })
            })
    }

    /// Stores an object as the newest revision and returns it with that `resourceVersion`.
    pub(super) fn write(&mut self, kind: &Kind, mut object: Value) -> Arc<Value> {
        self.revision += 1;
        let revision = self.revision;
        section(&mut object, "metadata")
            .insert("resourceVersion".to_owned(), revision.to_string().into());
        let key = (
            object::namespace(&object).to_owned(),
            object::name(&object).to_owned(),
        );
        let object = Arc::new(object);
        let old = self.collection(kind).objects.insert(key, object.clone());
        self.remember(
            kind,
            Change {
                revision,
                old,
                new: Some(object.clone()),
            },
        );
        object
    }

    /// Takes an object away; its last state is given out with the revision of the deletion.
    pub(super) fn remove(
        &mut self,
        kind: &Kind,
        namespace: &str,
        name: &str,
    ) -> Option<Arc<Value>> {
        let old = self
            .collection(kind)
            .objects
            .remove(&(namespace.to_owned(), name.to_owned()))?;
        self.revision += 1;
        let revision = self.revision;
        let mut last = Value::clone(&old);
        put(
            &mut last,
            "/metadata/resourceVersion",
            revision.to_string().into(),
        );
        let last = Arc::new(last);
        self.remember(
            kind,
            Change {
                revision,
                old: Some(last.clone()),
                new: None,
            },
        );
        Some(last)
    }

    fn remember(&mut self, kind: &Kind, change: Change) {
        let window = self.window;
        let collection = self.collection(kind);
        collection.history.push_back(change);
        while collection.history.len() > window {
            collection.trimmed = collection
                .history
                .pop_front()
                .map_or(collection.trimmed, |gone| gone.revision);
        }
    }

    /// Forgets the past, as compaction does: no watch starts at an older revision, open lists expire; running watches go on.
    pub(super) fn compact(&mut self) {
        self.snapshots.clear();
        // A revision of its own, so that whoever stands at the newest change is behind too.
        self.revision += 1;
        let revision = self.revision;
        for kind in self.kinds.iter() {
            self.collections
                .entry((kind.group.clone(), kind.plural.clone()))
                .or_default();
        }
        for collection in self.collections.values_mut() {
            collection.compacted = revision;
        }
    }

    pub(super) fn open_list(&mut self, snapshot: Snapshot) -> u64 {
        let id = self.unique();
        self.snapshots.insert(id, snapshot);
        while self.snapshots.len() > OPEN_LISTS {
            self.snapshots.pop_first();
        }
        id
    }

    pub(super) fn snapshot(&self, id: u64) -> Option<Snapshot> {
        self.snapshots.get(&id).cloned()
    }
}
