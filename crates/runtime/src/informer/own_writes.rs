//! Reads after writes: passes the responses of a client's writes to the informers, whose caches show them until the watch catches up.
//!
//! A response may also say that an object is gone: 404, or an object of the same name with another uid. It hides the object whose uid a cache
//! showed before the request was sent. That object existed then and a uid never returns, so it is gone for good, whoever wrote or deleted it; an
//! object that the watch delivers in the meantime has another uid. A 404 on a subresource does not tell whether the object or the
//! subresource is missing, so the object itself is read.
use std::sync::{Arc, Weak};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header::UPGRADE};
use http_body_util::BodyExt;
use kube::{Client, client::Body};
use kube_codegen_record::private::is_core_group;
use parking_lot::Mutex;
use serde_json::value::RawValue;
use tower::{BoxError, service_fn};

use super::{
    listener::Listeners,
    reflector::decode,
    scope::Scope,
    state::State,
    written::{Details, Head, OwnWrite, namespace},
};
use crate::{
    cache::{ObjectKey, SWEEP, Store},
    client::writer::{Writer, is_new_version},
};

/// The caches that show the writes of a client.
#[derive(Clone, Default)]
pub(super) struct OwnWrites(Arc<Mutex<Vec<Weak<State>>>>);

impl OwnWrites {
    /// Adds an informer. Does not keep it running.
    pub(super) fn add(&self, state: &Arc<State>) {
        self.0.lock().push(Arc::downgrade(state));
    }

    /// Returns a client like `client` whose caller gets the response of a write after the informers.
    pub(super) fn track(&self, client: &Client) -> Client {
        track(client, self.clone())
    }

    /// Returns the informers that run, and forgets the others.
    fn running(&self) -> Vec<Arc<State>> {
        let mut running = Vec::new();
        self.0.lock().retain(|state| {
            let state = state.upgrade().filter(|state| !state.stop.is_cancelled());
            running.extend(state.clone());
            state.is_some()
        });
        running
    }

    fn show(&self, write: &OwnWrite<'_>) {
        for state in self.running() {
            state.show(write);
        }
    }

    /// Returns what the caches show of the object that a path names.
    fn shown(&self, path: &str) -> Vec<Shown> {
        let shown = |state: Arc<State>| {
            let (key, path) = state.named(path)?;
            let (namespace, name) = key.parts();
            let object = state.store.read().get(namespace, name)?;
            let uid = object.metadata().uid.clone()?;
            Some(Shown {
                state,
                key,
                uid,
                path,
            })
        };
        self.running().into_iter().filter_map(shown).collect()
    }
}

/// An object that a cache showed before a request about it was sent.
struct Shown {
    state: Arc<State>,
    key: ObjectKey,
    uid: String,
    /// The path of the object itself.
    path: String,
}

impl Shown {
    /// Whether the response to a request for the object says that it is gone: it does not exist, or another object has its name.
    fn is_gone(&self, response: &Response<Bytes>) -> bool {
        let Ok(head) = serde_json::from_slice::<Head<'_>>(response.body()) else {
            return false;
        };
        if response.status() == StatusCode::NOT_FOUND {
            let details = head.details.map(|it| serde_json::from_str(it.get()));
            let kind = &self.state.kind;
            return matches!(details, Some(Ok(Details { name, group, kind: plural, .. }))
                if name == self.key.name && group == kind.group && plural == kind.plural);
        }
        let kind = &self.state.kind;
        let is_object = head.kind == kind.kind && head.api_version == kind.api_version;
        let uid = head.metadata.uid.filter(|_| is_object);
        response.status().is_success() && uid.is_some_and(|uid| uid != self.uid)
    }

    /// Hides the object until the watch delivers its deletion, unless the cache shows another one by now.
    fn hide(&self) {
        let (namespace, name) = self.key.parts();
        let Some(scope) = self.state.scope_of(self.key.namespace.as_deref()) else {
            return;
        };
        let mut store = self.state.store.write();
        let shown = store.get(namespace, name);
        if shown.is_some_and(|shown| shown.metadata().uid.as_ref() == Some(&self.uid)) {
            store.write_deleted(scope.namespace.as_deref(), self.key.clone(), &self.uid);
        }
        drop(store);
        self.state.written.notify_one();
        self.state.report_panics();
    }
}

/// Hides the objects that the response to a request with `path` says are gone.
async fn hide_gone(client: &Client, path: &str, shown: &[Shown], response: &Response<Bytes>) {
    let mut gone: Vec<&Shown> = shown.iter().filter(|it| it.is_gone(response)).collect();
    // A custom resource without the subresource is answered as one that does not exist.
    if let Some(one) = gone.first()
        && one.path != path
        && !is_core_group(&one.state.kind.group)
    {
        let Ok(object) = read(client, &one.path).await else {
            return;
        };
        gone.retain(|it| it.is_gone(&object));
    }
    for one in gone {
        one.hide();
    }
}

