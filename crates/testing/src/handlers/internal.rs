//! Requests of the server itself, such as those of its controllers: they pass admission and are not recorded.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    handlers::write,
    kinds::kind::Kind,
    request::{Request, Target, Verb},
    storage::store::Store,
    values::{
        object::{self, text},
        status::{Answer, no_resource},
    },
};

pub(crate) fn create(store: &mut Store, agent: &str, object: &Value) -> Answer<Value> {
    let request = request(store, agent, Verb::Create, object, "")?;
    write::create(store, &request)
}

pub(crate) fn update(store: &mut Store, agent: &str, object: &Value) -> Answer<Value> {
    let request = request(store, agent, Verb::Update, object, "")?;
    write::update(store, &request).map(|(object, _)| object)
}

pub(crate) fn update_status(store: &mut Store, agent: &str, object: &Value) -> Answer<Value> {
    let request = request(store, agent, Verb::Update, object, "status")?;
    write::update(store, &request).map(|(object, _)| object)
}

pub(crate) fn delete(store: &mut Store, agent: &str, object: &Value) -> Answer<Value> {
    let mut request = request(store, agent, Verb::Delete, object, "")?;
    request.body.clear();
    write::delete(store, &request)
}

/// Returns the target of an object whose kind is registered.
pub(crate) fn target(store: &Store, object: &Value) -> Answer<Target> {
    let api_version = text(object, "/apiVersion");
    let kind: &Arc<Kind> = store
        .kinds
        .named(api_version, text(object, "/kind"))
        .ok_or_else(no_resource)?;
    let version = api_version
        .split_once('/')
        .map_or(api_version, |(_, version)| version);
    Ok(Target {
        kind: kind.clone(),
        version: version.to_owned(),
        namespace: object::namespace(object).to_owned(),
        name: object::name(object).to_owned(),
        subresource: String::new(),
    })
}

fn request(
    store: &Store,
    agent: &str,
    verb: Verb,
    object: &Value,
    subresource: &str,
) -> Answer<Request> {
    let mut target = target(store, object)?;
    subresource.clone_into(&mut target.subresource);
    if verb == Verb::Create {
        target.name.clear();
    }
    Ok(Request::internal(
        verb,
        target,
        object.to_string().into_bytes(),
        agent,
    ))
}
