//! The scale subresource: applies an updated Scale to its object.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    admission::Draft,
    handlers::objects,
    kinds::{store::Store, target::whole},
    request::{Request, Sent},
    values::{
        object::{self, at, put, text},
        status::{Answer, bad_request, no_resource},
    },
};

/// Prepares the update of an object by its scale.
pub(crate) fn update(
    store: &Store,
    request: &Request,
    old: &Arc<Value>,
    scale: &Value,
    sent: Sent,
) -> Answer<Draft> {
    let target = &request.target;
    let paths = target.version()?.scale.as_ref().ok_or_else(no_resource)?;
    let kind = text(scale, "/kind");
    if !matches!(kind, "" | "Scale") {
        return Err(bad_request(&format!(
            "wrong object passed to Scale update: {kind}"
        )));
    }
    let replicas = at(scale, "/spec/replicas").as_i64().unwrap_or_default();
    let mut new = whole(old, target);
    put(&mut new, &paths.spec, replicas.into());
    let version = text(scale, "/metadata/resourceVersion");
    if !version.is_empty() {
        put(&mut new, "/metadata/resourceVersion", version.into());
    }
    let uid = object::uid(scale);
    if !uid.is_empty() {
        put(&mut new, "/metadata/uid", uid.into());
    }
    objects::update(store, request, old, new, sent)
}
