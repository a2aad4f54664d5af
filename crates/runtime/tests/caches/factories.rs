//! The factory creates one informer per kind, and starts and stops them together.
use crate::caches::script::{map, server};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret},
};
use kube_codegen_runtime::informer::{EventHandlerFuncs, InformerFactory, InitialList, NotSynced};
use serde_json::json;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn one_informer_per_kind_starts_on_request() {
    let (client, mut server) = server();
    let factory = InformerFactory::builder(client)
        .namespace("ns")
        .label_selector("app=web")
        .initial_list(InitialList::WatchCache)
        .build();
    let maps = factory.informer::<ConfigMap>();
    server.quiet_for(Duration::from_secs(5)).await;
    factory.start();
    let list = server.list().await;
    assert_eq!(
        (list.path.as_str(), list.query("labelSelector")),
        ("/api/v1/namespaces/ns/configmaps", "app%3Dweb")
    );
    list.items(&[map("a", "1")], "1");
    factory.wait_for_cache_sync().await.unwrap();
    let _watch = server.watch().await.open();
    assert_eq!(
        factory.informer::<ConfigMap>().lister().all().len(),
        1,
        "the same informer"
    );
    assert_eq!(maps.lister().all().len(), 1);
    factory.start();
    server.quiet_for(Duration::from_secs(5)).await;

    factory.informer::<Deployment>();
    let not_started = Err(NotSynced {
        kinds: vec!["Deployment.apps".into()],
    });
    let waiting = tokio::time::timeout(Duration::from_secs(60), factory.wait_for_cache_sync());
    assert_eq!(waiting.await, Ok(not_started), "nothing starts it");
    factory.start();
    let list = server.list().await;
    assert_eq!(
        list.path, "/apis/apps/v1/namespaces/ns/deployments",
        "only the new one starts"
    );
    assert_eq!(
        factory
            .wait_for_cache_sync_within(Duration::from_secs(1))
            .await,
        Err(NotSynced {
            kinds: vec!["Deployment.apps".into()]
        })
    );
    list.json(
        200,
        &json!({ "metadata": { "resourceVersion": "1" }, "items": null }),
    );
    factory
        .wait_for_cache_sync_within(Duration::from_secs(1))
        .await
        .unwrap();
    factory.shutdown().await;
    assert!(maps.is_stopped());
    assert_eq!(maps.lister().all().len(), 1, "the cache stays readable");
}

#[tokio::test(start_paused = true)]
async fn informers_that_never_synced_are_named() {
    let (client, _server) = server();
    let factory = InformerFactory::new(client);
    factory.informer::<Secret>();
    factory.informer::<ConfigMap>();
    let error = factory
        .wait_for_cache_sync_within(Duration::from_secs(1))
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "not synced: ConfigMap, Secret");
    factory.shutdown().await;
    assert_eq!(
        factory.wait_for_cache_sync().await.unwrap_err(),
        error,
        "waiting for stopped informers ends"
    );
}

#[tokio::test(start_paused = true)]
async fn informers_inherit_transform_and_resync() {
    let (client, mut server) = server();
    let factory = InformerFactory::builder(client)
        .resync(Duration::from_secs(60))
        .transform(|meta| meta.annotations = None)
        .build();
    let maps = factory.informer::<ConfigMap>();
    let (sender, mut updates) = tokio::sync::mpsc::unbounded_channel();
    let _registration = maps.add_event_handler(
        EventHandlerFuncs::<ConfigMap>::new()
            .on_update(move |_, new| drop(sender.send(new.clone()))),
    );
    factory.start();
    let mut object = map("a", "1");
    object["metadata"]["annotations"] = json!({ "large": "text" });
    let _watch = server.stream(&[object], "1").await;
    let resynced = updates.recv().await.unwrap();
    assert_eq!(resynced.metadata.annotations, None);
    assert_eq!(
        resynced.metadata.labels.as_ref().unwrap()["app"],
        "a",
        "other metadata stays"
    );
}

#[tokio::test(start_paused = true)]
async fn dropping_the_factory_and_its_informers_ends_all_tasks() {
    let (client, mut server) = server();
    let factory = InformerFactory::new(client);
    factory.informer::<ConfigMap>();
    factory.start();
    let _watch = server.stream(&[map("a", "1")], "1").await;
    factory.wait_for_cache_sync().await.unwrap();
    drop(factory);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks(),
        0
    );
}

#[tokio::test(start_paused = true)]
async fn the_status_shows_each_informer() {
    let (client, mut server) = server();
    let factory = InformerFactory::builder(client).namespace("ns").build();
    let maps = factory.informer::<ConfigMap>();
    let handler = maps.add_event_handler(EventHandlerFuncs::new());
    assert_eq!(factory.status()[0].age_seconds, None, "not started");
    factory.start();
    let watch = server.stream(&[map("a", "1"), map("b", "2")], "4").await;
    handler.wait_synced().await.unwrap();
    watch.send("MODIFIED", &map("a", "5"));
    watch.bookmark("7");
    tokio::time::sleep(Duration::from_secs(10)).await;
    drop(watch);
    let next = server.watch().await;
    tokio::time::sleep(Duration::from_secs(5)).await;

    let status = factory.status().remove(0);
    assert_eq!(
        serde_json::to_value(&status).unwrap(),
        json!({
            "group": "", "version": "v1", "kind": "ConfigMap", "resource": "configmaps",
            "namespace": "ns", "labelSelector": null, "fieldSelector": null,
            "synced": true, "stopped": false, "objects": 2, "namespaces": 1, "lastSyncResourceVersion": "7",
            "pendingWrites": 0, "oldestPendingWriteSeconds": null,
            "ageSeconds": 15.0, "idleSeconds": 15.0, "failures": 0,
            "handlers": [{ "synced": true, "pending": 0 }],
        })
    );
    let metrics = status.metrics;
    assert_eq!((metrics.lists, metrics.events, metrics.objects), (1, 1, 2));
    assert_eq!(metrics.items_per_list.up_to(1.0), 0);
    assert_eq!(metrics.items_per_list.up_to(10.0), 1);
    assert_eq!((metrics.watches, metrics.short_watches), (1, 0));
    assert_eq!(metrics.watch_duration.up_to(10.0), 1);
    assert_eq!(metrics.items_per_watch.up_to(1.0), 1);
    assert_eq!(metrics.processing_latency.count(), 1);
    drop(next.open());
}
