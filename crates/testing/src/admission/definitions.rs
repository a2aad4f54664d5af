//! The definition of a custom resource decides whether there may be new instances.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    kinds::{kind::Kind, status::forbidden, store::Store},
    values::{object::deleting, status::Answer},
};

/// Rejects a new instance of a definition that is being deleted.
pub(crate) fn admit(store: &Store, kind: &Kind, name: &str) -> Answer<()> {
    let found = kind.custom.then(|| of(store, kind)).flatten();
    if found.is_some_and(|(_, crd)| deleting(&crd)) {
        let why = "create not allowed while custom resource definition is terminating";
        return Err(forbidden(kind, name, why));
    }
    Ok(())
}

/// Returns the definition of a kind.
pub(crate) fn of(store: &Store, kind: &Kind) -> Option<(Arc<Kind>, Arc<Value>)> {
    let definitions = store
        .kinds
        .get("apiextensions.k8s.io", "customresourcedefinitions")?;
    let crd = store.get(definitions, "", &kind.qualified())?;
    Some((definitions.clone(), crd))
}
