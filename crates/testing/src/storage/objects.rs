//! Objects by their places, their revisions, and the changes that watches read.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::Arc,
};

use serde_json::Value;

use crate::{
    storage::Stored,
    values::object::{self, put, section},
};

/// Namespace (empty for cluster-scoped kinds) and name.
type Key = (String, String);

/// Group and plural of a collection.
pub(crate) type GroupResource = (String, String);

/// One change of an object.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) revision: u64,
    pub(crate) old: Option<Arc<Value>>,
    /// `None` if the object was deleted.
    pub(crate) new: Option<Arc<Value>>,
}

/// All objects of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collection {
    objects: BTreeMap<Key, Stored>,
    history: VecDeque<Change>,
    /// The newest revision that is no longer in the history.
    trimmed: u64,
    /// The revision of the last compaction.
    compacted: u64,
}

impl Collection {
    /// Returns the oldest revision that a watch can start from.
    pub(crate) fn oldest(&self) -> u64 {
        self.trimmed.max(self.compacted)
    }

    /// Returns the revision of the last change.
    pub(crate) fn newest(&self) -> u64 {
        let last = self.history.back();
        last.map_or(self.trimmed, |change| change.revision)
    }

    /// Returns the changes after `revision` for an open watch. The error is the oldest revision that is still available.
    pub(crate) fn since(&self, revision: u64) -> Result<impl Iterator<Item = &Change>, u64> {
        if revision < self.trimmed {
            return Err(self.trimmed);
        }
        let start = self
            .history
            .partition_point(|change| change.revision <= revision);
        Ok(self.history.range(start..))
    }

    /// Returns the objects of a namespace, or of all if it is empty, sorted by namespace and name.
    pub(crate) fn inside(&self, namespace: &str) -> impl Iterator<Item = &Stored> {
        let start = (namespace.to_owned(), String::new());
        let objects = self.objects.range(start..);
        objects
            .take_while(move |(key, _)| namespace.is_empty() || key.0 == namespace)
            .map(|(_, object)| object)
    }

    fn remember(&mut self, change: Change, window: usize) {
        self.history.push_back(change);
        while self.history.len() > window
            && let Some(change) = self.history.pop_front()
        {
            self.trimmed = change.revision;
            if self.objects.len() > PARSED
                && let Some(new) = &change.new
                && let Some(stored) = self.objects.get_mut(&key(new))
            {
                stored.pack(new);
            }
        }
    }
}

fn key(object: &Value) -> Key {
    (
        object::namespace(object).to_owned(),
        object::name(object).to_owned(),
    )
}

/// The result of a paged list.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(crate) revision: u64,
    pub(crate) objects: Arc<[Stored]>,
}

/// Everything that is stored.
#[derive(Clone, Debug)]
pub(crate) struct Objects {
    revision: u64,
    collections: BTreeMap<GroupResource, Collection>,
    /// The objects that name an owner, by its uid.
    dependents: HashMap<String, BTreeSet<(GroupResource, Key)>>,
    snapshots: BTreeMap<u64, Snapshot>,
    window: usize,
    counter: u64,
}

/// How many paged lists are kept; the oldest expires first.
const OPEN_LISTS: usize = 64;
/// A collection of more objects packs those whose last change has left the history.
const PARSED: usize = 10_000;

impl Objects {
    pub(crate) fn new(window: usize) -> Self {
        Self {
            revision: 1,
            dependents: HashMap::new(),
            collections: BTreeMap::new(),
            snapshots: BTreeMap::new(),
            window,
            counter: 0,
        }
    }

