//! Watches: order, selection, expiry, bookmarks, streaming lists, and kube's watcher.
use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt as _;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, WatchEvent, WatchParams};
use kube::core::response::Status;
use kube::runtime::watcher;
use kube_codegen_testing::{ApiServer, On};
use serde_json::json;

use super::support::{create, maps, rejected};

fn shown(event: WatchEvent<ConfigMap>) -> String {
    match event {
        WatchEvent::Added(map) => format!("ADDED {}", map.name_any()),
        WatchEvent::Modified(map) => format!("MODIFIED {}", map.name_any()),
        WatchEvent::Deleted(map) => format!("DELETED {}", map.name_any()),
        WatchEvent::Bookmark(mark) => format!(
            "BOOKMARK {:?}",
            mark.metadata.annotations.keys().collect::<Vec<_>>()
        ),
        WatchEvent::Error(status) => format!("ERROR {} {}", status.code, status.reason),
    }
}

#[tokio::test]
async fn changes_arrive_in_order_and_as_seen_by_the_selector() {
    let server = ApiServer::new();
    let maps = maps(&server);
    create(&maps, "before").await;
    let start = maps
        .list(&ListParams::default())
        .await
        .unwrap()
        .metadata
        .resource_version
        .unwrap();
    let label =
        |value: serde_json::Value| Patch::Merge(json!({"metadata": {"labels": {"in": value}}}));
    create(&maps, "a").await;
    maps.patch("a", &PatchParams::default(), &label(json!("yes")))
        .await
        .unwrap();
    maps.patch("a", &PatchParams::default(), &label(json!(null)))
        .await
        .unwrap();
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    let all: Vec<_> = maps
        .watch(&WatchParams::default().timeout(290), &start)
        .await
        .unwrap()
        .take(4)
        .map_ok(shown)
        .try_collect()
        .await
        .unwrap();
    assert_eq!(all, ["ADDED a", "MODIFIED a", "MODIFIED a", "DELETED a"]);
    let some: Vec<_> = maps
        .watch(&WatchParams::default().labels("in"), &start)
        .await
        .unwrap()
        .take(2)
        .map_ok(shown)
        .try_collect()
        .await
        .unwrap();
    assert_eq!(some, ["ADDED a", "DELETED a"]);
}

#[tokio::test]
async fn an_expired_revision_is_an_error_event_or_an_http_410() {
    let server = ApiServer::new();
    let maps = maps(&server);
    let start = create(&maps, "a").await.metadata.resource_version.unwrap();
    server.compact();
    let events: Vec<_> = maps
        .watch(&WatchParams::default(), &start)
        .await
        .unwrap()
        .map_ok(shown)
        .try_collect()
        .await
        .unwrap();
    assert_eq!(events, ["ERROR 410 Expired"]);
    server.set_expired_as_410(true);
    match maps.watch(&WatchParams::default(), &start).await {
        Err(kube::Error::Api(status)) => {
            assert_eq!((status.code, status.reason.as_str()), (410, "Expired"));
        }
        _ => panic!("expected a 410"),
    }
}

#[tokio::test]
async fn the_history_is_bounded() {
    let server = ApiServer::new();
    server.set_watch_window(2);
    let maps = maps(&server);
    let mut versions = Vec::new();
    for name in ["a", "b", "c", "d"] {
        versions.push(create(&maps, name).await.metadata.resource_version.unwrap());
    }
    let first = async |version: &str| {
        let events = maps.watch(&WatchParams::default(), version).await.unwrap();
        let events: Vec<_> = events.take(1).map_ok(shown).try_collect().await.unwrap();
        events.concat()
    };
    assert_eq!(first(&versions[0]).await, "ERROR 410 Expired");
    assert_eq!(first(&versions[1]).await, "ADDED c");
}

#[tokio::test(start_paused = true)]
async fn a_watch_ends_at_its_timeout_with_a_bookmark() {
    let server = ApiServer::new();
    let maps = maps(&server);
    let params = WatchParams::default().timeout(90);
    let events: Vec<_> = maps
        .watch(&params, "0")
        .await
        .unwrap()
        .map_ok(shown)
        .try_collect()
        .await
        .unwrap();
    assert_eq!(
        events,
        ["BOOKMARK []", "BOOKMARK []"],
        "one each minute and one at the end"
    );
}

