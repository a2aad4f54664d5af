//! An informer of any kind, of which [`SharedInformer`](super::SharedInformer) is a typed handle: its code is compiled once, not once per kind.
use std::{
    future,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;
use tokio_util::sync::DropGuard;

use super::{
    InformerConfig, Namespaces,
    config::{InvalidNamespace, check_namespace},
    error::Stopped,
    follow::follow,
    listener::HandlerFn,
    own_writes::expire,
    part::{Division, Part},
    reflector::{Reflector, Requests},
    registration::{Registration, resync_every},
    scope::Scope,
    state::State,
    status::{InformerMetrics, InformerStatus},
    tasks::Tasks,
};
use crate::client::writer::Writer;

/// Shortest period of a resync.
const MIN_RESYNC: Duration = Duration::from_secs(1);

/// Identifies an informer as long as a handle of it exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct InformerId(usize);

/// Returns the path of the collection in a namespace.
pub(super) type PathFn = Box<dyn Fn(Option<&str>) -> String + Send + Sync>;

/// An informer of any kind.
pub(crate) struct Informer {
    pub(super) state: Arc<State>,
    pub(super) client: Client,
    pub(super) path: PathFn,
    pub(super) config: InformerConfig,
    /// Resync period of handlers without one of their own.
    pub(super) resync: Option<Duration>,
    pub(super) tasks: Tasks,
    /// Stops the tasks when the last handle or lister is dropped. The tasks hold the state alone.
    pub(super) running: Arc<DropGuard>,
}

impl Informer {
    /// Creates an informer, which does nothing until it is started.
    pub(super) fn new(
        state: State,
        client: Client,
        path: PathFn,
        config: InformerConfig,
        resync: Option<Duration>,
    ) -> Arc<Self> {
        let running = Arc::new(state.stop.clone().drop_guard());
        let inner = Self {
            state: Arc::new(state),
            client,
            path,
            config,
            resync,
            tasks: Tasks::default(),
            running,
        };
        inner.tasks.spawn(expire(Arc::clone(&inner.state)));
        let cluster_scoped = inner.state.kind.cluster_scoped;
        match &inner.config.namespaces {
            Namespaces::Only(names) if !cluster_scoped => match inner.config.namespaces.check() {
                Ok(()) => names.iter().for_each(|name| inner.add(Some(name.clone()))),
                Err(error) => inner.state.fail(error.to_string()),
            },
            _ => inner.add(None),
        }
        Arc::new(inner)
    }

    pub(super) fn add_namespace(&self, name: &str) -> Result<(), InvalidNamespace> {
        check_namespace(name)?;
        match self.state.namespaces() {
            Namespaces::Only(names) if !names.contains(name) => self.add(Some(name.to_owned())),
            _ => {}
        }
        Ok(())
    }

    pub(super) fn remove_namespace(&self, name: &str) -> bool {
        let scopes = self.state.scopes.read();
        let mut running = scopes.iter().filter(|scope| !scope.stop.is_cancelled());
        let found = running.find(|scope| scope.namespace.as_deref() == Some(name));
        found.inspect(|scope| scope.stop.cancel()).is_some()
    }

    /// Lists and watches one more scope, from the start on.
    fn add(&self, namespace: Option<String>) {
        let Self { state, config, .. } = self;
        let path = (self.path)(namespace.as_deref());
        let requests = Requests::new(&path, state.kind.metadata_only, config);
        let mut scopes = state.scopes.write();
        // The same namespace may have been removed before: its objects must leave the cache first.
        let before = scopes.iter().find(|scope| scope.namespace == namespace);
        let before = before.map(|scope| scope.ended.clone());
        scopes.retain(|scope| scope.namespace != namespace);
        let scope = Arc::new(Scope::new(namespace, state.stop.child_token()));
        scopes.push(Arc::clone(&scope));
        drop(scopes);
        let (client, list, state) = (self.client.clone(), config.initial_list, Arc::clone(state));
        let shared = Arc::clone(&state);
        let reflector = move |scope| {
            let (client, requests) = (client.clone(), requests.clone());
            Reflector::new(client, requests, list, Arc::clone(&shared), scope)
        };
        self.tasks.spawn(async move {
            if let Some(before) = before {
                state.stop.run_until_cancelled(before.cancelled()).await;
            }
            follow(reflector, state, scope).await;
        });
    }

    /// Caches only the objects of the ranges that this process needs. Returns `false` if the informer has started, or is limited to namespaces: it then
    /// caches all of its objects.
    pub(super) fn divide(&self, division: &Arc<dyn Division>) -> bool {
        let mut is_divided = false;
        self.tasks.before_start(|| {
            if let [scope] = &**self.state.scopes.read()
                && scope.namespace.is_none()
            {
                let part = || {
                    is_divided = true;
                    Part::new(Arc::clone(division))
                };
                scope.part.get_or_init(part);
            }
        });
        is_divided
    }

    /// Adds a handler.
    pub(super) fn register(&self, handler: HandlerFn, resync: Option<Duration>) -> Registration {
        let (listener, inbox) = self.state.listener(resync.is_some());
        let listener_state = Arc::clone(&listener.state);
        self.state.listen(listener);
        self.tasks.spawn(inbox.drive(handler));
        if let Some(period) = resync {
            self.tasks.spawn(resync_every(
                period.max(MIN_RESYNC),
                Arc::clone(&self.state),
                Arc::clone(&listener_state),
            ));
        }
        Registration::new(Arc::clone(&self.state), listener_state)
    }

    /// Returns kind and group.
    pub(crate) fn kind(&self) -> String {
        self.state.kind.to_string()
    }

    /// See [`SharedInformer::start`](super::SharedInformer::start), as for the other methods of these names.
    pub(super) fn start(&self) {
        if !self.state.stop.is_cancelled() && self.tasks.start() {
            self.state.update_synced();
        }
    }

    pub(super) async fn shutdown(&self) {
        self.state.stop.cancel();
        self.state.sweep();
        self.tasks.join().await;
    }

    pub(super) async fn wait_synced(&self) -> Result<(), Stopped> {
        let state = &self.state;
        state.wait_synced().await?;
        let scopes = state.scopes.read().clone();
        for scope in scopes {
            let waited = scope.wait_synced().await;
            if state.stop.is_cancelled() {
                waited?;
            }
        }
        Ok(())
    }

    pub(super) fn metrics(&self) -> InformerMetrics {
        InformerMetrics {
            objects: self.state.store.read().len(),
            ..self.state.metrics.lock().clone()
        }
    }

    pub(super) fn status(&self) -> InformerStatus {
        let Self {
            state,
            config,
            tasks,
            ..
        } = self;
        let (metrics, handlers) = (self.metrics(), state.handlers());
        let namespace = match state.namespaces() {
            Namespaces::All => None,
            Namespaces::Only(names) => Some(names.into_iter().collect::<Vec<_>>().join(",")),
        };
        let store = state.store.read();
        InformerStatus {
            cluster: config.cluster.clone(),
            group: state.kind.group.clone(),
            version: state.kind.version().to_owned(),
            kind: state.kind.kind.clone(),
            resource: state.kind.plural.clone(),
            namespace,
            label_selector: config.label_selector.clone(),
            field_selector: config.field_selector.clone(),
            synced: state.has_synced(),
            not_served_seconds: self.missing().map(|time| time.as_secs_f64()),
            stopped: state.stop.is_cancelled(),
            objects: metrics.objects,
            pending_writes: store.pending_writes(),
            oldest_pending_write_seconds: store.oldest_pending_write().map(|age| age.as_secs_f64()),
            namespaces: store.namespaces(),
            last_sync_resource_version: state.version(),
            age_seconds: tasks.age().map(|age| age.as_secs_f64()),
            idle_seconds: state.idle().map(|idle| idle.as_secs_f64()),
            failures: metrics.failures,
            handlers,
            metrics,
        }
    }

    /// Returns the same for all handles of this informer.
    pub(super) fn id(&self) -> InformerId {
        InformerId(std::ptr::from_ref(self).addr())
    }

    pub(super) fn has_synced(&self) -> bool {
        self.state.has_synced()
    }

    /// How long responses have said that the kind is not served.
    pub(crate) fn missing(&self) -> Option<Duration> {
        let since = self.state.service.missing_since();
        since.map(|since| since.elapsed())
    }

    /// Waits until the kind counts as absent.
    pub(crate) async fn absent(&self) {
        self.state.service.absent().await;
    }

    /// Waits until no response says that the kind is not served.
    pub(crate) async fn served(&self) {
        self.state.service.served().await;
    }

    /// Waits until the kind is served, after it was absent.
    pub(crate) async fn back(&self) {
        self.state.service.back().await;
    }

    pub(super) fn is_started(&self) -> bool {
        self.tasks.age().is_some()
    }

    pub(crate) fn failure(&self) -> Option<String> {
        self.state.failure()
    }

    pub(crate) async fn stopped(&self) {
        self.state.stop.cancelled().await;
    }

    /// Waits until the informer ends by itself, and returns why.
    pub(super) async fn failed(&self) -> String {
        self.stopped().await;
        match self.failure() {
            Some(message) => message,
            None => future::pending().await,
        }
    }

    /// Calls `release`, now or later, unless `writer` made this change of `object`.
    ///
    /// Only a change from the watch can be one of its writes: a state from a list may include changes of other clients, too.
    pub(crate) fn unless_own(
        &self,
        writer: &Writer,
        meta: &ObjectMeta,
        release: Box<dyn FnOnce() + Send>,
    ) {
        let Self { state, path, .. } = self;
        let listed = state.listed.load(Ordering::Acquire);
        let version = meta.resource_version.as_deref().unwrap_or_default();
        match (version.parse::<u64>(), &meta.uid, &meta.name) {
            (Ok(number), Some(uid), Some(name)) if number > listed => {
                let collection = path(meta.namespace.as_deref());
                writer.unless_own(&format!("{collection}/{name}"), uid, version, release);
            }
            _ => release(),
        }
    }
}
