//! Streams and handlers that no one expects: repeated, reordered, foreign and huge events, and handlers that act on their own informer.
use crate::caches::script::{informer, informer_with, map, map_with, recorder, version};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_codegen_runtime::informer::{
    EventHandlerFuncs, HandlerRegistration, InformerConfig, InitialList,
};
use serde_json::json;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn an_event_that_is_sent_twice_keeps_the_sequence_of_each_object() {
    let (informer, mut server) = informer();
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler(handler);
    let watch = server.stream(&[map("a", "1"), map("a", "1")], "1").await;
    assert_eq!(log.next().await, "+a@1!");
    for _ in 0..2 {
        watch.send("ADDED", &map("b", "2"));
    }
    watch.send("MODIFIED", &map("b", "3"));
    watch.send("MODIFIED", &map("b", "3"));
    for _ in 0..2 {
        watch.send("DELETED", &map("b", "4"));
    }
    watch.send("MODIFIED", &map("c", "5"));
    let mut events = Vec::new();
    while events.last().is_none_or(|last| last != "+c@5") {
        events.push(log.next().await);
    }
    // A repeated state may be reported, as in client-go, but an object is added once and deleted once.
    events.retain(|event| event != "~b@2>2" && event != "~b@3>3");
    assert_eq!(events, ["+b@2", "~b@2>3", "-b@4", "+c@5"]);
}