    /// Returns the newest revision.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    pub(crate) fn set_window(&mut self, window: usize) {
        self.window = window;
    }

    /// Returns a number that this server has not used before.
    pub(crate) fn unique(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }

    pub(crate) fn collection(&mut self, group_resource: GroupResource) -> &mut Collection {
        self.collections.entry(group_resource).or_default()
    }

    pub(crate) fn get(
        &self,
        group_resource: &GroupResource,
        namespace: &str,
        name: &str,
    ) -> Option<Arc<Value>> {
        let collection = self.collections.get(group_resource)?;
        collection
            .objects
            .get(&(namespace.to_owned(), name.to_owned()))
            .map(Stored::value)
    }

    /// Returns the objects of a namespace, or of all if it is empty, sorted by namespace and name.
    pub(crate) fn stored<'s>(
        &'s self,
        group_resource: &GroupResource,
        namespace: &'s str,
    ) -> impl Iterator<Item = &'s Stored> + use<'s> {
        self.collections
            .get(group_resource)
            .into_iter()
            .flat_map(move |collection| collection.inside(namespace))
    }

    /// Returns the objects as they were at a revision; the error is the oldest revision that is still known.
    pub(crate) fn at(
        &self,
        group_resource: &GroupResource,
        namespace: &str,
        revision: u64,
    ) -> Result<Vec<Stored>, u64> {
        let Some(collection) = self.collections.get(group_resource) else {
            return Ok(Vec::new());
        };
        if revision < collection.oldest() {
            return Err(collection.oldest());
        }
        let mut objects = collection.objects.clone();
        for change in collection.history.iter().rev() {
            if change.revision <= revision {
                break;
            }
            if let Some(old) = &change.old {
                objects.insert(key(old), Stored::Parsed(old.clone()));
            } else if let Some(new) = &change.new {
                objects.remove(&key(new));
            }
        }
        let objects = objects.into_iter();
        let objects = objects.filter(|(key, _)| namespace.is_empty() || key.0 == namespace);
        Ok(objects.map(|(_, object)| object).collect())
    }

    /// Returns all collections, sorted by group and plural.
    pub(crate) fn collections(&self) -> impl Iterator<Item = (&GroupResource, &Collection)> {
        self.collections.iter()
    }

    /// Returns the objects that name the owner with this uid, in the order of [`Self::collections`].
    pub(crate) fn dependents(
        &self,
        uid: &str,
    ) -> impl Iterator<Item = (&GroupResource, Arc<Value>)> {
        let places = self.dependents.get(uid).into_iter().flatten();
        places.filter_map(|(group_resource, key)| {
            let collection = self.collections.get(group_resource)?;
            Some((group_resource, collection.objects.get(key)?.value()))
        })
    }

    /// Replaces the owners `old` of an object by `new` in the index of dependents.
    fn index(&mut self, group_resource: &GroupResource, old: Option<&Value>, new: Option<&Value>) {
        let owners = |object: Option<&Value>| -> Vec<String> {
            object
                .map(|object| object::list(object, "/metadata/ownerReferences"))
                .unwrap_or_default()
                .iter()
                .map(|owner| object::text(owner, "/uid").to_owned())
                .collect()
        };
        let (before, after) = (owners(old), owners(new));
        let Some(object) = new.or(old).filter(|_| before != after) else {
            return;
        };
        let dependent = (group_resource.clone(), key(object));
        for uid in before {
            if let Some(places) = self.dependents.get_mut(&uid) {
                places.remove(&dependent);
                if places.is_empty() {
                    self.dependents.remove(&uid);
                }
            }
        }
        for uid in after {
            let dependents = self.dependents.entry(uid).or_default();
            dependents.insert(dependent.clone());
        }
    }

    /// Stores an object as the newest revision and returns it with that `resourceVersion`.
    pub(crate) fn write(&mut self, group_resource: GroupResource, mut object: Value) -> Arc<Value> {
        self.revision += 1;
        let revision = self.revision;
        section(&mut object, "metadata")
            .insert("resourceVersion".to_owned(), revision.to_string().into());
        let object = Arc::new(object);
        let stored = Stored::Parsed(object.clone());
        let old = self
            .collection(group_resource.clone())
            .objects
            .insert(key(&object), stored);
        let old = old.map(|old| old.value());
        self.index(&group_resource, old.as_deref(), Some(&object));
        let change = Change {
            revision,
            old,
            new: Some(object.clone()),
        };
        self.remember(group_resource, change);
        object
    }

    /// Removes an object and returns its last state, with the revision of the deletion.
    pub(crate) fn remove(
        &mut self,
        group_resource: GroupResource,
        namespace: &str,
        name: &str,
    ) -> Option<Arc<Value>> {
        let collection = self.collections.get_mut(&group_resource)?;
        let key = (namespace.to_owned(), name.to_owned());
        let old = collection.objects.remove(&key)?.value();
        self.index(&group_resource, Some(&old), None);
        self.revision += 1;
        let revision = self.revision;
        let mut last = Value::clone(&old);
        put(
            &mut last,
            "/metadata/resourceVersion",
            revision.to_string().into(),
        );
        let change = Change {
            revision,
            old: Some(old),
            new: None,
        };
        self.remember(group_resource, change);
        Some(Arc::new(last))
    }

    fn remember(&mut self, group_resource: GroupResource, change: Change) {
        let window = self.window;
        self.collection(group_resource).remember(change, window);
    }

    /// Compacts the history of all collections, also of those that are empty so far: no watch starts at an older revision, paged
    /// lists expire, open watches continue.
    pub(crate) fn compact(&mut self, places: impl Iterator<Item = GroupResource>) {
        self.snapshots.clear();
        // A new revision, so that a watch from the newest change expires too.
        self.revision += 1;
        for group_resource in places {
            self.collections.entry(group_resource).or_default();
        }
        for collection in self.collections.values_mut() {
            collection.compacted = self.revision;
        }
    }

    pub(crate) fn open_list(&mut self, snapshot: Snapshot) -> u64 {
        let id = self.unique();
        self.snapshots.insert(id, snapshot);
        while self.snapshots.len() > OPEN_LISTS {
            self.snapshots.pop_first();
        }
        id
    }

    /// Lets a paged list expire, and returns whether it was open.
    pub(crate) fn expire_list(&mut self, id: u64) -> bool {
        self.snapshots.remove(&id).is_some()
    }

    pub(crate) fn snapshot(&self, id: u64) -> Option<Snapshot> {
        self.snapshots.get(&id).cloned()
    }
}
