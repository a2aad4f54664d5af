//! The requests of the first list and of later ones.
use crate::caches::script::{Call, informer, informer_with, map, server, status};
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube_codegen_runtime::informer::{InformerConfig, InitialList, SharedInformer};
use parking_lot::Mutex;
use serde_json::json;
use std::{sync::Arc, time::Duration};

#[tokio::test(start_paused = true)]
async fn a_streaming_list_continues_as_the_watch() {
    let (informer, mut server) = informer();
    let call = server.watch().await;
    assert_eq!(call.path, "/api/v1/configmaps");
    assert_eq!(call.query("sendInitialEvents"), "true");
    assert_eq!(call.query("resourceVersionMatch"), "NotOlderThan");
    assert_eq!(call.query("allowWatchBookmarks"), "true");
    let timeout: u64 = call.query("timeoutSeconds").parse().unwrap();
    assert!((300..600).contains(&timeout), "{timeout}");
    let watch = call.open();
    watch.send("ADDED", &map("a", "1"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!informer.has_synced(), "the list is not complete yet");
    assert_eq!(informer.lister().all().len(), 0);
    watch.end_of_list("7");
    informer.wait_synced().await.unwrap();
    assert_eq!(informer.last_sync_resource_version(), "7");
    watch.send("ADDED", &map("b", "8"));
    server.quiet_for(Duration::from_secs(60)).await;
    assert_eq!(informer.lister().all().len(), 2);
    assert_eq!(informer.last_sync_resource_version(), "8");
}

#[tokio::test(start_paused = true)]
async fn without_streaming_lists_the_watch_cache_is_listed() {
    let (informer, mut server) = informer();
    server.watch().await.fail(422, "Invalid");
    let list = server.list().await;
    assert_eq!(
        (
            list.query("resourceVersion"),
            list.query("limit"),
            list.query("resourceVersionMatch")
        ),
        ("0", "", "NotOlderThan")
    );
    list.items(&[map("a", "1")], "5");
    informer.wait_synced().await.unwrap();
    let watch = server.watch().await;
    assert_eq!(
        (
            watch.query("resourceVersion"),
            watch.query("sendInitialEvents")
        ),
        ("5", "")
    );
    watch.json(
        200,
        &json!({ "type": "ERROR", "object": status(410, "Expired") }),
    );
    let again = server.list().await;
    assert_eq!(
        again.query("resourceVersion"),
        "5",
        "never older than what was seen, and without another streaming list"
    );
}

#[tokio::test(start_paused = true)]
async fn a_plain_list_follows_if_the_server_ignores_send_initial_events() {
    let (informer, mut server) = informer();
    let silent = server.watch().await.open();
    let list = server.list().await;
    drop(silent);
    list.items(&[map("a", "1")], "5");
    informer.wait_synced().await.unwrap();
    assert_eq!(informer.metrics().failures, 1);
}

#[tokio::test(start_paused = true)]
async fn a_streaming_list_cut_short_is_incomplete() {
    let (informer, mut server) = informer();
    let watch = server.watch().await.open();
    watch.send("ADDED", &map("a", "1"));
    drop(watch);
    let list = server.list().await;
    assert!(!informer.has_synced());
    list.items(&[map("a", "1"), map("b", "2")], "5");
    informer.wait_synced().await.unwrap();
    assert_eq!(informer.lister().all().len(), 2);
}

/// A streaming list and the plain list after it may both meet a dead connection: a third one is within the time that a controller waits.
#[tokio::test(start_paused = true)]
async fn two_dead_connections_leave_time_for_a_list() {
    for is_started in [false, true] {
        let (informer, mut server) = informer();
        let started = tokio::time::Instant::now();
        // The responses do not start, or stop within the body.
        let dead = |call: Call| {
            if is_started {
                let body = call.open();
                body.raw(r#"{"kind": "ConfigMapList", "apiVersion": "v1", "items": ["#);
                (Some(body), None)
            } else {
                (None, Some(call))
            }
        };
        let streaming = dead(server.watch().await);
        let plain = dead(server.list().await);
        let watch = server.stream(&[map("a", "1")], "5").await;
        informer.wait_synced().await.unwrap();
        let limit = Duration::from_secs(120);
        assert!(started.elapsed() < limit, "{:?}", started.elapsed());
        assert_eq!(informer.metrics().failures, 2);
        drop((streaming, plain, watch));
    }
}

#[tokio::test(start_paused = true)]
async fn exact_pages_are_followed_and_survive_an_expired_token() {
    let (informer, mut server) = informer_with(InformerConfig {
        initial_list: InitialList::Paged(2),
        ..InformerConfig::default()
    });
    let page = |names: &[&str], token: &str| {
        let items: Vec<_> = names.iter().map(|name| map(name, "1")).collect();
        json!({ "metadata": { "resourceVersion": "9", "continue": token }, "items": items })
    };
    let first = server.list().await;
    assert_eq!(
        (first.query("limit"), first.query("resourceVersion")),
        ("2", "")
    );
    first.json(200, &page(&["a", "b"], "token"));
    let second = server.list().await;
    assert_eq!(
        (second.query("limit"), second.query("continue")),
        ("2", "token")
    );
    second.fail(410, "Expired");
    let whole = server.list().await;
    assert_eq!(
        (whole.query("limit"), whole.query("continue")),
        ("", ""),
        "the server's history is too short for pages"
    );
    whole.json(200, &page(&["a", "b", "c"], ""));
    informer.wait_synced().await.unwrap();
    assert_eq!(informer.lister().all().len(), 3);
    assert_eq!(server.watch().await.query("resourceVersion"), "9");
}

#[tokio::test(start_paused = true)]
async fn a_version_from_the_future_leads_to_a_fresh_list() {
    let (informer, mut server) = informer_with(InformerConfig {
        initial_list: InitialList::WatchCache,
        ..InformerConfig::default()
    });
    server.list().await.items(&[map("a", "1")], "500");
    informer.wait_synced().await.unwrap();
    server.watch().await.fail(410, "Expired");
    let list = server.list().await;
    assert_eq!(list.query("resourceVersion"), "500");
    let mut too_large = status(504, "Timeout");
    too_large["details"] = json!({ "causes": [{ "reason": "ResourceVersionTooLarge", "message": "Too large resource version" }], "retryAfterSeconds": 1 });
    list.json(504, &too_large);
    let list = server.list().await;
    assert_eq!(
        (list.query("resourceVersion"), list.query("limit")),
        ("", "500"),
        "the most recent state, at any version"
    );
    list.items(&[map("a", "1")], "3");
    assert_eq!(server.watch().await.query("resourceVersion"), "3");
}

#[tokio::test(start_paused = true)]
async fn failed_lists_back_off() {
    let (_informer, mut server) = informer();
    let mut delays = Vec::new();
    let mut before = tokio::time::Instant::now();
    for _ in 0..8 {
        server.watch().await.fail(503, "ServiceUnavailable");
        delays.push(before.elapsed());
        before = tokio::time::Instant::now();
    }
    assert!(delays[1] >= Duration::from_millis(800), "{delays:?}");
    assert!(delays[4] > delays[1] * 2, "{delays:?}");
    assert!(
        delays.iter().all(|pause| *pause <= Duration::from_secs(61)),
        "{delays:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_respected() {
    let (_informer, mut server) = informer();
    let mut busy = status(429, "TooManyRequests");
    busy["details"] = json!({ "retryAfterSeconds": 120 });
    server.watch().await.json(429, &busy);
    server.quiet_for(Duration::from_secs(119)).await;
    server.watch().await;
}

#[tokio::test(start_paused = true)]
async fn namespace_and_selectors_reach_the_server() {
    let (client, mut server) = server();
    let config = InformerConfig {
        namespaces: "ns".into(),
        label_selector: Some("app=web".into()),
        field_selector: Some("metadata.name=a".into()),
        initial_list: InitialList::WatchCache,
        ..InformerConfig::default()
    };
    let maps = SharedInformer::<ConfigMap>::new(client.clone(), config.clone());
    maps.start();
    let list = server.list().await;
    assert_eq!(list.path, "/api/v1/namespaces/ns/configmaps");
    assert_eq!(
        (list.query("labelSelector"), list.query("fieldSelector")),
        ("app%3Dweb", "metadata.name%3Da")
    );
    list.items(&[], "1");
    let watch = server.watch().await;
    assert_eq!(
        (watch.query("labelSelector"), watch.query("fieldSelector")),
        ("app%3Dweb", "metadata.name%3Da")
    );
    let nodes = SharedInformer::<Node>::new(client, config);
    nodes.start();
    assert_eq!(
        server.list().await.path,
        "/api/v1/nodes",
        "a cluster-scoped kind has no namespace"
    );
}

fn paged() -> InformerConfig {
    InformerConfig {
        initial_list: InitialList::Paged(2),
        ..InformerConfig::default()
    }
}

fn page(items: &[serde_json::Value], version: &str, token: &str) -> serde_json::Value {
    json!({ "metadata": { "resourceVersion": version, "continue": token }, "items": items })
}

#[tokio::test(start_paused = true)]
async fn pages_that_do_not_end_are_a_failure_with_a_back_off() {
    // The server ignores the token, or returns the same objects under other tokens.
    for is_counted in [false, true] {
        let (informer, mut server) = informer_with(paged());
        let errors = Arc::new(Mutex::new(Vec::new()));
        let received = Arc::clone(&errors);
        informer.set_error_handler(move |error| {
            received
                .lock()
                .push(kube_codegen_runtime::client::describe(error));
        });
        let mut pages = 0;
        while errors.lock().is_empty() && pages < 1000 {
            let token = if is_counted {
                format!("t{pages}")
            } else {
                "t".to_owned()
            };
            server
                .list()
                .await
                .json(200, &page(&[map("a", "1")], "9", &token));
            tokio::task::yield_now().await;
            tokio::time::sleep(Duration::from_millis(1)).await;
            pages += 1;
        }
        assert!(pages <= 101, "{pages} pages");
        assert!(errors.lock()[0].contains("do not end"), "{errors:?}");
        assert_eq!(informer.metrics().failures, 1);
        server.quiet_for(Duration::from_millis(700)).await;
        server.list().await.items(&[map("a", "1")], "9");
        informer.wait_synced().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_that_stays_the_same_and_empty_pages_are_no_failure() {
    let (informer, mut server) = informer_with(paged());
    for name in ["a", "b"] {
        server
            .list()
            .await
            .json(200, &page(&[map(name, "1")], "9", "session"));
    }
    for token in ["x", "y", "z"] {
        server.list().await.json(200, &page(&[], "9", token));
    }
    server
        .list()
        .await
        .json(200, &page(&[map("c", "1")], "9", ""));
    informer.wait_synced().await.unwrap();
    assert_eq!(informer.lister().all().len(), 3);
    assert_eq!(informer.metrics().failures, 0);
}

#[tokio::test(start_paused = true)]
async fn a_list_without_a_version_is_watched_from_any() {
    for body in [
        json!({ "items": [map("a", "")] }),
        json!({ "metadata": {}, "items": [map("a", "")] }),
        json!({ "metadata": { "resourceVersion": "" }, "items": [map("a", "")] }),
    ] {
        let (informer, mut server) = informer_with(InformerConfig {
            initial_list: InitialList::WatchCache,
            ..InformerConfig::default()
        });
        server.list().await.json(200, &body);
        informer.wait_synced().await.unwrap();
        let watch = server.watch().await;
        assert_eq!(watch.query("resourceVersion"), "");
        let watch = watch.open();
        watch.send("ADDED", &map("b", ""));
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(informer.lister().all().len(), 2);
        assert_eq!(informer.metrics().failures, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_not_a_list_does_not_empty_the_cache() {
    let (informer, mut server) = informer_with(InformerConfig {
        initial_list: InitialList::WatchCache,
        ..InformerConfig::default()
    });
    server.list().await.items(&[map("a", "1")], "5");
    server.watch().await.fail(410, "Expired");
    for body in [
        json!({}),
        json!({"kind": "Status", "metadata": {}, "status": "Success"}),
    ] {
        server.list().await.json(200, &body);
    }
    server.list().await;
    assert_eq!(informer.lister().all().len(), 1);
}