#[tokio::test(start_paused = true)]
async fn a_list_with_an_object_twice_has_it_once() {
    for list in [InitialList::WatchCache, InitialList::Paged(500)] {
        let config = InformerConfig {
            initial_list: list,
            ..InformerConfig::default()
        };
        let (informer, mut server) = informer_with(config);
        let (handler, mut log) = recorder();
        let _registration = informer.add_event_handler(handler);
        let items = [map("a", "1"), map("b", "2"), map("a", "3")];
        server.list().await.items(&items, "3");
        let watch = server.watch().await.open();
        informer.wait_synced().await.unwrap();
        assert_eq!(log.sorted(2).await, ["+a@3!", "+b@2!"]);
        assert_eq!(informer.lister().all().len(), 2);
        watch.send("DELETED", &map("a", "4"));
        assert_eq!(log.next().await, "-a@4");
        assert_eq!(informer.lister().all().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn an_older_version_never_replaces_a_newer_one() {
    let (informer, mut server) = informer();
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler(handler);
    let watch = server.stream(&[map("a", "10")], "10").await;
    watch.send("MODIFIED", &map("a", "9"));
    watch.send("DELETED", &map("a", "8"));
    watch.send("MODIFIED", &map_with("a", "7", "another uid", ""));
    watch.send("MODIFIED", &map("a", "12"));
    watch.send("ADDED", &map("b", "11"));
    watch.send("MODIFIED", &map("b", "not a number"));
    for expected in ["+a@10!", "~a@10>12", "+b@11", "~b@11>not a number"] {
        assert_eq!(log.next().await, expected);
    }
    watch.bookmark("13");
    watch.bookmark("5");
    watch.send("MODIFIED", &map("a", "11"));
    drop(watch);
    // It resumes from the newest version that it has seen.
    let resumed = server.watch().await;
    assert_eq!(resumed.query("resourceVersion"), "13");
    resumed.fail(410, "Expired");
    // The list of a server that was restored is older.
    let watch = server.stream(&[map("a", "4")], "4").await;
    assert_eq!(log.next().await, "~a@12>4");
    assert_eq!(log.next().await, "-b@not a number?");
    watch.send("MODIFIED", &map("a", "6"));
    assert_eq!(log.next().await, "~a@4>6");
}

#[tokio::test(start_paused = true)]
async fn events_of_other_kinds_and_without_objects_do_not_stop_the_watch() {
    let (informer, mut server) = informer();
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler(handler);
    let watch = server.stream(&[], "1").await;
    watch.send("ADDED", &json!({"kind": "Secret", "metadata": {"name": "x", "resourceVersion": "2"}, "data": {"k": 1}}));
    watch.send("MODIFIED", &json!([]));
    watch.send("DELETED", &json!({"kind": "ConfigMap"}));
    watch.send("BOOKMARK", &json!({"kind": "ConfigMap"}));
    watch.send("", &map("a", "3"));
    watch.raw("\n\n   \n");
    watch.send("ADDED", &map("a", "4"));
    assert_eq!(log.next().await, "+a@4");
    assert_eq!(informer.metrics().decode_failures, 3);
    assert_eq!(informer.lister().all().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_object_of_megabytes_arrives_in_any_pieces() {
    let (informer, mut server) = informer();
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler(handler);
    let huge = map_with("huge", "2", "uid-huge", &"é\\\"[{".repeat(600_000));
    let watch = server.stream(std::slice::from_ref(&huge), "2").await;
    assert_eq!(log.next().await, "+huge@2!");
    let text = json!({"type": "MODIFIED", "object": map_with("huge", "3", "uid-huge", &"x".repeat(3 << 20))}).to_string();
    let middle = text.len() / 2;
    watch.raw(&text[..middle]);
    tokio::time::sleep(SECOND).await;
    watch.raw(&text[middle..]);
    watch.raw("\n");
    assert_eq!(log.next().await, "~huge@2>3");
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_remove_itself_add_others_and_stop_the_informer() {
    let (informer, mut server) = informer();
    let own: Arc<Mutex<Option<HandlerRegistration<ConfigMap>>>> = Arc::default();
    let (late, mut log) = recorder();
    let late = Mutex::new(Some(late));
    let (removed, adds) = (Arc::clone(&own), informer.clone());
    let seen = Arc::new(Mutex::new(0));
    let count = Arc::clone(&seen);
    let handler = EventHandlerFuncs::<ConfigMap>::new().on_add(move |_, _| {
        *count.lock().unwrap() += 1;
        // Reads, additions and the removal of this very handler.
        assert!(!adds.lister().all().is_empty());
        if let Some(late) = late.lock().unwrap().take() {
            let _registration = adds.add_event_handler(late);
        }
        if let Some(registration) = removed.lock().unwrap().take() {
            registration.remove();
        }
    });
    *own.lock().unwrap() = Some(informer.add_event_handler(handler));
    let watch = server.stream(&[map("a", "1"), map("b", "2")], "2").await;
    assert_eq!(log.sorted(2).await, ["+a@1!", "+b@2!"]);
    watch.send("ADDED", &map("c", "3"));
    assert_eq!(log.next().await, "+c@3");
    assert_eq!(*seen.lock().unwrap(), 1);

    let stopped = informer.clone();
    let stops = EventHandlerFuncs::<ConfigMap>::new().on_update(move |_, _| {
        let stopped = stopped.clone();
        tokio::spawn(async move { stopped.shutdown().await });
    });
    let _registration = informer.add_event_handler(stops);
    watch.send("MODIFIED", &map("a", "4"));
    while !informer.is_stopped() {
        tokio::time::sleep(SECOND).await;
    }
    tokio::time::timeout(60 * SECOND, informer.shutdown())
        .await
        .unwrap();
}

/// The handler blocks its thread for the whole test, which needs a second one and the real clock.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_handler_that_blocks_for_ever_delays_no_one_else() {
    let (informer, mut server) = informer();
    let (release, blocked) = std::sync::mpsc::channel::<()>();
    let blocks =
        informer.add_event_handler(EventHandlerFuncs::<ConfigMap>::new().on_add(move |_, _| {
            let _ = blocked.recv();
        }));
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler(handler);
    let watch = server.stream(&[map("a", "1")], "1").await;
    assert_eq!(log.next().await, "+a@1!");
    for n in 2..200 {
        watch.send("MODIFIED", &map("a", &n.to_string()));
        assert_eq!(log.next().await, format!("~a@{}>{n}", n - 1));
    }
    let cached = informer.lister().namespaced("ns").get("a").unwrap();
    assert_eq!(version(&cached), "199");
    assert_eq!(blocks.pending(), 199);
    blocks.remove();
    watch.send("DELETED", &map("a", "200"));
    assert_eq!(log.next().await, "-a@200");
    drop(release);
}

#[tokio::test(start_paused = true)]
async fn an_informer_that_is_stopped_while_it_lists_calls_no_handler_after_that() {
    for during_relist in [false, true] {
        let (informer, mut server) = informer();
        let (handler, mut log) = recorder();
        let _registration = informer.add_event_handler(handler);
        if during_relist {
            let watch = server.stream(&[map("a", "1")], "1").await;
            assert_eq!(log.next().await, "+a@1!");
            watch.send("ERROR", &crate::caches::script::status(410, "Expired"));
        }
        let list = server.watch().await.open();
        list.send("ADDED", &map("b", "2"));
        tokio::time::sleep(SECOND).await;
        informer.shutdown().await;
        list.end_of_list("2");
        tokio::time::sleep(60 * SECOND).await;
        assert_eq!(log.rest(), Vec::<String>::new());
        assert!(informer.wait_synced().await.is_err() || during_relist);
        server.quiet_for(60 * SECOND).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_pause_of_hours_is_one_resync_and_not_many() {
    let (informer, mut server) = informer();
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler_with_resync(handler, 600 * SECOND);
    let _watch = server.stream(&[map("a", "1")], "1").await;
    assert_eq!(log.next().await, "+a@1!");
    // The process does not run for ten hours: its clock jumps, and what was due in between is due once.
    tokio::time::advance(36_000 * SECOND).await;
    tokio::task::yield_now().await;
    tokio::time::sleep(SECOND).await;
    let events = log.rest();
    assert!(events.len() <= 1, "{events:?}");
}
