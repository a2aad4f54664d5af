//! An informer as the source of kube's own controllers.
use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::runtime::{
    applier,
    controller::{Action, Config, trigger_self},
    reflector::ObjectRef,
};
use kube_codegen_runtime::informer::{InformerConfig, SharedInformer};
use kube_codegen_testing::{ApiServer, On};
use serde_json::json;
use tokio::time::sleep;

const SECOND: Duration = Duration::from_secs(1);

fn seed(server: &ApiServer, name: &str) {
    let metadata = json!({"name": name, "namespace": "default"});
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
    server.seed(&object).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_controller_of_kube_needs_no_watch_of_its_own() {
    let server = ApiServer::new();
    seed(&server, "a");
    seed(&server, "b");
    let informer = SharedInformer::<ConfigMap>::new(server.client(), InformerConfig::default());
    let (store, changes) = informer.reflect();
    informer.start();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let reconcile = async |map: Arc<ConfigMap>, seen: Arc<Mutex<Vec<String>>>| {
        let name = map.metadata.name.clone().unwrap();
        // The delay is kept by kube's scheduler.
        let delay = Duration::from_secs(if name == "a" { 100 } else { 10_000 });
        seen.lock().unwrap().push(name);
        let ours = kube_codegen_runtime::controller::Action::requeue(delay);
        Ok::<_, Infallible>(Action::from(ours))
    };
    let running = applier(
        move |map, seen| Box::pin(reconcile(map, seen)),
        |_, _: &Infallible, _| Action::await_change(),
        Arc::clone(&seen),
        store.clone(),
        trigger_self(changes.map(Ok::<_, Infallible>), ()),
        Config::default(),
    );
    tokio::spawn(running.for_each(|_| async {}));
    let take = || {
        let mut all = std::mem::take(&mut *seen.lock().unwrap());
        all.sort();
        all
    };
    sleep(10 * SECOND).await;
    assert_eq!(take(), ["a", "b"]);
    assert_eq!(store.len(), 2);
    sleep(100 * SECOND).await;
    assert_eq!(take(), ["a"], "its delay is over");
    seed(&server, "c");
    sleep(SECOND).await;
    assert_eq!(take(), ["c"]);
    server.delete::<ConfigMap>("default", "b").unwrap();
    server
        .edit::<ConfigMap>("default", "c", |it| it["data"] = json!({"x": "1"}))
        .unwrap();
    sleep(SECOND).await;
    assert_eq!(take(), ["c"]);
    let of = |name: &str| store.get(&ObjectRef::new(name).within("default"));
    assert!(of("b").is_none());
    assert!(of("c").unwrap().data.is_some());
    let watches = server.requests();
    let watches = watches.iter().filter(|it| it.verb == "watch").count();
    assert_eq!(watches, 1);
}

/// Objects that are deleted before the first list is complete, while a watch is down, and an empty list.
#[tokio::test(start_paused = true)]
async fn a_store_of_kube_is_ready_after_the_first_list_and_forgets_what_is_deleted() {
    let server = ApiServer::new();
    let informer = SharedInformer::<ConfigMap>::new(server.client(), InformerConfig::default());
    let (store, changes) = informer.reflect();
    let not_ready = tokio::time::timeout(SECOND, store.wait_until_ready()).await;
    assert!(not_ready.is_err());
    informer.start();
    let driven = tokio::spawn(changes.for_each(|_| async {}));
    tokio::time::timeout(10 * SECOND, store.wait_until_ready())
        .await
        .unwrap()
        .unwrap();
    assert!(store.is_empty());
    // A late one gets everything, too.
    seed(&server, "a");
    sleep(SECOND).await;
    let (late, changes) = informer.reflect();
    server.delete::<ConfigMap>("default", "a").unwrap();
    sleep(SECOND).await;
    let late_driven = tokio::spawn(changes.for_each(|_| async {}));
    late.wait_until_ready().await.unwrap();
    sleep(SECOND).await;
    assert!(late.is_empty() && store.is_empty());
    seed(&server, "b");
    sleep(SECOND).await;
    server.cut_watches(&On::any());
    server.delete::<ConfigMap>("default", "b").unwrap();
    server.compact();
    sleep(60 * SECOND).await;
    assert!(late.is_empty() && store.is_empty());
    informer.shutdown().await;
    driven.await.unwrap();
    late_driven.await.unwrap();
}