async fn read(client: &Client, path: &str) -> Result<Response<Bytes>, BoxError> {
    let request = Request::get(path).body(Body::empty())?;
    complete(client.send(request).await?).await
}

/// Reads the body of a response.
async fn complete(response: Response<Body>) -> Result<Response<Bytes>, BoxError> {
    let (parts, body) = response.into_parts();
    let body = body.collect().await?.to_bytes();
    Ok(Response::from_parts(parts, body))
}

/// Returns a client like `client` that shows the response of each write to `informers`, before the caller gets it.
fn track(client: &Client, informers: OwnWrites) -> Client {
    let inner = client.clone();
    let service = service_fn(move |request: Request<Body>| {
        let (informers, inner) = (informers.clone(), inner.clone());
        async move {
            let (is_read, is_tracked) = (is_read(&request), is_tracked(&request));
            if !is_read && !is_tracked {
                return inner.send(request).await.map_err(BoxError::from);
            }
            let (method, path) = (request.method().clone(), request.uri().path().to_owned());
            let shown = informers.shown(&path);
            if is_read {
                let response = inner.send(request).await?;
                let is_missing = response.status() == StatusCode::NOT_FOUND;
                // The answer of a subresource may be a stream without an end.
                if !shown.iter().any(|it| is_missing || it.path == path) {
                    return Ok(response);
                }
                let response = complete(response).await?;
                hide_gone(&inner, &path, &shown, &response).await;
                return Ok(response.map(Body::from));
            }
            let writer = Writer::current();
            let is_deletion = method == Method::DELETE;
            let (request, sent) = if writer.is_some() || is_deletion {
                copied(request).await?
            } else {
                (request, Bytes::new())
            };
            if is_deletion && is_dry_run(&sent) {
                return inner.send(request).await.map_err(BoxError::from);
            }
            let in_flight = writer.map(|writer| writer.send(&path));
            let response = complete(inner.send(request).await?).await?;
            let (status, body) = (response.status(), response.body());
            if let Some(write) = OwnWrite::read(&method, &path, status, body) {
                if let Some(in_flight) = in_flight
                    && let Some((uid, version)) = write.version()
                    && is_new_version(&method, &sent, status, version)
                {
                    in_flight.wrote(uid, version);
                }
                informers.show(&write);
            } else if status == StatusCode::NOT_FOUND {
                hide_gone(&inner, &path, &shown, &response).await;
            }
            Ok(response.map(Body::from))
        }
    });
    Client::new(service, client.default_namespace()).with_valid_until(*client.valid_until())
}

/// Returns a request, and a copy of its body.
async fn copied(request: Request<Body>) -> Result<(Request<Body>, Bytes), BoxError> {
    let (parts, body) = request.into_parts();
    let body: Bytes = body.collect().await?.to_bytes();
    Ok((Request::from_parts(parts, Body::from(body.clone())), body))
}

/// Whether the options of a deletion make it a dry run. They are in its body.
fn is_dry_run(options: &[u8]) -> bool {
    let options: Option<serde_json::Value> = serde_json::from_slice(options).ok();
    options.is_some_and(|options| options.get("dryRun").is_some())
}

/// Whether a request reads the newest state of an object. With a resource version, the server may answer from a cache.
fn is_read(request: &Request<Body>) -> bool {
    let query = request.uri().query().unwrap_or_default();
    request.method() == Method::GET
        && !request.headers().contains_key(UPGRADE)
        && !query
            .split('&')
            .any(|pair| pair.starts_with("resourceVersion") || pair.starts_with("watch="))
}

