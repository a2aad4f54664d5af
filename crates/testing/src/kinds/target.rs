//! What a request addresses: an object or a collection of a kind, in a version.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    kinds::{
        builtin, events,
        kind::{Kind, Version},
    },
    values::{
        object::{map, section, text},
        status::{Answer, no_resource},
    },
};

/// The resource that a request addresses.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) kind: Arc<Kind>,
    pub(crate) version: String,
    /// Empty for all namespaces and for cluster-scoped kinds.
    pub(crate) namespace: String,
    /// Empty for the collection.
    pub(crate) name: String,
    /// Empty for the object itself.
    pub(crate) subresource: String,
}

impl Target {
    pub(crate) fn version(&self) -> Answer<&Version> {
        self.kind.version(&self.version).ok_or_else(no_resource)
    }

    /// Returns whether this is the collection of all namespaces.
    pub(crate) fn is_across_namespaces(&self) -> bool {
        self.kind.namespaced && self.namespace.is_empty()
    }

    /// Returns the same resource in another version.
    pub(crate) fn in_version(&self, version: &str) -> Self {
        Self {
            version: version.to_owned(),
            ..self.clone()
        }
    }

    pub(crate) fn api_version(&self) -> String {
        self.kind.api_version(&self.version)
    }
}

/// Returns an object as a client of this version gets it.
pub(crate) fn present(object: &Value, target: &Target, metadata_only: bool) -> Value {
    if metadata_only {
        let metadata = object.get("metadata").cloned().unwrap_or_default();
        return json!({"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": metadata});
    }
    let mut shown = whole(object, target);
    if let Some(field) = builtin::hidden(&target.kind, &target.subresource, object) {
        section(&mut shown, "spec").remove(field);
    }
    shown
}

/// As [`present`], of an object that others share: it is copied only where this changes it.
pub(crate) fn shared(object: &Arc<Value>, target: &Target, metadata_only: bool) -> Arc<Value> {
    let kind = &target.kind;
    let is_as_stored = !metadata_only
        && events::stored_group(kind) == kind.group
        && builtin::hidden(kind, &target.subresource, object).is_none()
        && text(object, "/kind") == kind.kind
        && text(object, "/apiVersion") == target.api_version();
    if is_as_stored {
        return object.clone();
    }
    Arc::new(present(object, target, metadata_only))
}

/// Returns an object in this version with all that is stored, for changes.
pub(crate) fn whole(object: &Value, target: &Target) -> Value {
    let mut shown = object.clone();
    events::load(&target.kind, &mut shown);
    let fields = map(&mut shown);
    fields.insert("apiVersion".to_owned(), target.api_version().into());
    fields.insert("kind".to_owned(), target.kind.kind.clone().into());
    shown
}
