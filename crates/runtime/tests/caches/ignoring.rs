//! Controllers that ignore the changes of their own writes.
use futures::channel::mpsc;
use http::{Method, Request};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Client,
    api::{Patch, PatchParams},
    client::Body,
};
use kube_codegen_runtime::{
    client::TypedClient,
    controller::{Action, Controller, OnError},
    informer::{InformerFactory, ObjectKey},
};
use kube_codegen_testing::{ApiServer, On};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tower::Service;

/// A server, and what a controller of its `ConfigMaps` has reconciled.
struct Setup {
    server: ApiServer,
    foreign: TypedClient<ConfigMap>,
    enqueue: mpsc::UnboundedSender<ObjectKey>,
    reconciled: Arc<Mutex<Vec<String>>>,
}

/// Returns a client whose writes are answered after `delay`, which their effects do not wait for.
pub fn late(
    server: &ApiServer,
    delay: impl Fn() -> Duration + Clone + Send + Sync + 'static,
) -> Client {
    let inner = server.service();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (mut inner, delay) = (inner.clone(), delay());
        let is_read = request.method() == Method::GET;
        async move {
            let response = inner.call(request).await;
            if !is_read {
                tokio::time::sleep(delay).await;
            }
            response
        }
    });
    Client::new(service, "default")
}

impl Setup {
    /// Starts a controller that calls `write` for each reconcile.
    async fn start<F: Future<Output = ()> + Send + 'static>(
        delay: Duration,
        write: impl Fn(TypedClient<ConfigMap>, String) -> F + Send + Sync + 'static,
    ) -> Self {
        Self::start_with(ApiServer::new(), move || delay, write).await
    }

    async fn start_with<F: Future<Output = ()> + Send + 'static>(
        server: ApiServer,
        delay: impl Fn() -> Duration + Clone + Send + Sync + 'static,
        write: impl Fn(TypedClient<ConfigMap>, String) -> F + Send + Sync + 'static,
    ) -> Self {
        let factory = InformerFactory::new(server.client());
        let client = factory.track_writes(&late(&server, delay));
        let maps = factory.informer::<ConfigMap>();
        let (enqueue, keys) = mpsc::unbounded();
        let controller = Controller::for_informer(&maps)
            .owns(&maps)
            .workers(2)
            .enqueue_from(keys)
            .ignore_own_writes();
        let reconciled = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&reconciled);
        let reconcile = move |map: Arc<ConfigMap>, _: Arc<()>| {
            let name = map.metadata.name.clone().unwrap();
            log.lock().push(name.clone());
            let written = write(TypedClient::namespaced(client.clone(), "default"), name);
            async move {
                written.await;
                Ok::<_, kube::Error>(Action::await_change())
            }
        };
        tokio::spawn(controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(())));
        tokio::time::sleep(Duration::from_secs(1)).await;
        Self {
            foreign: TypedClient::namespaced(server.client(), "default"),
            server,
            enqueue,
            reconciled,
        }
    }

    /// Returns what was reconciled since the last call.
    async fn reconciled(&self) -> Vec<String> {
        tokio::time::sleep(Duration::from_secs(30)).await;
        std::mem::take(&mut self.reconciled.lock())
    }

    async fn create(&self, name: &str) {
        let map = json!({"metadata": {"name": name}, "data": {}});
        let map = serde_json::from_value(map).unwrap();
        self.foreign.create(&map).await.unwrap();
    }

    async fn merge(&self, name: &str, patch: Value) {
        self.foreign
            .patch(name, &Patch::Merge(patch))
            .await
            .unwrap();
    }
}

/// Increases a counter, which is never done.
async fn count(maps: TypedClient<ConfigMap>, name: String) {
    maps.modify(&name, |map: &mut ConfigMap| {
        let data = map.data.get_or_insert_default();
        let n = data.get("n").map_or(0, |n| n.parse::<u32>().unwrap());
        assert!(n < 10, "the changes of {name} enqueue it");
        data.insert("n".to_owned(), (n + 1).to_string());
    })
    .await
    .unwrap();
}

