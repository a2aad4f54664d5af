//! Reads after writes of this process, while the watch is held back.
use crate::caches::{
    ignoring::late,
    script::{recorder, server},
};
use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
use kube::api::{DeleteParams, Patch};
use kube_codegen_runtime::{
    client::TypedClient,
    informer::{EventHandlerFuncs, InformerConfig, InformerFactory, SharedInformer},
    lister::parse_selector,
};
use kube_codegen_testing::{ApiServer, On};
use parking_lot::Mutex;
use serde_json::json;
use std::{sync::Arc, time::Duration};

/// An informer of `ConfigMaps`, the client whose writes it shows, and a client of another process.
struct Setup {
    server: ApiServer,
    _factory: InformerFactory,
    maps: SharedInformer<ConfigMap>,
    own: TypedClient<ConfigMap>,
    foreign: TypedClient<ConfigMap>,
}

async fn setup(config: InformerConfig) -> Setup {
    let server = ApiServer::new();
    let factory = InformerFactory::builder(server.client())
        .configure::<ConfigMap>(move |own| *own = config.clone())
        .build();
    let maps = factory.informer::<ConfigMap>();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    let client = factory.track_writes(&server.client());
    Setup {
        own: TypedClient::namespaced(client, "default"),
        foreign: TypedClient::namespaced(server.client(), "default"),
        server,
        _factory: factory,
        maps,
    }
}

pub(crate) fn map(name: &str, label: &str) -> ConfigMap {
    let map = json!({"metadata": {"name": name, "labels": {"on": label}}, "data": {"n": "0"}});
    serde_json::from_value(map).unwrap()
}

fn value(map: &ConfigMap) -> String {
    map.data.as_ref().unwrap()["n"].clone()
}

pub(crate) fn merge(patch: serde_json::Value) -> Patch<serde_json::Value> {
    Patch::Merge(patch)
}

/// Lets the watch deliver everything.
pub(crate) async fn catch_up(server: &ApiServer) {
    server.cut_watches(&On::any());
    tokio::time::sleep(Duration::from_secs(200)).await;
}

#[tokio::test(start_paused = true)]
async fn every_write_shows_at_once_in_reads_and_only_the_watch_calls_handlers() {
    let Setup {
        server, maps, own, ..
    } = setup(InformerConfig::default()).await;
    let by_value = |map: &ConfigMap| vec![value(map)];
    maps.add_index("value", by_value).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = |text: String| seen.lock().push(text);
    let (added, updated, deleted) = (seen.clone(), seen.clone(), seen.clone());
    let _handler = maps.add_event_handler(
        EventHandlerFuncs::<ConfigMap>::new()
            .on_add(move |map, _| added.lock().push(format!("+{}", value(map))))
            .on_update(move |old, new| {
                let text = format!("{}>{}", value(old), value(new));
                updated.lock().push(text);
            })
            .on_delete(move |gone| deleted.lock().push(format!("-{}", value(&gone.object)))),
    );
    tokio::time::sleep(Duration::from_secs(1)).await;
    server.stall_watches(&On::any());
    log("stalled".to_owned());

    let lister = maps.lister();
    let default = lister.namespaced("default");
    let read = || default.get("a").map(|map| value(&map)).ok();
    let found = |n: &str| lister.by_index("value", n).unwrap().len();
    let on = || lister.list(&parse_selector("on=yes").unwrap()).len();
    let mut stored = own.create(&map("a", "yes")).await.unwrap();
    assert_eq!((read().as_deref(), found("0"), on()), (Some("0"), 1, 1));
    stored.data = Some([("n".to_owned(), "1".to_owned())].into());
    own.replace(&stored).await.unwrap();
    assert_eq!(
        (read().as_deref(), found("0"), found("1")),
        (Some("1"), 0, 1)
    );
    own.modify("a", |map| {
        map.data = Some([("n".to_owned(), "2".to_owned())].into());
    })
    .await
    .unwrap();
    assert_eq!(read().as_deref(), Some("2"));
    own.patch("a", &merge(json!({"data": {"n": "3"}})))
        .await
        .unwrap();
    assert_eq!(read().as_deref(), Some("3"));
    own.clone()
        .dry_run()
        .patch("a", &merge(json!({"data": {"n": "no"}})))
        .await
        .unwrap();
    assert_eq!(read().as_deref(), Some("3"), "a dry run stores nothing");
    let configuration = json!({"metadata": {"name": "b"}, "data": {"n": "4"}});
    own.apply(&configuration, "test").await.unwrap();
    assert_eq!((lister.all().len(), found("4")), (2, 1));
    own.patch("a", &merge(json!({"metadata": {"labels": {"on": "no"}}})))
        .await
        .unwrap();
    assert_eq!(on(), 0);
    own.delete("a", &DeleteParams::default()).await.unwrap();
    assert_eq!((read(), lister.all().len(), found("3")), (None, 1, 0));
    assert_eq!(maps.status().pending_writes, 2);

    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(*seen.lock(), ["stalled"]);
    let late = Arc::clone(&seen);
    let late = EventHandlerFuncs::<ConfigMap>::new()
        .on_add(move |map, _| late.lock().push(format!("late +{}", value(map))));
    let _late = maps.add_event_handler(late);
    catch_up(&server).await;
    let mut seen = seen.lock().clone();
    seen.sort();
    assert_eq!(
        seen,
        [
            "+0", "+4", "-3", "0>1", "1>2", "2>3", "3>3", "late +0", "late +4", "stalled"
        ]
    );
    assert_eq!(maps.status().pending_writes, 0);
    assert_eq!((read(), lister.all().len()), (None, 1));
}

