//! Reads after writes: passes the responses of a client's writes to the informers, whose caches show them until the watch catches up.
use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header::UPGRADE};
use http_body_util::BodyExt;
use kube::{Client, client::Body};
use parking_lot::Mutex;
use serde_json::value::RawValue;
use tokio::time::Instant;
use tower::{BoxError, service_fn};

use super::{
    listener::Listeners,
    reflector::decode,
    scope::Scope,
    state::State,
    written::{Details, OwnWrite, namespace},
};
use crate::{
    cache::{ObjectKey, SWEEP, Store},
    client::writer::{Writer, is_new_version},
};

/// The caches that show the writes of a client.
#[derive(Clone, Default)]
pub(super) struct OwnWrites(Arc<Mutex<Vec<Show>>>);

/// Passes a response to an informer. Returns `false` once the informer has stopped.
type Show = Arc<dyn Fn(&OwnWrite<'_>) -> bool + Send + Sync>;

impl OwnWrites {
    /// Adds an informer. Does not keep it running.
    pub(super) fn add(&self, state: &Arc<State>) {
        let state = Arc::downgrade(state);
        self.0.lock().push(Arc::new(move |write| {
            let state = state.upgrade().filter(|state| !state.stop.is_cancelled());
            state.inspect(|state| state.show(write)).is_some()
        }));
    }

    /// Returns a client like `client` whose caller gets the response of a write after the informers.
    pub(super) fn track(&self, client: &Client) -> Client {
        let all = self.clone();
        track(client, move |write| {
            let informers = all.0.lock().clone();
            let stopped: Vec<_> = informers.iter().filter(|show| !show(write)).collect();
            if !stopped.is_empty() {
                let is_running = |show: &Show| !stopped.iter().any(|one| Arc::ptr_eq(one, show));
                all.0.lock().retain(is_running);
            }
        })
    }
}

/// Returns a client like `client` that calls `show` with the response of each write, before the caller gets it.
fn track(client: &Client, show: impl Fn(&OwnWrite<'_>) + Clone + Send + Sync + 'static) -> Client {
    let inner = client.clone();
    let service = service_fn(move |request: Request<Body>| {
        let (show, inner) = (show.clone(), inner.clone());
        async move {
            let (is_read, is_tracked) = (is_read(&request), is_tracked(&request));
            if !is_read && !is_tracked {
                return inner.send(request).await.map_err(BoxError::from);
            }
            let (method, path) = (request.method().clone(), request.uri().path().to_owned());
            let started = Instant::now();
            if is_read {
                let response = inner.send(request).await?;
                if response.status() != StatusCode::NOT_FOUND {
                    return Ok(response);
                }
                let (parts, body) = response.into_parts();
                let body: Bytes = body.collect().await?.to_bytes();
                if let Some(missed) = OwnWrite::read(&method, &path, parts.status, &body, started) {
                    show(&missed);
                }
                return Ok(Response::from_parts(parts, Body::from(body)));
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
            let (parts, body) = inner.send(request).await?.into_parts();
            let body: Bytes = body.collect().await?.to_bytes();
            if let Some(write) = OwnWrite::read(&method, &path, parts.status, &body, started) {
                if let Some(in_flight) = in_flight
                    && let Some((uid, version)) = write.version()
                    && is_new_version(&method, &sent, parts.status, version)
                {
                    in_flight.wrote(uid, version);
                }
                show(&write);
            }
            Ok(Response::from_parts(parts, Body::from(body)))
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
            .any(|pair| pair.starts_with("resourceVersion"))
}

fn is_tracked(request: &Request<Body>) -> bool {
    let writes = [Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    let query = request.uri().query().unwrap_or_default();
    writes.contains(request.method())
        && !request.headers().contains_key(UPGRADE)
        && !query.split('&').any(|pair| pair.starts_with("dryRun="))
}

impl State {
    /// Shows the response of a write, if it is about this informer's kind and namespaces.
    fn show(&self, write: &OwnWrite<'_>) {
        let (kind, head) = (&self.kind, &write.head);
        if head.kind == kind.kind && head.api_version == kind.api_version {
            if write.status.is_success() {
                self.show_object(write);
            }
        } else if head.kind == "Status"
            && let Some(details) = head.details
            && let Ok(details) = serde_json::from_str::<Details>(details.get())
            && details.group == kind.group
            && details.kind == kind.plural
        {
            self.show_missing(write, details);
        }
    }

    fn show_object(&self, write: &OwnWrite<'_>) {
        let Ok(raw) = serde_json::from_slice::<&RawValue>(write.body) else {
            return;
        };
        // The watch will report what does not decode.
        let Ok(object) = decode(
            self.read,
            raw.get(),
            &self.kind.kind,
            self.keep_managed_fields,
        ) else {
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

    /// Hides an object that was deleted at once, or that this process wrote and the server no longer has.
    fn show_missing(&self, write: &OwnWrite<'_>, details: Details) {
        let is_named = |segment: &str| segment == details.name;
        if !write.status.is_success() && !write.path.split('/').any(is_named) {
            return;
        }
        let namespace = namespace(write.path).filter(|_| !self.kind.cluster_scoped);
        let key = ObjectKey {
            namespace: namespace.map(str::to_owned),
            name: details.name,
        };
        let Some(scope) = self.scope_of(namespace) else {
            return;
        };
        let mut store = self.store.write();
        if !write.status.is_success() {
            store.write_missed(key, write.started);
        } else if write.is_deletion && !details.uid.is_empty() && !key.name.is_empty() {
            store.write_deleted(scope.namespace.as_deref(), key, &details.uid);
        }
        drop(store);
        self.written.notify_one();
        self.report_panics();
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
