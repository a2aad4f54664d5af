//! Informers of several namespaces, which are added and removed at run time.
use crate::caches::script::{Call, Server, map, recorder, server, status};
use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret};
use kube_codegen_runtime::informer::{
    InformerConfig, InformerFactory, InitialList, Namespaces, SharedInformer, Stopped,
};
use serde_json::{Value, json};
use std::time::Duration;

fn of(namespace: &str, name: &str, version: &str) -> Value {
    let mut object = map(name, version);
    object["metadata"]["namespace"] = json!(namespace);
    object
}

/// Returns the next requests, sorted by path.
async fn calls(server: &mut Server, count: usize) -> Vec<Call> {
    let mut calls = Vec::new();
    for _ in 0..count {
        calls.push(server.next().await);
    }
    calls.sort_by(|a, b| a.path.cmp(&b.path));
    calls
}

fn two(client: kube::Client) -> SharedInformer<ConfigMap> {
    let namespaces = ["a", "b"].into();
    let config = InformerConfig {
        namespaces,
        ..InformerConfig::default()
    };
    SharedInformer::new(client, config)
}

#[tokio::test(start_paused = true)]
async fn each_namespace_has_a_list_and_watch() {
    let (client, mut server) = server();
    let informer = two(client);
    let (handler, mut log) = recorder();
    let registration = informer.add_event_handler(handler);
    informer.start();
    let mut calls = calls(&mut server, 2).await;
    let (second, first) = (calls.pop().unwrap(), calls.pop().unwrap());
    assert_eq!(first.path, "/api/v1/namespaces/a/configmaps");
    assert_eq!(second.path, "/api/v1/namespaces/b/configmaps");
    let first = first.open();
    first.send("ADDED", &of("a", "x", "1"));
    first.end_of_list("5");
    assert_eq!(log.next().await, "+x@1!");
    assert!(
        !informer.has_synced() && !registration.has_synced(),
        "b is not listed yet"
    );
    assert_eq!(informer.last_sync_resource_version(), "");
    let second = second.open();
    second.send("ADDED", &of("b", "y", "2"));
    second.end_of_list("4");
    registration.wait_synced().await.unwrap();
    assert_eq!(log.next().await, "+y@2!");
    assert_eq!(informer.last_sync_resource_version(), "4", "the lowest one");

    // A relist of one namespace does not touch the other.
    first.send("ERROR", &status(410, "Expired"));
    let call = server.watch().await;
    assert_eq!(call.path, "/api/v1/namespaces/a/configmaps");
    let first = call.open();
    first.end_of_list("6");
    assert_eq!(log.next().await, "-x@1?");
    second.send("MODIFIED", &of("b", "y", "7"));
    assert_eq!(log.next().await, "~y@2>7");
    assert_eq!(informer.lister().all().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn namespaces_are_added_and_removed_at_run_time() {
    let (client, mut server) = server();
    let informer = two(client);
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler(handler);
    informer.start();
    let mut watches = Vec::new();
    for call in calls(&mut server, 2).await {
        let namespace = call.path.split('/').nth(4).unwrap().to_owned();
        let watch = call.open();
        watch.send("ADDED", &of(&namespace, &namespace, "1"));
        watch.end_of_list("1");
        watches.push(watch);
    }
    assert_eq!(log.sorted(2).await, ["+a@1!", "+b@1!"]);
    informer.wait_synced().await.unwrap();

    informer.add_namespace("c").unwrap();
    informer.add_namespace("c").unwrap();
    let call = server.watch().await;
    assert_eq!(call.path, "/api/v1/namespaces/c/configmaps");
    assert!(informer.has_synced(), "the namespaces of the start are");
    let waiting = tokio::time::timeout(Duration::from_secs(5), informer.wait_synced()).await;
    assert!(waiting.is_err(), "c is not listed yet");
    let watch = call.open();
    watch.send("ADDED", &of("c", "c", "3"));
    watch.end_of_list("3");
    informer.wait_synced().await.unwrap();
    assert_eq!(log.next().await, "+c@3");

    assert!(informer.remove_namespace("b"));
    assert_eq!(log.next().await, "-b@1?");
    assert!(!informer.remove_namespace("b"));
    assert_eq!(informer.namespaces(), ["a", "c"].into());
    assert_eq!(informer.lister().all().len(), 2);
    watches[1].send("ADDED", &of("b", "late", "4"));
    server.quiet_for(Duration::from_secs(60)).await;
    assert_eq!(log.rest(), Vec::<String>::new());

    informer.add_namespace("b").unwrap();
    let call = server.watch().await;
    assert_eq!(call.query("resourceVersion"), "", "from the start");
    call.open().end_of_list("9");
    informer.wait_synced().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_namespace_removed_and_added_at_once_is_listed_again() {
    let (client, mut server) = server();
    let informer = two(client);
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler(handler);
    informer.start();
    for call in calls(&mut server, 2).await {
        let namespace = call.path.split('/').nth(4).unwrap().to_owned();
        let watch = call.open();
        watch.send("ADDED", &of(&namespace, &namespace, "1"));
        watch.end_of_list("1");
        std::mem::forget(watch);
    }
    log.sorted(2).await;
    informer.wait_synced().await.unwrap();
    assert!(informer.remove_namespace("a"));
    informer.add_namespace("a").unwrap();
    let call = server.watch().await;
    let watch = call.open();
    watch.send("ADDED", &of("a", "a", "1"));
    watch.end_of_list("2");
    assert_eq!(log.next().await, "-a@1?");
    assert_eq!(log.next().await, "+a@1");
    informer.wait_synced().await.unwrap();
    assert_eq!(informer.lister().all().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn names_are_checked() {
    for name in [
        "..",
        "a/b",
        "a?watch=true",
        "A",
        "-a",
        "a-",
        "a.b",
        &"a".repeat(64),
    ] {
        let (client, mut server) = server();
        let factory = InformerFactory::builder(client).namespace(name).build();
        let maps = factory.informer::<ConfigMap>();
        factory.start();
        assert!(factory.wait_for_cache_sync().await.is_err(), "{name}");
        assert_eq!(maps.wait_synced().await, Err(Stopped));
        let failure = maps.failure().unwrap();
        assert!(failure.contains("is not a valid namespace"), "{failure}");
        assert_eq!(factory.add_namespace(name).unwrap_err().0, name);
        server.quiet_for(Duration::from_secs(60)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_namespace_means_all() {
    let (client, mut server) = server();
    let factory = InformerFactory::builder(client).namespace("").build();
    let maps = factory.informer::<ConfigMap>();
    factory.start();
    let call = server.watch().await;
    assert_eq!(call.path, "/api/v1/configmaps");
    maps.add_namespace("a").unwrap();
    assert!(!maps.remove_namespace("a"));
    assert_eq!(maps.namespaces(), Namespaces::All);
    server.quiet_for(Duration::from_secs(5)).await;
}

#[tokio::test(start_paused = true)]
async fn a_factory_changes_the_namespaces_of_its_informers() {
    let (client, mut server) = server();
    let factory = InformerFactory::builder(client)
        .namespaces(["a"])
        .initial_list(InitialList::WatchCache)
        .configure::<Secret>(|config| config.label_selector = Some("app=web".into()))
        .build();
    factory.informer::<ConfigMap>();
    factory.informer::<Node>();
    factory.start();
    let paths =
        |calls: Vec<Call>| -> Vec<String> { calls.into_iter().map(|call| call.path).collect() };
    assert_eq!(
        paths(calls(&mut server, 2).await),
        ["/api/v1/namespaces/a/configmaps", "/api/v1/nodes"]
    );
    factory.add_namespace("b").unwrap();
    assert_eq!(
        paths(calls(&mut server, 1).await),
        ["/api/v1/namespaces/b/configmaps"]
    );
    assert!(factory.remove_namespace("a"));
    factory.informer::<Secret>();
    factory.start();
    let call = server.list().await;
    assert_eq!(call.path, "/api/v1/namespaces/b/secrets");
    assert_eq!(
        call.query("labelSelector"),
        "app%3Dweb",
        "of this kind alone"
    );
    server.quiet_for(Duration::from_millis(500)).await;
}

#[tokio::test(start_paused = true)]
async fn an_informer_of_no_namespace_is_synced() {
    let (client, mut server) = server();
    let config = InformerConfig {
        namespaces: Namespaces::from(Vec::<String>::new()),
        ..InformerConfig::default()
    };
    let informer = SharedInformer::<ConfigMap>::new(client, config);
    assert!(!informer.has_synced());
    informer.start();
    informer.wait_synced().await.unwrap();
    server.quiet_for(Duration::from_secs(5)).await;
    informer.add_namespace("a").unwrap();
    assert_eq!(server.watch().await.path, "/api/v1/namespaces/a/configmaps");
}