#[tokio::test(start_paused = true)]
async fn an_object_with_finalizers_is_shown_as_terminating_and_then_gone() {
    let Setup {
        server, maps, own, ..
    } = setup(InformerConfig::default()).await;
    let mut object = map("a", "yes");
    object.metadata.finalizers = Some(vec!["example.com/a".to_owned()]);
    own.create(&object).await.unwrap();
    catch_up(&server).await;
    server.stall_watches(&On::any());
    own.delete("a", &DeleteParams::default()).await.unwrap();
    let read = || maps.lister().namespaced("default").get("a");
    assert!(read().unwrap().metadata.deletion_timestamp.is_some());
    own.patch("a", &merge(json!({"metadata": {"finalizers": null}})))
        .await
        .unwrap();
    assert!(read().is_err());
    own.create(&map("a", "yes")).await.unwrap();
    assert!(read().unwrap().metadata.deletion_timestamp.is_none());
    catch_up(&server).await;
    assert_eq!(maps.status().pending_writes, 0);
    assert!(read().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_status_shows_at_once() {
    let server = ApiServer::new();
    let factory = InformerFactory::new(server.client());
    let lister = factory.informer::<Deployment>().lister();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    let client = factory.track_writes(&server.client());
    let deployments = TypedClient::<Deployment>::namespaced(client, "default");
    let labels = json!({"app": "a"});
    let deployment = json!({"metadata": {"name": "a"}, "spec": {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "a", "image": "a"}]}},
    }});
    let deployment = serde_json::from_value(deployment).unwrap();
    deployments.create(&deployment).await.unwrap();
    server.stall_watches(&On::any());
    deployments
        .modify_status("a", |one| {
            one.status.get_or_insert_default().replicas = Some(3);
        })
        .await
        .unwrap();
    let read = lister.namespaced("default").get("a").unwrap();
    assert_eq!(read.status.as_ref().unwrap().replicas, Some(3));
}