#[tokio::test(start_paused = true)]
async fn own_changes_do_not_enqueue_even_if_the_watch_is_faster_than_the_response() {
    for delay in [Duration::ZERO, Duration::from_secs(5)] {
        let setup = Setup::start(delay, count).await;
        setup.create("a").await;
        assert_eq!(setup.reconciled().await, ["a"], "{delay:?}");
        setup.merge("a", json!({"data": {"other": "1"}})).await;
        assert_eq!(setup.reconciled().await, ["a"], "{delay:?}");
        let n = setup.foreign.get("a").await.unwrap().data.unwrap()["n"].clone();
        assert_eq!(n, "2", "{delay:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_of_another_client_enqueues_while_a_write_is_in_flight() {
    let setup = Setup::start(Duration::from_secs(5), count).await;
    setup.create("a").await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    setup.merge("a", json!({"data": {"other": "1"}})).await;
    assert_eq!(setup.reconciled().await, ["a", "a"]);
}

#[tokio::test(start_paused = true)]
async fn a_created_child_does_not_enqueue_its_owner() {
    let create = |maps: TypedClient<ConfigMap>, name: String| async move {
        let Some(owner) = maps.get_opt(&name).await.unwrap() else {
            return;
        };
        if name != "a" {
            return;
        }
        let child = json!({"metadata": {"name": "child", "ownerReferences": [{
            "apiVersion": "v1", "kind": "ConfigMap", "name": name, "controller": true,
            "uid": owner.metadata.uid,
        }]}});
        let child = serde_json::from_value(child).unwrap();
        let _ = maps.create(&child).await;
    };
    let setup = Setup::start(Duration::ZERO, create).await;
    setup.create("a").await;
    assert_eq!(setup.reconciled().await, ["a"]);
    setup.merge("child", json!({"data": {"other": "1"}})).await;
    let mut reconciled = setup.reconciled().await;
    reconciled.sort();
    assert_eq!(reconciled, ["a", "child"]);
}

#[tokio::test(start_paused = true)]
async fn a_patch_that_changes_nothing_does_not_hide_the_change_before_it() {
    let patch = |maps: TypedClient<ConfigMap>, name: String| async move {
        let params = PatchParams::default();
        let patch = Patch::Merge(json!({"metadata": {"labels": {"own": "yes"}}}));
        maps.api().patch(&name, &params, &patch).await.unwrap();
    };
    let setup = Setup::start(Duration::ZERO, patch).await;
    setup.create("a").await;
    setup.reconciled().await;
    setup.server.stall_watches(&On::any());
    setup.merge("a", json!({"data": {"other": "1"}})).await;
    setup
        .enqueue
        .unbounded_send(ObjectKey::namespaced("default", "a"))
        .unwrap();
    assert_eq!(
        setup.reconciled().await,
        ["a"],
        "it patches the other's version"
    );
    setup.server.cut_watches(&On::any());
    assert_eq!(setup.reconciled().await, ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_list_enqueues_also_a_version_that_was_written_here() {
    let setup = Setup::start(Duration::ZERO, count).await;
    setup.create("a").await;
    setup.reconciled().await;
    setup.server.stall_watches(&On::any());
    setup.merge("a", json!({"data": {"other": "1"}})).await;
    setup
        .enqueue
        .unbounded_send(ObjectKey::namespaced("default", "a"))
        .unwrap();
    assert_eq!(setup.reconciled().await, ["a"]);
    setup.server.compact();
    setup.server.cut_watches(&On::any());
    assert_eq!(setup.reconciled().await, ["a"]);
}

/// Copies `data.from` to `data.to`. The last state of `from` must arrive, however the watch and the responses are delayed.
#[tokio::test(start_paused = true)]
async fn no_change_of_another_client_is_lost() {
    let copy = |maps: TypedClient<ConfigMap>, name: String| async move {
        let copy = |map: &mut ConfigMap| {
            let data = map.data.get_or_insert_default();
            if let Some(from) = data.get("from").cloned() {
                data.insert("to".to_owned(), from);
            }
        };
        let _ = maps.modify(&name, copy).await;
    };
    for seed in 0..40 {
        let mut random = fastrand::Rng::with_seed(seed);
        let delays = Arc::new(Mutex::new(fastrand::Rng::with_seed(seed)));
        let delay = move || Duration::from_millis(delays.lock().u64(..50));
        let setup = Setup::start_with(ApiServer::new(), delay, copy).await;
        for name in ["a", "b", "c"] {
            setup.create(name).await;
        }
        for step in 0..80 {
            let any = On::any();
            match random.u32(..12) {
                0..=6 => {
                    let name = *random.choice(["a", "b", "c"].iter()).unwrap();
                    let patch = json!({"data": {"from": step.to_string()}});
                    setup.merge(name, patch).await;
                }
                7 => drop(setup.server.stall_watches(&any)),
                8 => drop(setup.server.cut_watches(&any)),
                9 => drop(setup.server.expire_watches(&any)),
                10 => {
                    setup.server.compact();
                    setup.server.cut_watches(&any);
                }
                _ => tokio::time::sleep(Duration::from_secs(random.u64(..60))).await,
            }
            tokio::time::sleep(Duration::from_millis(random.u64(..30))).await;
        }
        setup.server.cut_watches(&On::any());
        tokio::time::sleep(Duration::from_secs(200)).await;
        for name in ["a", "b", "c"] {
            let data = setup
                .foreign
                .get(name)
                .await
                .unwrap()
                .data
                .unwrap_or_default();
            assert_eq!(data.get("to"), data.get("from"), "seed {seed}: {name}");
        }
    }
}
