//! Injected failures and recorded requests.
use std::time::Duration;

use futures::StreamExt as _;
use kube::api::{PostParams, WatchParams};
use kube_codegen_testing::{ApiServer, Failure, On};

use super::support::{create, map, maps, rejected};

#[tokio::test]
async fn a_failure_applies_to_matching_requests_as_often_as_set() {
    let server = ApiServer::new();
    let maps = maps(&server);
    server.fail_times(
        On::verb("create").resource("configmaps"),
        2,
        Failure::status(429).retry_after(7).message("slow down"),
    );
    for _ in 0..2 {
        let status = rejected(maps.create(&PostParams::default(), &map("a")).await);
        assert_eq!(
            (status.code, status.reason.as_str(), status.message.as_str()),
            (429, "TooManyRequests", "slow down")
        );
        assert_eq!(status.details.unwrap().retry_after_seconds, 7);
    }
    create(&maps, "a").await;
    server.fail_always(On::any().name("a"), Failure::status(500));
    assert_eq!(rejected(maps.get("a").await).code, 500);
    assert_eq!(rejected(maps.get("b").await).code, 404);
    server.clear_faults();
    maps.get("a").await.unwrap();
}

#[tokio::test]
async fn a_lost_answer_executes_the_request_and_a_disconnect_does_not() {
    let server = ApiServer::new();
    let maps = maps(&server);
    server.fail_next(On::verb("create"), Failure::lost_answer());
    server.fail_next(On::verb("create"), Failure::disconnect());
    assert!(
        maps.create(&PostParams::default(), &map("a"))
            .await
            .is_err()
    );
    assert!(
        maps.create(&PostParams::default(), &map("b"))
            .await
            .is_err()
    );
    assert!(maps.get_opt("a").await.unwrap().is_some());
    assert!(maps.get_opt("b").await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_delay_passes_on_tokios_clock() {
    let server = ApiServer::new();
    server.fail_next(On::any(), Failure::delay(Duration::from_secs(20)));
    let start = tokio::time::Instant::now();
    maps(&server).get_opt("a").await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_secs(20));
}

#[tokio::test(start_paused = true)]
async fn watches_stall_and_get_invalid_lines() {
    let server = ApiServer::new();
    let maps = maps(&server);
    let open = async || Box::pin(maps.watch(&WatchParams::default(), "0").await.unwrap());
    let mut garbled = open().await;
    assert_eq!(server.garble_watches(&On::any()), 1);
    assert!(garbled.next().await.unwrap().is_err());

    let mut stalled = open().await;
    assert_eq!(server.stall_watches(&On::any()), 2);
    create(&maps, "a").await;
    assert!(
        tokio::time::timeout(Duration::from_secs(60), stalled.next())
            .await
            .is_err()
    );
    server.cut_watches(&On::any());
    assert!(stalled.next().await.is_none());
}

#[tokio::test]
async fn requests_are_recorded_with_their_status() {
    let server = ApiServer::new();
    let maps = maps(&server);
    create(&maps, "a").await;
    rejected(maps.create(&PostParams::default(), &map("a")).await);
    maps.get("a").await.unwrap();
    let log: Vec<_> = server
        .requests()
        .into_iter()
        .map(|request| {
            format!(
                "{} {} {} {}",
                request.verb, request.resource, request.name, request.status
            )
        })
        .collect();
    assert_eq!(
        log,
        [
            "create configmaps  201",
            "create configmaps  409",
            "get configmaps a 200"
        ]
    );
    let write = &server.writes()[0];
    assert_eq!(
        (write.namespace.as_str(), &write.body["metadata"]["name"]),
        ("default", &serde_json::json!("a"))
    );
    server.clear_requests();
    assert_eq!(server.requests(), []);
}

#[tokio::test]
async fn a_test_waits_for_a_state_and_changes_it() {
    use k8s_openapi::api::core::v1::ConfigMap;
    let server = ApiServer::new();
    let api = maps(&server);
    let waiting = tokio::spawn({
        let server = server.clone();
        async move {
            server
                .until(|server| server.get::<ConfigMap>("default", "a")?.data)
                .await
        }
    });
    api.create(&PostParams::default(), &map("a")).await.unwrap();
    server
        .edit::<ConfigMap>("default", "a", |map| {
            map["data"] = serde_json::json!({"k": "v"});
        })
        .unwrap();
    assert_eq!(waiting.await.unwrap()["k"], "v");
    assert_eq!(server.list::<ConfigMap>().len(), 1);
    server.delete::<ConfigMap>("default", "a").unwrap();
    assert!(server.delete::<ConfigMap>("default", "a").is_err());
    assert_eq!(
        server.writes().len(),
        1,
        "changes by the test are not recorded"
    );
}
