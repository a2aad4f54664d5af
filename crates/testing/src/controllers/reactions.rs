//! What follows at once from a change of an object: definitions are served, namespaces filled and emptied, garbage collected.

use std::sync::Arc;

use serde_json::Value;

use super::{definitions, garbage, namespaces};
use crate::{
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
        garbage::created(store, kind, object);
    }

    fn updated(&self, store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
        definitions::register(store, kind, object);
        garbage::updated(store, kind, object);
    }

    fn terminated(&self, store: &mut Store, namespace: &str) {
        namespaces::empty(store, namespace);
        namespaces::finish(store, namespace);
    }

    fn removed(&self, store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
        if kind.is_namespace() {
            namespaces::empty(store, object::name(object));
        }
        definitions::unregister(store, kind, object);
        garbage::removed(store, object);
        namespaces::finish(store, object::namespace(object));
        garbage::release_owners(store, object);
    }
}
