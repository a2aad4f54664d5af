//! Relists and their pace: what a list must not forget, and what it must not cost.
use crate::caches::script::{informer, informer_with, map, map_with, recorder, server, status};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_codegen_runtime::informer::{InformerConfig, InitialList, SharedInformer};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

fn plain() -> InformerConfig {
    InformerConfig {
        initial_list: InitialList::WatchCache,
        ..InformerConfig::default()
    }
}

fn too_large() -> Value {
    let mut status = status(504, "Timeout");
    status["details"] = json!({ "causes": [{ "reason": "ResourceVersionTooLarge", "message": "Too large resource version" }] });
    status
}

/// After a restore of etcd, the server gives a version that it had given before to another state.
#[tokio::test(start_paused = true)]
async fn another_state_of_the_same_version_replaces_the_cached_one() {
    let (informer, mut server) = informer();
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler(handler);
    let objects = [
        map_with("a", "5", "u", "one"),
        map_with("b", "6", "v", "one"),
    ];
    let watch = server.stream(&objects, "7").await;
    log.sorted(2).await;
    watch.send("ERROR", &status(410, "Expired"));
    let objects = [
        map_with("a", "5", "u", "two"),
        map_with("b", "6", "v", "one"),
    ];
    let watch = server.stream(&objects, "9").await;
    assert_eq!(log.next().await, "~a@5>5");
    let cached = informer.lister().namespaced("ns").get("a").unwrap();
    assert_eq!(cached.data.as_ref().unwrap()["value"], "two");
    watch.send("ADDED", &map("z", "10"));
    assert_eq!(log.next().await, "+z@10", "b did not change");
}

#[tokio::test(start_paused = true)]
async fn a_fresh_list_stays_due_after_another_failure() {
    let (_informer, mut server) = informer_with(plain());
    server.list().await.items(&[map("a", "1")], "500");
    server.watch().await.fail(410, "Expired");
    server.list().await.json(504, &too_large());
    server.list().await.fail(503, "ServiceUnavailable");
    let list = server.list().await;
    assert_eq!(
        (list.query("resourceVersion"), list.query("limit")),
        ("", "500")
    );
    list.items(&[map("a", "1")], "3");
    server.watch().await.fail(410, "Expired");
    assert_eq!(server.list().await.query("resourceVersion"), "3", "once");
}

