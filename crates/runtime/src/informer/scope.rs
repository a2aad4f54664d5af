//! The lists and watches of an informer: one of all namespaces, or one of each of several, which are added and removed at run time.
use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, OnceLock},
};

use futures::FutureExt;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{
    Namespaces, SharedInformer,
    config::{InvalidNamespace, check_namespace},
    divided,
    error::Stopped,
    own_writes::is_earlier,
    part::{Aim, Part},
    reflector::{Reflector, Requests},
    state::{State, wait_synced},
    untyped::Informer,
};
use crate::{cache::Object, panics};

/// One list and watch.
pub(super) struct Scope {
    /// `None` for all namespaces, and for cluster-scoped kinds.
    pub(super) namespace: Option<String>,
    /// The ranges of objects that are cached, if not all of them.
    pub(super) part: OnceLock<Part>,
    /// The resource version up to which the cache is complete; empty before the first list.
    version: Mutex<String>,
    synced: watch::Sender<bool>,
    /// Cancelled with the informer, or when the namespace is removed.
    pub(super) stop: CancellationToken,
    /// Cancelled when the list and watch has ended and, if the namespace was removed, its objects have left the cache.
    pub(super) ended: CancellationToken,
}

/// Where an event came from.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) scope: &'a Scope,
    /// The ranges of objects with which the watch was opened.
    pub(super) generation: u64,
}

impl Source<'_> {
    /// Whether an event about the object with this metadata is to be applied. If not, the next watch delivers it, or another process needs it.
    pub(super) fn accepts(self, meta: &ObjectMeta) -> bool {
        self.scope.is_current(self.generation) && self.scope.accepts(meta)
    }
}

impl Scope {
    pub(super) fn new(namespace: Option<String>, stop: CancellationToken) -> Self {
        Self {
            namespace,
            part: OnceLock::new(),
            version: Mutex::default(),
            synced: watch::Sender::new(false),
            stop,
            ended: CancellationToken::new(),
        }
    }

    pub(super) fn version(&self) -> String {
        self.version.lock().clone()
    }

    /// Records the version of a list. Ignores an empty version, which a server without versions sends.
    pub(super) fn set_version(&self, version: &str) {
        if !version.is_empty() {
            version.clone_into(&mut self.version.lock());
        }
    }

    /// Records the progress of the watch, which never goes back.
    pub(super) fn progress(&self, version: &str) {
        if !is_earlier(version, &self.version()) {
            self.set_version(version);
        }
    }

    /// Returns what to request, once there is something.
    pub(super) async fn aim(&self) -> Aim {
        match self.part.get() {
            Some(part) => part.aim().await,
            None => Aim::default(),
        }
    }

    /// Whether the objects that are cached are those of a request.
    pub(super) fn is_current(&self, generation: u64) -> bool {
        self.part
            .get()
            .is_none_or(|part| part.is_current(generation))
    }

    /// Waits until other objects are cached than those of a request.
    pub(super) async fn changed_since(&self, generation: u64) {
        match self.part.get() {
            Some(part) => part.changed_since(generation).await,
            None => std::future::pending().await,
        }
    }

    /// Whether the objects of this range or kind are cached.
    pub(super) fn has(&self, meta: &ObjectMeta) -> bool {
        self.part
            .get()
            .is_none_or(|part| part.has(part.range_of(meta)))
    }

    /// Whether an event about the object with this metadata is to be applied.
    pub(super) fn accepts(&self, meta: &ObjectMeta) -> bool {
        self.part.get().is_none_or(|part| part.accepts(meta))
    }

    pub(super) fn has_synced(&self) -> bool {
        *self.synced.borrow()
    }

    pub(super) fn set_synced(&self) {
        self.synced.send_replace(true);
    }

    pub(super) async fn wait_synced(&self) -> Result<(), Stopped> {
        wait_synced(&self.synced, &self.stop).await
    }
}

impl<K: Object> SharedInformer<K> {
    /// Returns the namespaces whose objects are cached now.
    pub fn namespaces(&self) -> Namespaces {
        self.inner.state.namespaces()
    }

    /// Caches the objects of another namespace, too. Does nothing if they are cached already. [`wait_synced`](Self::wait_synced) then waits for them.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_codegen_runtime::informer::{InformerConfig, SharedInformer};
    /// use kube_codegen_testing::ApiServer;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let config = InformerConfig { namespaces: "team-a".into(), ..InformerConfig::default() };
    /// let maps = SharedInformer::<ConfigMap>::new(ApiServer::new().client(), config);
    /// maps.start();
    /// maps.add_namespace("team-b")?;
    /// maps.wait_synced().await?;
    /// maps.remove_namespace("team-a");
    /// assert_eq!(maps.namespaces(), "team-b".into());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Fails if no namespace can have this name.
    pub fn add_namespace(&self, name: &str) -> Result<(), InvalidNamespace> {
        self.inner.add_namespace(name)
    }

    /// Stops the list and watch of one of several namespaces. Its objects leave the cache; handlers get them as deleted, with their final state
    /// unknown. Returns `false` if the informer has no list and watch of this namespace alone.
    pub fn remove_namespace(&self, name: &str) -> bool {
        self.inner.remove_namespace(name)
    }
}

impl State {
    pub(super) fn namespaces(&self) -> Namespaces {
        let scopes = self.scopes.read();
        let names: Option<_> = scopes
            .iter()
            .filter(|scope| !scope.stop.is_cancelled() || self.stop.is_cancelled())
            .map(|scope| scope.namespace.clone())
            .collect();
        names.map_or(Namespaces::All, Namespaces::Only)
    }
}

impl Informer {
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
    pub(super) fn add(&self, namespace: Option<String>) {
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
}

/// Runs a reflector until its scope or the informer stops. The informer fails if the reflector panics, or its task is dropped.
async fn follow(reflector: impl Fn(Arc<Scope>) -> Reflector, state: Arc<State>, scope: Arc<Scope>) {
    let mut guard = FailOnDrop(Some(Arc::clone(&state)));
    let run = async {
        match scope.part.get() {
            Some(part) => {
                let (state, scope) = (Arc::clone(&state), Arc::clone(&scope));
                Box::pin(divided::run(reflector, state, scope, part)).await;
            }
            None => reflector(Arc::clone(&scope)).run().await,
        }
    };
    let run = AssertUnwindSafe(run).catch_unwind();
    if let Some(Err(panic)) = scope.stop.run_until_cancelled(run).await {
        let message = panics::message(panic);
        state.fail(format!("its list and watch panicked: {message}"));
    }
    guard.0.take();
    if !state.stop.is_cancelled() {
        state.forget(&scope).await;
        state
            .scopes
            .write()
            .retain(|other| !Arc::ptr_eq(other, &scope));
        state.update_synced();
    }
    scope.ended.cancel();
}

/// Ends the informer when the task of its reflector is dropped: the runtime on which it was started shuts down.
struct FailOnDrop(Option<Arc<State>>);

impl Drop for FailOnDrop {
    fn drop(&mut self) {
        if let Some(state) = self.0.take()
            && !state.stop.is_cancelled()
        {
            state.fail("the runtime dropped its list and watch".to_owned());
        }
    }
}
