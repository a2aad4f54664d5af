//! Executes the verbs.
//!
//! It may use `admission`, `fields`, `record`, `request`, `kinds` and what those use.

mod apply;
mod body;
pub(crate) mod client;
mod delete;
mod objects;
mod patch;
mod pods;
mod read;
pub(crate) mod removal;
mod scale;
mod table;
mod watch;
mod write;

use std::sync::Arc;

use bytes::Bytes;
use futures::Stream;
use serde_json::Value;

use crate::{
    kinds::store::{Backend, Store},
    record::Record,
    request::{Request, Verb},
    values::status::Answer,
};
pub(crate) use objects::raise_generation;
pub(crate) use write::{creates, written};

/// What a request gives: an HTTP code and an object, or the events of a watch.
pub(crate) enum Executed<S> {
    Object(u16, Arc<Value>),
    Stream(S),
}

/// Executes an authorized request. A watch of a revision that is too old gives an `ERROR` event or, with `expired_as_410`, an error.
pub(crate) fn execute(
    backend: &Arc<Backend>,
    record: &Arc<Record>,
    store: &mut Store,
    request: &Request,
    expired_as_410: bool,
) -> Answer<Executed<impl Stream<Item = Bytes> + Send + use<>>> {
    let before = store.revision();
    let answer = match request.verb {
        Verb::Get => read::get(store, request).map(|value| (200, value)),
        Verb::List => read::list(store, request).map(|value| (200, value.into())),
        Verb::Create if request.target.subresource == "eviction" => {
            pods::evict(store, request).map(|value| (201, value.into()))
        }
        Verb::Create if request.target.subresource == "binding" => {
            pods::bind(store, request).map(|value| (201, value.into()))
        }
        Verb::Create => write::create(store, request).map(|value| (201, value)),
        Verb::Update => write::update(store, request).map(created),
        Verb::Patch => write::patch(store, request).map(created),
        Verb::Delete => delete::delete(store, request).map(|value| (200, value.into())),
        Verb::DeleteCollection => {
            delete::delete_collection(store, request).map(|value| (200, value.into()))
        }
        Verb::Watch => {
            let lines = watch::open(backend, record, store, request, expired_as_410)?;
            return Ok(Executed::Stream(lines));
        }
    };
    if store.revision() != before {
        backend.changes.wake();
    }
    answer.map(|(code, value)| Executed::Object(code, value))
}

/// Returns the HTTP status of a write that may have created its object.
fn created((value, is_new): (Arc<Value>, bool)) -> (u16, Arc<Value>) {
    (if is_new { 201 } else { 200 }, value)
}