#[tokio::test(start_paused = true)]
async fn the_version_is_never_ahead_of_the_cache() {
    let (client, mut server) = server();
    let informer = SharedInformer::<ConfigMap>::new(client, InformerConfig::default());
    let (seen, mut versions) = tokio::sync::mpsc::unbounded_channel();
    let reader = informer.clone();
    informer
        .set_transform(move |_| drop(seen.send(reader.last_sync_resource_version())))
        .unwrap();
    informer.start();
    let watch = server.stream(&[map("a", "1")], "1").await;
    watch.send("MODIFIED", &map("a", "2"));
    watch.send("DELETED", &map("a", "3"));
    for expected in ["", "1", "2"] {
        assert_eq!(
            versions.recv().await.unwrap(),
            expected,
            "while the change is not cached"
        );
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(informer.last_sync_resource_version(), "3");
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_bookmark_without_a_version_is_ignored() {
    let (informer, mut server) = informer();
    let watch = server.stream(&[], "4").await;
    for bookmark in [
        json!({ "metadata": { "resourceVersion": null, "annotations": null } }),
        json!({ "metadata": null }),
        json!({}),
    ] {
        watch.send("BOOKMARK", &bookmark);
    }
    watch.send("ADDED", &map("a", "5"));
    server.quiet_for(Duration::from_secs(5)).await;
    assert_eq!(informer.last_sync_resource_version(), "5");
    assert_eq!(informer.metrics().failures, 0);
}

/// Returns the time that a streaming list of `count` objects takes, all of which are deleted before it is complete if `deleted`.
async fn streaming_list(count: usize, deleted: bool) -> Duration {
    let (informer, mut server) = informer();
    let watch = server.watch().await.open();
    let objects: Vec<_> = (0..count)
        .map(|number| map(&format!("n{number}"), "1"))
        .collect();
    let began = std::time::Instant::now();
    for object in &objects {
        watch.send("ADDED", object);
    }
    for object in objects.iter().rev().filter(|_| deleted) {
        watch.send("DELETED", object);
    }
    watch.end_of_list("2");
    informer.wait_synced().await.unwrap();
    assert_eq!(
        informer.lister().all().len(),
        if deleted { 0 } else { count }
    );
    began.elapsed()
}

/// Compares two times, so that a slow machine does not fail the test.
#[tokio::test]
async fn deletions_during_a_streaming_list_take_linear_time() {
    let without = streaming_list(3000, false).await;
    let with = streaming_list(3000, true).await;
    assert!(
        with < without * 6,
        "{with:?}, without deletions {without:?}"
    );
}

/// Counts how often another task of the same thread runs while a list is decoded and stored.
#[tokio::test]
async fn a_large_list_lets_other_tasks_run() {
    for streaming in [false, true] {
        let (informer, mut server) = if streaming {
            informer()
        } else {
            informer_with(plain())
        };
        let objects: Vec<_> = (0..8000)
            .map(|number| map(&format!("n{number}"), "1"))
            .collect();
        let turns = Arc::new(AtomicUsize::new(0));
        let counting = Arc::new(AtomicBool::new(true));
        let (counted, on) = (Arc::clone(&turns), Arc::clone(&counting));
        if streaming {
            server.stream(&objects, "1").await;
        } else {
            server.list().await.items(&objects, "1");
        }
        let other = tokio::spawn(async move {
            while on.load(Ordering::Relaxed) {
                counted.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
            }
        });
        informer.wait_synced().await.unwrap();
        counting.store(false, Ordering::Relaxed);
        other.await.unwrap();
        let turns = turns.load(Ordering::Relaxed);
        assert!(turns >= 100, "{turns} turns, streaming: {streaming}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_closed_after_one_event_is_not_reopened_at_once() {
    let (informer, mut server) = informer();
    drop(server.stream(&[], "4").await);
    let began = Instant::now();
    for version in 5..15 {
        let watch = server.watch().await.open();
        watch.send("ADDED", &map("a", &version.to_string()));
    }
    assert!(
        began.elapsed() > Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
    let watch = server.watch().await.open();
    tokio::time::sleep(Duration::from_secs(5)).await;
    drop(watch);
    let closed = Instant::now();
    let _call = server.watch().await;
    assert!(
        closed.elapsed() < Duration::from_secs(1),
        "a watch that lasted resets the pause"
    );
    let failures = informer.metrics().failures;
    assert_eq!(
        failures, 1,
        "the first watch, which had no event after its list"
    );
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_read_from_the_header() {
    let (_informer, mut server) = informer();
    server.watch().await.throttle(120);
    server.quiet_for(Duration::from_secs(119)).await;
    server.watch().await;
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_limited() {
    let (_informer, mut server) = informer();
    server.watch().await.throttle(86_400);
    server.quiet_for(Duration::from_secs(299)).await;
    let began = Instant::now();
    server.watch().await;
    assert!(began.elapsed() < Duration::from_secs(2));
}

#[tokio::test(start_paused = true)]
async fn missing_bookmarks_reveal_a_dead_connection() {
    let (_informer, mut server) = informer();
    let watch = server.stream(&[], "4").await;
    for version in ["5", "6"] {
        server.quiet_for(Duration::from_secs(60)).await;
        watch.bookmark(version);
    }
    let began = Instant::now();
    assert_eq!(server.watch().await.query("resourceVersion"), "6");
    assert!(
        began.elapsed() < Duration::from_secs(100),
        "{:?}",
        began.elapsed()
    );
}
