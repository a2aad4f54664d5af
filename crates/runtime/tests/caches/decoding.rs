//! Objects that do not decode are reported, counted and skipped.
use crate::caches::script::{Log, Server, informer, informer_with, map, recorder, server, version};
use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_codegen_runtime::informer::{
    InformerConfig, InformerError, InformerEvent, InformerFactory, InitialList, ObjectKey,
    SharedInformer,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// A `ConfigMap` whose `data` is not a map.
fn bad(name: &str, version: &str) -> Value {
    json!({ "metadata": { "name": name, "namespace": "ns", "resourceVersion": version }, "data": "nonsense" })
}

type Reports = Arc<Mutex<Vec<(Option<ObjectKey>, String)>>>;

fn reports(informer: &SharedInformer<ConfigMap>) -> Reports {
    let reports = Reports::default();
    let received = Arc::clone(&reports);
    informer.set_error_handler(move |error| match error {
        InformerError::Decode(error) => received
            .lock()
            .unwrap()
            .push((error.key.clone(), error.message.clone())),
        other => panic!("{other}"),
    });
    reports
}

fn with_log(informer: &SharedInformer<ConfigMap>) -> Log {
    let (handler, log) = recorder();
    let _ = informer.add_event_handler(handler);
    log
}

async fn synced(
    informer: &SharedInformer<ConfigMap>,
    server: &mut Server,
) -> crate::caches::script::Watch {
    let watch = server
        .stream(&[map("a", "1"), bad("b", "2"), map("c", "3")], "3")
        .await;
    informer.wait_synced().await.unwrap();
    watch
}

#[tokio::test(start_paused = true)]
async fn a_list_skips_a_bad_object() {
    for list in [InitialList::Streaming, InitialList::WatchCache] {
        let (informer, mut server) = informer_with(InformerConfig {
            initial_list: list,
            ..InformerConfig::default()
        });
        let reports = reports(&informer);
        if list == InitialList::Streaming {
            synced(&informer, &mut server).await;
        } else {
            server
                .list()
                .await
                .items(&[map("a", "1"), bad("b", "2"), map("c", "3")], "3");
            informer.wait_synced().await.unwrap();
        }
        assert_eq!(informer.lister().all().len(), 2);
        assert_eq!(informer.metrics().decode_failures, 1);
        let reports = reports.lock().unwrap();
        assert_eq!(reports[0].0, Some(ObjectKey::namespaced("ns", "b")));
        assert!(
            reports[0]
                .1
                .starts_with("invalid type: string, expected a map"),
            "{reports:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_skips_a_bad_object_and_keeps_its_last_good_state() {
    let (informer, mut server) = informer();
    let mut log = with_log(&informer);
    let watch = synced(&informer, &mut server).await;
    log.sorted(2).await;
    watch.send("MODIFIED", &bad("a", "5"));
    watch.send("MODIFIED", &map("c", "6"));
    assert_eq!(log.next().await, "~c@3>6");
    assert_eq!(
        version(&informer.lister().namespaced("ns").get("a").unwrap()),
        "1"
    );
    watch.send("MODIFIED", &map("a", "7"));
    assert_eq!(log.next().await, "~a@1>7", "a later good state replaces it");
    watch.send("MODIFIED", &bad("a", "8"));
    drop(watch);
    assert_eq!(
        server.watch().await.query("resourceVersion"),
        "8",
        "the watch resumes after the bad object"
    );
    assert_eq!(informer.metrics().decode_failures, 3);
}

#[tokio::test(start_paused = true)]
async fn a_bad_object_can_be_deleted() {
    let (informer, mut server) = informer();
    let mut log = with_log(&informer);
    let watch = synced(&informer, &mut server).await;
    log.sorted(2).await;
    watch.send("DELETED", &bad("a", "5"));
    assert_eq!(
        log.next().await,
        "-a@1?",
        "the tombstone has its last good state"
    );
    assert!(informer.lister().namespaced("ns").get("a").is_err());
}

#[tokio::test(start_paused = true)]
async fn a_list_does_not_delete_a_bad_object() {
    let (informer, mut server) = informer();
    let mut log = with_log(&informer);
    let watch = synced(&informer, &mut server).await;
    log.sorted(2).await;
    watch.send("ERROR", &crate::caches::script::status(410, "Expired"));
    let watch = server.stream(&[bad("a", "7")], "9").await;
    assert_eq!(log.next().await, "-c@3?");
    watch.send("MODIFIED", &map("a", "10"));
    assert_eq!(log.next().await, "~a@1>10");
}

#[tokio::test(start_paused = true)]
async fn a_transform_runs_before_the_store() {
    let (client, mut server) = crate::caches::script::server();
    let informer = SharedInformer::<ConfigMap>::new(client, InformerConfig::default());
    informer
        .set_transform(|object: &mut ConfigMap| object.data = None)
        .unwrap();
    informer.start();
    let watch = server.stream(&[map("a", "1")], "1").await;
    watch.send("ADDED", &map("b", "2"));
    informer.wait_synced().await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert!(informer.set_transform(|_| {}).is_err(), "it has objects");
    let all = informer.lister().all();
    assert_eq!(
        (all.len(), all.iter().all(|object| object.data.is_none())),
        (2, true)
    );
}

/// A `ConfigMap` nested deeper than serde's limit of 128 levels. Anybody who may write an object without a schema can store one.
fn deep(name: &str, version: &str) -> Value {
    let mut object = bad(name, version);
    object["data"] = (0..1000).fold(json!(1), |inner, _| json!({ "a": inner }));
    object["metadata"]["labels"] = object["data"].clone();
    object
}

#[tokio::test(start_paused = true)]
async fn an_object_too_deep_to_decode_can_be_deleted() {
    let (informer, mut server) = informer();
    let mut log = with_log(&informer);
    let watch = synced(&informer, &mut server).await;
    log.sorted(2).await;
    watch.send("MODIFIED", &deep("a", "5"));
    watch.send("DELETED", &deep("a", "6"));
    assert_eq!(log.next().await, "-a@1?");
    assert!(informer.lister().namespaced("ns").get("a").is_err());
    assert_eq!(informer.last_sync_resource_version(), "6");
}

#[tokio::test(start_paused = true)]
async fn a_list_does_not_delete_an_object_too_deep_to_decode() {
    let (informer, mut server) = informer();
    let mut log = with_log(&informer);
    let watch = synced(&informer, &mut server).await;
    log.sorted(2).await;
    watch.send("ERROR", &crate::caches::script::status(410, "Expired"));
    let _watch = server.stream(&[deep("a", "7")], "9").await;
    assert_eq!(log.next().await, "-c@3?", "only c is gone");
    assert!(informer.lister().namespaced("ns").get("a").is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_transform_of_the_informer_does_not_replace_the_factorys() {
    let (client, mut server) = crate::caches::script::server();
    let factory = InformerFactory::builder(client)
        .transform(|meta| meta.annotations = None)
        .build();
    let maps = factory.informer::<ConfigMap>();
    maps.set_transform(|object| object.data = None).unwrap();
    factory.start();
    let mut object = map("a", "1");
    object["metadata"]["annotations"] = json!({ "large": "text" });
    let _watch = server.stream(&[object], "1").await;
    maps.wait_synced().await.unwrap();
    let stored = maps.lister().namespaced("ns").get("a").unwrap();
    assert_eq!((&stored.data, &stored.metadata.annotations), (&None, &None));
}

#[tokio::test(start_paused = true)]
async fn managed_fields_are_cached_on_request_only() {
    for (keep, is_compact) in [(false, false), (false, true), (true, false), (true, true)] {
        let (client, mut server) = crate::caches::script::server();
        let mut factory = InformerFactory::builder(client);
        if keep {
            factory = factory.keep_managed_fields();
        }
        if is_compact {
            factory = factory.compact::<ConfigMap>();
        }
        let factory = factory.build();
        let maps = factory.informer::<ConfigMap>();
        factory.start();
        let managed = |name: &str, version| {
            let mut object = map(name, version);
            object["metadata"]["managedFields"] = json!([{ "manager": "kubectl" }]);
            object
        };
        // More than a compact cache keeps decoded.
        let listed: Vec<_> = (0..600)
            .map(|number| managed(&format!("map-{number}"), "1"))
            .collect();
        let watch = server.stream(&listed, "1").await;
        maps.wait_synced().await.unwrap();
        watch.send("ADDED", &managed("b", "2"));
        let has_kept = |object: &ConfigMap| {
            let managed = object.metadata.managed_fields.as_ref();
            managed.is_some_and(|all| all.len() == 1) == keep
        };
        let mut events = maps.events();
        for _ in 0..=listed.len() {
            let InformerEvent::Added { object, .. } = events.next().await.unwrap() else {
                panic!("unexpected event");
            };
            assert!(has_kept(&object));
        }
        let all = maps.lister().all();
        assert!(all.len() > listed.len() && all.iter().all(|object| has_kept(object)));
    }
}

#[tokio::test(start_paused = true)]
async fn no_failure_shows_what_a_secret_holds() {
    let (client, mut server) = server();
    let secrets = SharedInformer::<Secret>::new(client, InformerConfig::default());
    let failures = Arc::new(Mutex::new(Vec::new()));
    let received = Arc::clone(&failures);
    secrets.set_error_handler(move |error| {
        received.lock().unwrap().push(format!("{error} {error:?}"));
    });
    secrets.start();
    let watch = server.stream(&[], "1").await;
    let meta = json!({"name": "s", "namespace": "ns", "resourceVersion": "2"});
    let values = [
        json!({"data": "hunter2"}),
        json!({"data": {"password": "hunter2!"}}),
        json!({"data": {"password": ["hunter2"]}}),
        json!({"data": {"pin": 112_233}}),
        json!({"stringData": {"pin": 112_233.5}}),
        json!({"stringData": ["hunter2\", expected hunter2"]}),
        json!({"immutable": "hunter2"}),
        json!({"type": ["hunter2"]}),
    ];
    for value in &values {
        let mut secret = value.clone();
        secret["metadata"] = meta.clone();
        watch.send("MODIFIED", &secret);
    }
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let failures = failures.lock().unwrap();
    assert_eq!(failures.len(), values.len());
    for failure in &*failures {
        assert!(
            !failure.contains("hunter2") && !failure.contains("112233"),
            "{failure}"
        );
        assert!(
            failure.contains("Secret ns/s does not decode: "),
            "{failure}"
        );
    }
}
