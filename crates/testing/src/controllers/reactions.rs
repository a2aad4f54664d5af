//! What follows at once from a change of an object: definitions are served and emptied, and with controllers, namespaces filled and emptied, garbage collected.

use std::sync::Arc;

use serde_json::Value;

use super::{definitions, garbage, migrations, namespaces};
use crate::{
    handlers::removal::{is_ending, remove},
    kinds::{
        kind::Kind,
        store::{Reactions, Store},
    },
    values::object,
};

/// The controllers that have no delay.
#[derive(Debug)]
pub(crate) struct Immediate;

impl Reactions for Immediate {
    fn created(&self, store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
        definitions::register(store, kind, object);
        if store.namespaces && kind.is_namespace() {
            namespaces::created(store, object::name(object));
        }
        garbage::examine(store, kind, object);
        migrations::run(store, kind, object);
    }

    fn updated(&self, store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
        definitions::register(store, kind, object);
        garbage::updated(store, kind, object);
    }

    fn terminated(&self, store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
        definitions::empty(store, kind, object);
        if kind.is_namespace() {
            namespaces::empty(store, object::name(object));
            namespaces::finish(store, object::name(object));
        }
    }

    fn removed(&self, store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
        if kind.is_namespace() {
            namespaces::empty(store, object::name(object));
        }
        definitions::unregister(store, kind, object);
        garbage::removed(store, object);
        definitions::finish(store, kind);
        namespaces::finish(store, object::namespace(object));
        garbage::release_owners(store, object);
    }
}

/// What kube-apiserver does without kube-controller-manager: it serves definitions, and removes a deleted object that has no finalizers.
#[derive(Debug)]
pub(crate) struct Alone;

impl Reactions for Alone {
    fn created(&self, store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
        definitions::register(store, kind, object);
    }

    fn updated(&self, store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
        definitions::register(store, kind, object);
        // Who asks for `finalize` of a namespace removes the finalizers of its spec.
        let is_held = kind.is_namespace() && !object::list(object, "/spec/finalizers").is_empty();
        let has_finalizers = !object::list(object, "/metadata/finalizers").is_empty();
        if object::deleting(object) && !has_finalizers && !is_held && !is_ending(store, object) {
            remove(store, kind, object);
        }
    }

    fn terminated(&self, store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
        definitions::empty(store, kind, object);
    }

    fn removed(&self, store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
        definitions::unregister(store, kind, object);
        definitions::finish(store, kind);
    }
}

/// Starts the controllers that have no delay, which handle what has waited for them, or stops them.
pub(crate) fn collect(store: &mut Store, is_on: bool) {
    store.reactions = if is_on { &Immediate } else { &Alone };
    if is_on {
        garbage::catch_up(store);
    }
}