#[tokio::test]
async fn a_streaming_list_ends_in_its_marked_bookmark() {
    let server = ApiServer::new();
    let maps = maps(&server);
    for name in ["a", "b"] {
        create(&maps, name).await;
    }
    let params = WatchParams::default().initial_events();
    let events: Vec<_> = maps
        .watch(&params, "")
        .await
        .unwrap()
        .take(3)
        .map_ok(shown)
        .try_collect()
        .await
        .unwrap();
    assert_eq!(
        events,
        [
            "ADDED a",
            "ADDED b",
            "BOOKMARK [\"k8s.io/initial-events-end\"]"
        ]
    );
}

/// Returns the first events of kube's watcher.
async fn watched(
    server: &ApiServer,
    config: watcher::Config,
    count: usize,
    mut act: impl AsyncFnMut(usize),
) -> Vec<String> {
    let mut stream = std::pin::pin!(watcher(maps(server), config));
    let mut seen = Vec::new();
    while seen.len() < count {
        let next = tokio::time::timeout(Duration::from_secs(30), stream.next()).await;
        match next
            .unwrap_or_else(|_| panic!("nothing after {seen:?}"))
            .expect("a watcher never ends")
        {
            Ok(event) => seen.push(match event {
                watcher::Event::Init => "init".to_owned(),
                watcher::Event::InitApply(map) => format!("init {}", map.name_any()),
                watcher::Event::InitDone => "done".to_owned(),
                watcher::Event::Apply(map) => format!("apply {}", map.name_any()),
                watcher::Event::Delete(map) => format!("delete {}", map.name_any()),
            }),
            Err(_) => continue,
        }
        act(seen.len()).await;
    }
    seen
}

#[tokio::test]
async fn kubes_watcher_recovers_from_cuts_and_expiry() {
    for streaming in [false, true] {
        let server = ApiServer::new();
        let maps = maps(&server);
        create(&maps, "a").await;
        let config = if streaming {
            watcher::Config::default().streaming_lists()
        } else {
            watcher::Config::default()
        };
        let seen = watched(&server, config, 10, async |count| match count {
            3 => drop(create(&maps, "b").await),
            4 => {
                assert_eq!(server.cut_watches(&On::any().resource("configmaps")), 1);
                create(&maps, "c").await;
            }
            5 => {
                maps.delete("a", &DeleteParams::default()).await.unwrap();
                maps.delete("b", &DeleteParams::default()).await.unwrap();
            }
            7 => {
                assert_eq!(server.expire_watches(&On::any()), 1);
            }
            _ => {}
        })
        .await;
        let expected = [
            "init", "init a", "done", "apply b", "apply c", "delete a", "delete b", "init",
            "init c", "done",
        ];
        assert_eq!(seen, expected, "streaming: {streaming}");
    }
}

#[tokio::test]
async fn a_future_revision_is_rejected() {
    let server = ApiServer::new();
    let future = ListParams::default().at("999");
    let status = rejected(maps(&server).list(&future).await);
    assert_eq!(
        (
            status.code,
            status.details.unwrap().causes[0].reason.as_str()
        ),
        (504, "ResourceVersionTooLarge")
    );
}

#[tokio::test]
async fn a_test_sends_bookmarks_and_errors_to_open_watches() {
    let server = ApiServer::new();
    let maps = maps(&server);
    let watch = maps.watch(&WatchParams::default(), "0").await.unwrap();
    assert_eq!(server.bookmark_watches(&On::any().resource("secrets")), 0);
    assert_eq!(server.bookmark_watches(&On::any()), 1);
    let error = Status::failure("overloaded", "TooManyRequests").with_code(429);
    assert_eq!(server.fail_watches(&On::any(), error), 1);
    let events: Vec<_> = watch.map_ok(shown).try_collect().await.unwrap();
    assert_eq!(events, ["BOOKMARK []", "ERROR 429 TooManyRequests"]);
}