#[tokio::test(start_paused = true)]
async fn the_informer_shows_what_its_selector_and_namespaces_select() {
    let selects = |label: Option<&str>, field: Option<&str>, namespace: &str| InformerConfig {
        label_selector: label.map(str::to_owned),
        field_selector: field.map(str::to_owned),
        namespaces: namespace.into(),
        ..InformerConfig::default()
    };
    for (config, expected) in [
        (selects(Some("on=yes"), None, ""), [true, false, true]),
        (
            selects(Some("on notin (yes)"), None, ""),
            [false, true, false],
        ),
        (selects(None, None, "default"), [true, true, true]),
        (selects(None, None, "other"), [false, false, false]),
        // Only the server evaluates field selectors.
        (
            selects(None, Some("metadata.name=a"), ""),
            [false, false, false],
        ),
    ] {
        let Setup {
            server, maps, own, ..
        } = setup(config.clone()).await;
        server.stall_watches(&On::any());
        let read = || maps.lister().namespaced("default").get("a").is_ok();
        own.create(&map("a", "yes")).await.unwrap();
        let created = read();
        own.patch("a", &merge(json!({"metadata": {"labels": {"on": "no"}}})))
            .await
            .unwrap();
        let changed = read();
        own.patch("a", &merge(json!({"metadata": {"labels": {"on": "yes"}}})))
            .await
            .unwrap();
        assert_eq!([created, changed, read()], expected, "{config:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_that_another_client_deletes_is_shown_until_the_server_denies_it() {
    let Setup {
        server,
        maps,
        own,
        foreign,
        ..
    } = setup(InformerConfig::default()).await;
    server.stall_watches(&On::any());
    let read = || maps.lister().namespaced("default").get("a").is_ok();
    own.create(&map("a", "yes")).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1)).await;
    foreign.delete("a", &DeleteParams::default()).await.unwrap();
    assert!(read());
    own.patch("a", &merge(json!({"data": {"n": "1"}})))
        .await
        .unwrap_err();
    assert!(!read());
    for name in ["b", "c"] {
        own.create(&map(name, "yes")).await.unwrap();
    }
    tokio::time::sleep(Duration::from_millis(1)).await;
    foreign.delete("b", &DeleteParams::default()).await.unwrap();
    own.get("c").await.unwrap();
    own.get("d").await.unwrap_err();
    assert_eq!(maps.lister().all().len(), 2);
    assert_eq!(own.get_opt("b").await.unwrap(), None);
    assert_eq!(maps.lister().all().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_write_whose_event_never_arrives_is_shown_for_five_minutes() {
    let (client, mut scripted) = server();
    let factory = InformerFactory::new(client.clone());
    let maps = factory.informer::<ConfigMap>();
    factory.start();
    let _silent = scripted.stream(&[], "4").await;
    factory.wait_for_cache_sync().await.unwrap();
    let own = TypedClient::<ConfigMap>::namespaced(factory.track_writes(&client), "ns");
    let created = tokio::spawn(async move { own.create(&map("a", "yes")).await });
    scripted
        .next()
        .await
        .json(201, &crate::caches::script::map("a", "5"));
    created.await.unwrap().unwrap();
    // The server has nothing to say.
    let quiet = tokio::spawn(async move {
        let mut open = Vec::new();
        loop {
            open.push(scripted.watch().await.open());
        }
    });
    tokio::time::sleep(Duration::from_secs(290)).await;
    assert_eq!(maps.lister().all().len(), 1);
    tokio::time::sleep(Duration::from_secs(40)).await;
    assert_eq!(maps.lister().all().len(), 0);
    assert_eq!(maps.status().pending_writes, 0);
    quiet.abort();
}

/// The first creation is answered after the object was deleted, created and deleted again.
#[tokio::test(start_paused = true)]
async fn a_late_answer_does_not_show_an_object_of_the_past() {
    let server = ApiServer::new();
    let factory = InformerFactory::new(server.client());
    let maps = factory.informer::<ConfigMap>();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    server.stall_watches(&On::any());
    let requests = Arc::new(Mutex::new(0));
    let client = late(&server, move || {
        *requests.lock() += 1;
        Duration::from_secs(u64::from(*requests.lock() == 1))
    });
    let own = TypedClient::<ConfigMap>::namespaced(factory.track_writes(&client), "default");
    let first = own.clone();
    let first = tokio::spawn(async move { first.create(&map("a", "yes")).await });
    tokio::time::sleep(Duration::from_millis(1)).await;
    own.delete("a", &DeleteParams::default()).await.unwrap();
    let second = own.create(&map("a", "yes")).await.unwrap();
    assert_eq!(maps.lister().all()[0].metadata.uid, second.metadata.uid);
    own.delete("a", &DeleteParams::default()).await.unwrap();
    first.await.unwrap().unwrap();
    assert_eq!(maps.lister().all().len(), 0);
}

/// A reconcile that has read the object may wait for a change of it.
#[tokio::test(start_paused = true)]
async fn handlers_learn_of_a_written_object_that_is_gone_before_the_watch_delivers_it() {
    let Setup {
        server,
        maps,
        own,
        foreign,
        ..
    } = setup(InformerConfig::default()).await;
    let (recorder, mut log) = recorder();
    let _handler = maps.add_event_handler(recorder);
    server.stall_watches(&On::any());
    for name in ["a", "b", "c"] {
        own.create(&map(name, "yes")).await.unwrap();
    }
    foreign.delete("a", &DeleteParams::default()).await.unwrap();
    own.delete("b", &DeleteParams::default()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(log.rest(), [""; 0]);
    // What the watch has not delivered is lost.
    server.compact();
    catch_up(&server).await;
    let mut events = log.rest();
    events.sort();
    let short: Vec<_> = events.iter().map(|event| event.split('@').next()).collect();
    assert_eq!(
        short,
        ["+a", "+b", "+c", "-a", "-b"].map(Some),
        "{events:?}"
    );
    assert_eq!(maps.lister().all().len(), 1);
    assert_eq!(maps.status().pending_writes, 0);
}

#[tokio::test(start_paused = true)]
async fn a_transform_applies_to_written_objects_and_a_stopped_informer_ignores_them() {
    let server = ApiServer::new();
    let factory = InformerFactory::new(server.client());
    let maps = factory.informer::<ConfigMap>();
    maps.set_transform(|map: &mut ConfigMap| map.data = None)
        .unwrap();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    let client = factory.track_writes(&server.client());
    let own = TypedClient::namespaced(client, "default");
    server.stall_watches(&On::any());
    own.create(&map("a", "yes")).await.unwrap();
    assert_eq!(maps.lister().all()[0].data, None);
    factory.shutdown().await;
    own.create(&map("b", "yes")).await.unwrap();
    assert_eq!(maps.lister().all().len(), 1);
}