fn is_tracked(request: &Request<Body>) -> bool {
    let writes = [Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    let query = request.uri().query().unwrap_or_default();
    writes.contains(request.method())
        && !request.headers().contains_key(UPGRADE)
        && !query.split('&').any(|pair| pair.starts_with("dryRun="))
}

impl State {
    /// Returns the key of the object of this kind that a path names, such as `/api/v1/namespaces/default/configmaps/a/status`, and the path
    /// without what follows the object.
    fn named(&self, path: &str) -> Option<(ObjectKey, String)> {
        let segments: Vec<&str> = path.split('/').collect();
        let (group, rest) = match segments[..] {
            ["", "api", _, ..] => ("", 3),
            ["", "apis", group, _, ..] => (group, 4),
            _ => return None,
        };
        let (namespace, plural, last) = match segments[rest..] {
            ["namespaces", namespace, plural, _, ..] if !self.kind.cluster_scoped => {
                (Some(namespace), plural, rest + 3)
            }
            [plural, _, ..] if self.kind.cluster_scoped => (None, plural, rest + 1),
            _ => return None,
        };
        let key = ObjectKey {
            namespace: namespace.map(str::to_owned),
            name: segments[last].to_owned(),
        };
        // Only a subresource may follow: `namespaces/a/secrets/b` is no path of a Namespace.
        let is_named =
            group == self.kind.group && plural == self.kind.plural && segments.len() <= last + 2;
        is_named.then(|| (key, segments[..=last].join("/")))
    }

    /// Shows the response of a write, if it is about this informer's kind and namespaces.
    fn show(&self, write: &OwnWrite<'_>) {
        let (kind, head) = (&self.kind, &write.head);
        if head.kind == kind.kind && head.api_version == kind.api_version {
            self.show_object(write);
        } else if head.kind == "Status"
            && write.is_deletion
            && let Some(details) = head.details
            && let Ok(details) = serde_json::from_str::<Details>(details.get())
            && details.group == kind.group
            && details.kind == kind.plural
        {
            self.show_deleted(write, details);
        }
    }

    fn show_object(&self, write: &OwnWrite<'_>) {
        let Ok(raw) = serde_json::from_slice::<&RawValue>(write.body) else {
            return;
        };
        // The watch will report what does not decode.
        let Ok(object) = decode(|text| self.decode(text), raw.get(), &self.kind.kind) else {
            return;
        };
        let Some(scope) = self.scope_of(object.metadata().namespace.as_deref()) else {
            return;
        };
        let Some(selected) = self.selects.selects(&*object) else {
            return;
        };
        let Ok(object) = self.accept(Ok(object)) else {
            return;
        };
        // Another process needs it.
        if !scope.has(object.metadata()) {
            return;
        }
        // The watch must not deliver anything between the look at its version and the change of the store.
        let listeners = self.listeners.lock();
        let (namespace, seen) = (scope.namespace.as_deref(), scope.version());
        let mut store = self.store.write();
        match &write.head.metadata.uid {
            Some(uid) if write.is_gone() => {
                store.write_deleted(namespace, ObjectKey::of_meta(object.metadata()), uid);
            }
            _ => store.write(namespace, &seen, object, selected),
        }
        drop((store, listeners));
        self.written.notify_one();
        self.report_panics();
    }

    /// Hides an object that was deleted at once.
    fn show_deleted(&self, write: &OwnWrite<'_>, details: Details) {
        let namespace = namespace(write.path).filter(|_| !self.kind.cluster_scoped);
        let key = ObjectKey {
            namespace: namespace.map(str::to_owned),
            name: details.name,
        };
        let Some(scope) = self.scope_of(namespace) else {
            return;
        };
        if !details.uid.is_empty() && !key.name.is_empty() {
            let mut store = self.store.write();
            store.write_deleted(scope.namespace.as_deref(), key, &details.uid);
            drop(store);
            self.written.notify_one();
            self.report_panics();
        }
    }

    /// Returns the list and watch of the objects of a namespace.
    fn scope_of(&self, namespace: Option<&str>) -> Option<Arc<Scope>> {
        let scopes = self.scopes.read();
        let is_theirs = |scope: &&Arc<Scope>| {
            !scope.stop.is_cancelled()
                && (scope.namespace.is_none() || scope.namespace.as_deref() == namespace)
        };
        scopes.iter().find(is_theirs).cloned()
    }

    /// Records that the watch has delivered everything up to `version`.
    pub(super) fn advance(&self, listeners: &Listeners, scope: &Scope, version: &str) {
        scope.progress(version);
        let store = self.store.read();
        let is_pending = store.pending_writes() > 0 || store.has_vanished();
        drop(store);
        if is_pending {
            self.end_writes(listeners, |store| {
                store.settle(scope.namespace.as_deref(), version);
            });
        }
    }

    /// Ends own writes.
    pub(super) fn end_writes(&self, listeners: &Listeners, end: impl FnOnce(&mut Store)) {
        let mut store = self.store.write();
        end(&mut store);
        let vanished = store.take_vanished();
        drop(store);
        listeners.notify_vanished(vanished);
    }
}

/// Ends the own writes whose events never arrive, also if the server sends nothing at all.
pub(super) async fn expire(state: Arc<State>) {
    let expire = async {
        loop {
            state.written.notified().await;
            while state.store.read().pending_writes() > 0 {
                tokio::time::sleep(SWEEP).await;
                state.end_writes(&state.listeners.lock(), Store::sweep);
                state.report_panics();
            }
        }
    };
    let stop = state.stop.clone();
    let _: Option<()> = stop.run_until_cancelled(expire).await;
}
