//! The state of a server: the kinds that it serves, their objects, and who waits for changes.

use std::{
    collections::BTreeSet,
    fmt,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use serde_json::Value;

use crate::{
    kinds::{
        builtin,
        conversions::Conversions,
        events,
        kind::{Kind, Kinds},
        uids::Uids,
    },
    storage::{Changes, Collection, GroupResource, Objects, Snapshot, Stored},
    values::object,
    webhooks::Webhooks,
};

/// What follows at once from a change of an object. The controllers give it to the store, and the handlers call it.
pub(crate) trait Reactions: fmt::Debug + Sync {
    /// An object has been created.
    fn created(&self, store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>);
    /// An object has a new state. That of a deleted one without finalizers may not be stored.
    fn updated(&self, store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>);
    /// An object that has others, a namespace or a definition, has been marked as deleted.
    fn terminated(&self, store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>);
    /// An object has been removed; this was its last state.
    fn removed(&self, store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>);
}

/// The kinds that a server serves, and their objects.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // They are independent.
pub(crate) struct Store {
    pub(crate) kinds: Kinds,
    objects: Objects,
    uids: Uids,
    pub(crate) reactions: &'static dyn Reactions,
    pub(crate) webhooks: Webhooks,
    pub(crate) conversions: Conversions,
    /// Whether users may do only what roles allow.
    pub(crate) authorization: bool,
    /// Whether namespaces have a life cycle: they exist at the start, and objects need one.
    pub(crate) namespaces: bool,
    /// Whether namespaces have their account, which Pods need.
    pub(crate) accounts: bool,
    /// Whether a scheduled Pod that is deleted stays until its grace period is over.
    pub(crate) kubelets: bool,
    /// Whether lists and watches have a `shardSelector`.
    pub(crate) shards: bool,
    /// The uids of objects that are stored with blank metadata, which the next write removes.
    pub(crate) blanks: BTreeSet<String>,
    /// The certificate authority that `kube-root-ca.crt` of each namespace holds.
    pub(crate) authority: String,
}

fn group_resource(kind: &Kind) -> GroupResource {
    (events::stored_group(kind).to_owned(), kind.plural.clone())
}

impl Store {
    /// Creates a store of the built-in kinds that keeps a number of changes of each.
    pub(crate) fn new(window: usize, reactions: &'static dyn Reactions) -> Self {
        Self {
            kinds: builtin::kinds().into_iter().collect(),
            objects: Objects::new(window),
            uids: Uids::default(),
            reactions,
            authorization: false,
            namespaces: false,
            accounts: true,
            kubelets: false,
            shards: false,
            webhooks: Webhooks::default(),
            conversions: Conversions::default(),
            blanks: BTreeSet::new(),
            authority: String::new(),
        }
    }

    /// Returns the newest revision.
    pub(crate) fn revision(&self) -> u64 {
        self.objects.revision()
    }

    pub(crate) fn set_window(&mut self, window: usize) {
        self.objects.set_window(window);
    }

    /// Returns a number that this server has not used before.
    pub(crate) fn unique(&mut self) -> u64 {
        self.objects.unique()
    }

    /// Makes the uids and generated names of new objects follow from a number, and from their names and prefixes.
    pub(crate) fn set_seed(&mut self, seed: u64) {
        self.uids = Uids::seeded(seed);
    }

    /// Returns the uid of a new object.
    pub(crate) fn uid(&mut self, kind: &Kind, namespace: &str, name: &str) -> String {
        let number = self.unique();
        self.uids.next(number, kind, namespace, name)
    }

    /// Returns a name with a prefix that no object of the kind has.
    pub(crate) fn free_name(&mut self, kind: &Kind, namespace: &str, prefix: &str) -> String {
        loop {
            let number = self.unique();
            let name = self.uids.name(number, kind, namespace, prefix);
            if self.get(kind, namespace, &name).is_none() {
                return name;
            }
        }
    }

    pub(crate) fn collection(&mut self, kind: &Kind) -> &mut Collection {
        self.objects.collection(group_resource(kind))
    }

    pub(crate) fn get(&self, kind: &Kind, namespace: &str, name: &str) -> Option<Arc<Value>> {
        self.objects.get(&group_resource(kind), namespace, name)
    }

    /// Returns the object of a built-in kind.
    pub(crate) fn find(
        &self,
        api_version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
    ) -> Option<Arc<Value>> {
        self.get(self.kinds.named(api_version, kind)?, namespace, name)
    }

    /// Returns the objects of a namespace, or of all if it is empty, sorted by namespace and name.
    pub(crate) fn list(&self, kind: &Kind, namespace: &str) -> Vec<Arc<Value>> {
        self.stored(kind, namespace).map(Stored::value).collect()
    }

    /// As [`Self::list`], without parsing the objects.
    pub(crate) fn stored<'s>(
        &'s self,
        kind: &Kind,
        namespace: &'s str,
    ) -> impl Iterator<Item = &'s Stored> + use<'s> {
        self.objects.stored(&group_resource(kind), namespace)
    }

    /// Returns the objects as they were at a revision; the error is the oldest revision that is still known.
    pub(crate) fn at(
        &self,
        kind: &Kind,
        namespace: &str,
        revision: u64,
    ) -> Result<Vec<Stored>, u64> {
        self.objects.at(&group_resource(kind), namespace, revision)
    }

    /// Returns every object with its kind.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&Arc<Kind>, Arc<Value>)> {
        self.inside("")
    }

    /// Returns the objects of a namespace with their kinds.
    pub(crate) fn inside(&self, namespace: &str) -> impl Iterator<Item = (&Arc<Kind>, Arc<Value>)> {
        self.objects
            .collections()
            .filter_map(|((group, plural), collection)| {
                Some((self.kinds.get(group, plural)?, collection))
            })
            .flat_map(move |(kind, collection)| {
                collection
                    .inside(namespace)
                    .map(move |object| (kind, object.value()))
            })
    }

    /// Returns the kinds whose objects have changed since a revision. A kind that is no longer served is left out.
    pub(crate) fn changed_since(&self, revision: u64) -> impl Iterator<Item = &Arc<Kind>> {
        let collections = self.objects.collections();
        let changed = collections.filter(move |(_, collection)| collection.newest() > revision);
        changed.filter_map(|((group, plural), _)| self.kinds.get(group, plural))
    }

    /// Returns the objects that name the owner with this uid, in the order of [`Self::all`].
    pub(crate) fn dependents(&self, uid: &str) -> Vec<(Arc<Kind>, Arc<Value>)> {
        self.objects
            .dependents(uid)
            .filter_map(|((group, plural), object)| {
                Some((self.kinds.get(group, plural)?.clone(), object))
            })
            .collect()
    }

    /// Stores an object as the newest revision and returns it with that `resourceVersion`.
    pub(crate) fn write(&mut self, kind: &Kind, mut object: Value) -> Arc<Value> {
        events::store(kind, &mut object);
        if !self.blanks.is_empty() {
            self.blanks.remove(object::uid(&object));
        }
        self.objects.write(group_resource(kind), object)
    }

    /// Removes an object and returns its last state, with the revision of the deletion.
    pub(crate) fn remove(
        &mut self,
        kind: &Kind,
        namespace: &str,
        name: &str,
    ) -> Option<Arc<Value>> {
        self.objects.remove(group_resource(kind), namespace, name)
    }

    /// Compacts the history: no watch starts at an older revision, paged lists expire, open watches continue.
    pub(crate) fn compact(&mut self) {
        self.objects
            .compact(self.kinds.iter().map(|kind| group_resource(kind)));
    }

    pub(crate) fn open_list(&mut self, snapshot: Snapshot) -> u64 {
        self.objects.open_list(snapshot)
    }

    /// Lets a paged list expire, and returns whether it was open.
    pub(crate) fn expire_list(&mut self, id: u64) -> bool {
        self.objects.expire_list(id)
    }

    pub(crate) fn snapshot(&self, id: u64) -> Option<Snapshot> {
        self.objects.snapshot(id)
    }
}

/// What the execution of requests needs: the store, who waits for its changes, and where webhooks are called.
#[derive(Debug)]
pub(crate) struct Backend {
    pub(crate) store: Mutex<Store>,
    /// Wakes those who wait for changes.
    pub(crate) changes: Changes,
    /// Where webhooks are called that are configured by their Service.
    pub(crate) webhooks: Mutex<SocketAddr>,
}

impl Backend {
    pub(crate) fn new(store: Store) -> Self {
        Self {
            store: Mutex::new(store),
            changes: Changes::default(),
            // The port of controller-runtime.
            webhooks: Mutex::new(SocketAddr::from(([127, 0, 0, 1], 9443))),
        }
    }
}

impl Drop for Backend {
    fn drop(&mut self) {
        self.changes.wake();
    }
}
