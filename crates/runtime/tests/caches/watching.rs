//! Watches: changes, ends, errors and relists. No change is lost or delivered twice.
use crate::caches::script::{informer, map, map_with, recorder, status, version};
use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_codegen_runtime::informer::{EventHandlerFuncs, InformerEvent};
use serde_json::json;
use std::{io, time::Duration};

#[tokio::test(start_paused = true)]
async fn changes_become_events_in_order() {
    let (informer, mut server) = informer();
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler(handler);
    let watch = server.stream(&[map("a", "1")], "1").await;
    assert_eq!(log.next().await, "+a@1!");
    watch.send("ADDED", &map("b", "2"));
    watch.send("MODIFIED", &map("a", "3"));
    watch.send("DELETED", &map("a", "4"));
    watch.send("ADDED", &map("a", "5"));
    for expected in ["+b@2", "~a@1>3", "-a@4", "+a@5"] {
        assert_eq!(log.next().await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_ends_resumes_where_it_stopped() {
    let (informer, mut server) = informer();
    let watch = server.stream(&[map("a", "1")], "1").await;
    watch.send("MODIFIED", &map("a", "3"));
    watch.bookmark("9");
    drop(watch);
    let next = server.watch().await;
    assert_eq!(
        (
            next.query("resourceVersion"),
            next.query("sendInitialEvents")
        ),
        ("9", ""),
        "from the bookmark on"
    );
    let watch = next.open();
    watch.send("MODIFIED", &map("a", "11"));
    watch.raw("{\"type\":\"MODIFIED\",\"obj");
    watch.fail(io::ErrorKind::UnexpectedEof);
    assert_eq!(
        server.watch().await.query("resourceVersion"),
        "11",
        "a truncated line is not an error"
    );
    assert_eq!(informer.metrics().failures, 0);
    assert_eq!(informer.metrics().lists, 1);
}

#[tokio::test(start_paused = true)]
async fn a_broken_connection_resumes_after_a_back_off() {
    let (informer, mut server) = informer();
    let watch = server.stream(&[], "4").await;
    informer.wait_synced().await.unwrap();
    watch.fail(io::ErrorKind::ConnectionReset);
    server.quiet_for(Duration::from_millis(700)).await;
    assert_eq!(server.watch().await.query("resourceVersion"), "4");
    assert_eq!(informer.metrics().failures, 1);
}

#[tokio::test(start_paused = true)]
async fn a_watch_closed_at_once_backs_off() {
    let (_informer, mut server) = informer();
    drop(server.stream(&[], "4").await);
    // The first watch sent the list; the next ones send nothing.
    drop(server.watch().await.open());
    server.quiet_for(Duration::from_millis(700)).await;
    drop(server.watch().await.open());
    server.quiet_for(Duration::from_millis(700)).await;
    server.watch().await;
}

#[tokio::test(start_paused = true)]
async fn a_silent_connection_counts_as_dead() {
    let (informer, mut server) = informer();
    let _silent = server.stream(&[], "4").await;
    let began = tokio::time::Instant::now();
    assert_eq!(server.watch().await.query("resourceVersion"), "4");
    assert!(began.elapsed() < Duration::from_secs(620));
    assert_eq!(informer.metrics().failures, 1);
}

/// While the watch is broken, `a` changes, `b` is deleted, `c` is recreated, `d` is added and `e` stays.
async fn relists_after(break_watch: impl FnOnce(crate::caches::script::Watch)) {
    let (informer, mut server) = informer();
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler(handler);
    let watch = server
        .stream(
            &[map("a", "1"), map("b", "2"), map("c", "3"), map("e", "4")],
            "4",
        )
        .await;
    log.sorted(4).await;
    break_watch(watch);
    let call = server.watch().await;
    assert_eq!(
        (
            call.query("sendInitialEvents"),
            call.query("resourceVersion")
        ),
        ("true", "4"),
        "a relist, not older than what was seen"
    );
    let watch = call.open();
    for object in [
        map("a", "7"),
        map_with("c", "8", "another", ""),
        map("d", "9"),
        map("e", "4"),
    ] {
        watch.send("ADDED", &object);
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(
        log.rest(),
        Vec::<String>::new(),
        "no events before the list is complete"
    );
    watch.end_of_list("10");
    assert_eq!(log.sorted(4).await, ["+d@9", "-b@2?", "~a@1>7", "~c@3>8"]);
    watch.send("ADDED", &map("z", "11"));
    assert_eq!(
        log.next().await,
        "+z@11",
        "unchanged objects cause no event"
    );
    let mut names: Vec<_> = informer
        .lister()
        .all()
        .iter()
        .filter_map(|object| object.metadata.name.clone())
        .collect();
    names.sort();
    assert_eq!(names, ["a", "c", "d", "e", "z"]);
    assert_eq!(informer.metrics().lists, 2);
}

#[tokio::test(start_paused = true)]
async fn gone_inside_the_stream_relists_without_losing_a_deletion() {
    relists_after(|watch| watch.send("ERROR", &status(410, "Expired"))).await;
}

#[tokio::test(start_paused = true)]
async fn an_error_other_than_overload_relists() {
    relists_after(|watch| watch.send("ERROR", &status(400, "BadRequest"))).await;
}

#[tokio::test(start_paused = true)]
async fn a_malformed_response_relists() {
    relists_after(|watch| watch.raw("<html>gateway</html>\n")).await;
}

/// kube's watcher requests the same version forever in this case.
#[tokio::test(start_paused = true)]
async fn gone_as_the_http_status_of_a_watch_relists() {
    let (informer, mut server) = informer();
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler(handler);
    drop(server.stream(&[map("a", "1"), map("b", "2")], "4").await);
    log.sorted(2).await;
    server.watch().await.fail(410, "Expired");
    let _watch = server.stream(&[map("b", "2")], "10").await;
    assert_eq!(log.next().await, "-a@1?");
    assert_eq!(informer.metrics().lists, 2);
}

#[tokio::test(start_paused = true)]
async fn overload_does_not_relist() {
    let (informer, mut server) = informer();
    let watch = server.stream(&[], "4").await;
    informer.wait_synced().await.unwrap();
    watch.send("ERROR", &status(429, "TooManyRequests"));
    let call = server.watch().await;
    assert_eq!(
        (
            call.query("resourceVersion"),
            call.query("sendInitialEvents")
        ),
        ("4", "")
    );
    call.fail(500, "InternalError");
    assert_eq!(server.watch().await.query("sendInitialEvents"), "");
}

/// A shared stream of kube's reflector stalls forever if an object is deleted before its subscriber polls.
#[tokio::test(start_paused = true)]
async fn a_slow_subscriber_misses_nothing() {
    let (informer, mut server) = informer();
    let mut events = informer.events();
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler(handler);
    let watch = server.stream(&[], "1").await;
    watch.send("ADDED", &map("a", "2"));
    watch.send("DELETED", &map("a", "3"));
    for number in 4..104 {
        watch.send("ADDED", &map(&format!("n{number}"), &number.to_string()));
    }
    for _ in 0..102 {
        log.next().await;
    }
    assert_eq!(events.pending(), 102, "the slow subscriber delays no other");
    let seen: Vec<_> = events
        .by_ref()
        .take(102)
        .map(|event| crate::caches::script::short(&event))
        .collect()
        .await;
    assert_eq!(seen[..3], ["+a@2", "-a@3", "+n4@4"]);
    assert_eq!(seen[101], "+n103@103");
}

#[tokio::test(start_paused = true)]
async fn the_cache_shows_a_change_before_the_handler_is_called() {
    let (informer, mut server) = informer();
    informer
        .add_index("value", |object| {
            object
                .data
                .iter()
                .flatten()
                .map(|(_, value)| value.clone())
                .collect()
        })
        .unwrap();
    let (sender, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let lister = informer.lister();
    let handler = EventHandlerFuncs::<ConfigMap>::new()
        .on_add({
            let (sender, lister) = (sender.clone(), lister.clone());
            move |object, _| {
                let cached = lister
                    .namespaced("ns")
                    .get(object.metadata.name.as_deref().unwrap())
                    .map(|found| version(&found).to_owned());
                let _ = sender.send((cached.ok(), lister.by_index("value", "one").unwrap().len()));
            }
        })
        .on_update({
            let (sender, lister) = (sender.clone(), lister.clone());
            move |_, new| {
                let cached = lister
                    .namespaced("ns")
                    .get(new.metadata.name.as_deref().unwrap())
                    .map(|found| version(&found).to_owned());
                let _ = sender.send((cached.ok(), lister.by_index("value", "two").unwrap().len()));
            }
        })
        .on_delete(move |deleted| {
            let cached = lister
                .namespaced("ns")
                .get(deleted.object.metadata.name.as_deref().unwrap())
                .map(|found| version(&found).to_owned());
            let _ = sender.send((cached.ok(), lister.by_index("value", "two").unwrap().len()));
        });
    let _registration = informer.add_event_handler(handler);
    let watch = server.stream(&[], "1").await;
    watch.send("ADDED", &map_with("a", "2", "u", "one"));
    assert_eq!(seen.recv().await.unwrap(), (Some("2".into()), 1));
    watch.send("MODIFIED", &map_with("a", "3", "u", "two"));
    assert_eq!(seen.recv().await.unwrap(), (Some("3".into()), 1));
    watch.send("DELETED", &map_with("a", "4", "u", "two"));
    assert_eq!(seen.recv().await.unwrap(), (None, 0));
    informer.shutdown().await;
}

/// The reader has a thread and a runtime of its own. So the notification wakes it at once, whatever the informer does next: on a worker of the same
/// runtime, it could wait until the informer's task pauses.
#[tokio::test]
async fn the_cache_is_never_behind_a_handler_on_another_thread() {
    let (informer, mut server) = informer();
    let (sender, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let (lister, mut events) = (informer.lister(), informer.events());
    let reader = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(async {
            while let Some(event) = events.next().await {
                let cached = lister.namespaced("ns").get("a").unwrap();
                if let InformerEvent::Updated { new, .. } = event {
                    let _ = sender.send((version(&new).to_owned(), version(&cached).to_owned()));
                }
            }
        });
    });
    let watch = server.stream(&[map("a", "1")], "1").await;
    for number in 2..200 {
        let number = number.to_string();
        watch.send("MODIFIED", &map("a", &number));
        assert_eq!(seen.recv().await.unwrap(), (number.clone(), number));
    }
    informer.shutdown().await;
    reader.join().unwrap();
}

#[tokio::test(start_paused = true)]
async fn unknown_event_types_are_ignored() {
    let (informer, mut server) = informer();
    let watch = server.stream(&[], "1").await;
    watch.send("SOMETHING", &json!({ "new": true }));
    watch.raw("\n");
    watch.send("ADDED", &map("a", "2"));
    informer.wait_synced().await.unwrap();
    server.quiet_for(Duration::from_secs(5)).await;
    assert_eq!(informer.lister().all().len(), 1);
    assert_eq!(informer.metrics().failures, 0);
}

#[tokio::test(start_paused = true)]
async fn events_are_values_and_not_lines() {
    let (informer, mut server) = informer();
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler(handler);
    let watch = server.watch().await.open();
    let event = |type_: &str, name: &str, version: &str| json!({ "type": type_, "object": map(name, version) });
    watch.raw(&format!("{:#}", event("ADDED", "a", "1")));
    watch.end_of_list("1");
    assert_eq!(log.next().await, "+a@1!");
    watch.raw(&format!(
        "{}{} {}\r\n\n",
        event("ADDED", "b", "2"),
        event("MODIFIED", "b", "3"),
        event("MODIFIED", "a", "4")
    ));
    watch.raw(&format!(
        "{:#}\n{:#}",
        event("DELETED", "a", "5"),
        event("DELETED", "b", "6")
    ));
    for expected in ["+b@2", "~b@2>3", "~a@1>4", "-a@5", "-b@6"] {
        assert_eq!(log.next().await, expected);
    }
    let text = event("ADDED", "c", "7").to_string();
    for byte in text.chars() {
        watch.raw(&byte.to_string());
    }
    assert_eq!(log.next().await, "+c@7");
    assert_eq!(informer.metrics().failures, 0);
}

#[tokio::test(start_paused = true)]
async fn a_bookmark_without_an_object_is_ignored() {
    let (informer, mut server) = informer();
    let watch = server.stream(&[map("a", "1")], "1").await;
    watch.raw("{\"type\":\"BOOKMARK\",\"object\":null}\n{\"type\":\"BOOKMARK\"}\n{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":null}}\n");
    server.quiet_for(Duration::from_secs(60)).await;
    watch.send("MODIFIED", &map("a", "2"));
    drop(watch);
    assert_eq!(server.watch().await.query("resourceVersion"), "2");
    assert_eq!(
        (informer.metrics().lists, informer.metrics().failures),
        (1, 0)
    );
}

#[tokio::test(start_paused = true)]
async fn an_event_without_end_is_a_failure_with_a_back_off() {
    let (informer, mut server) = informer();
    let watch = server.stream(&[map("a", "1")], "1").await;
    watch.raw("{\"type\":\"ADDED\",\"object\":{\"data\":\"");
    for _ in 0..33 {
        watch.raw(&"x".repeat(1 << 20));
    }
    server.quiet_for(Duration::from_millis(700)).await;
    assert_eq!(informer.metrics().failures, 1);
    // The list shows whether the object can be read after all.
    let _watch = server.stream(&[map("a", "1"), map("b", "2")], "2").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(informer.lister().all().len(), 2);
}
