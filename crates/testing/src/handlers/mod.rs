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
use futures::{StreamExt as _, stream::BoxStream};
use serde_json::Value;

use crate::{
    admission::webhooks::Hooks,
    kinds::{convert::retried, store::Backend},
    record::Record,
    request::{Notes, Request, Verb},
    storage::lock,
    values::status::Answer,
};
pub(crate) use objects::raise_generation;

/// What a request gives: an HTTP code and an object, or the events of a watch.
pub(crate) enum Executed {
    Object(u16, Arc<Value>),
    Stream(BoxStream<'static, Bytes>),
}

/// Executes an authorized request. A watch of a revision that is too old gives an `ERROR` event or, with `expired_as_410`, an error.
pub(crate) async fn execute(
    backend: &Arc<Backend>,
    record: &Arc<Record>,
    request: &Request,
    expired_as_410: bool,
    notes: &mut Notes,
) -> Answer<Executed> {
    let subresource = request.target.subresource.as_str();
    let (code, value) = match request.verb {
        Verb::Get => (
            200,
            retried(backend, |store| read::get(store, request)).await?,
        ),
        Verb::List => {
            let list = retried(backend, |store| read::list(store, request)).await?;
            (200, list.into())
        }
        Verb::Watch => {
            let lines = retried(backend, |store| {
                watch::open(backend, record, store, request, expired_as_410)
            });
            return Ok(Executed::Stream(lines.await?.boxed()));
        }
        Verb::Create if subresource == "eviction" => {
            let done = retried(backend, |store| pods::evict(store, request)).await?;
            (201, done.into())
        }
        Verb::Create if subresource == "binding" => {
            let done = retried(backend, |store| pods::bind(store, request)).await?;
            (201, done.into())
        }
        Verb::Update if subresource == "finalize" => {
            let write = retried(backend, |store| {
                *notes = Notes::default();
                write::finalize(store, request, notes)
            });
            (200, write.await?.object)
        }
        Verb::Create | Verb::Update | Verb::Patch => {
            let write = write::write(backend, request, notes).await?;
            (if write.created { 201 } else { 200 }, write.object)
        }
        Verb::Delete => {
            let hooks = Hooks::of(&lock(&backend.store), request);
            hooks.delete(backend, request, notes).await?;
            let kept = notes.warnings.len();
            let answer = retried(backend, |store| {
                notes.warnings.truncate(kept);
                delete::delete(store, request, notes)
            });
            (200, answer.await?.into())
        }
        Verb::DeleteCollection => {
            let hooks = Hooks::of(&lock(&backend.store), request);
            hooks.delete_collection(backend, request, notes).await?;
            let kept = notes.warnings.len();
            let list = retried(backend, |store| {
                notes.warnings.truncate(kept);
                delete::delete_collection(store, request, notes)
            });
            (200, list.await?.into())
        }
    };
    Ok(Executed::Object(code, value))
}
