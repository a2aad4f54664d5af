//! Interceptors of requests, answers and watch events.
use std::time::Duration;

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{WatchEvent, WatchParams};
use kube_codegen_testing::{Action, ApiServer, EventAction, Failure};
use serde_json::json;
use tokio::time::Instant;

use super::support::{create, map, maps, rejected};

#[tokio::test(start_paused = true)]
async fn a_request_is_answered_changed_delayed_or_dropped() {
    let server = ApiServer::new();
    server.intercept(|request| match request.body["metadata"]["name"].as_str() {
        Some("answered") => Action::Answer(
            200,
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other"}}),
        ),
        Some("changed") => {
            let mut body = request.body.clone();
            body["data"] = json!({"by": "interceptor"});
            Action::Body(body)
        }
        Some("delayed") => Action::Delay(Duration::from_secs(5)),
        Some("dropped") => Action::Fail(Failure::disconnect()),
        _ => Action::Pass,
    });
    let maps = maps(&server);
    let answered = maps
        .create(&kube::api::PostParams::default(), &map("answered"))
        .await
        .unwrap();
    assert_eq!(answered.metadata.name.as_deref(), Some("other"));
    let changed = maps
        .create(&kube::api::PostParams::default(), &map("changed"))
        .await
        .unwrap();
    assert_eq!(changed.data.unwrap()["by"], "interceptor");
    let start = Instant::now();
    create(&maps, "delayed").await;
    assert_eq!(start.elapsed(), Duration::from_secs(5));
    maps.create(&kube::api::PostParams::default(), &map("dropped"))
        .await
        .unwrap_err();
    let names: Vec<_> = server
        .list::<ConfigMap>()
        .into_iter()
        .filter_map(|it| it.metadata.name)
        .collect();
    assert_eq!(names, ["changed", "delayed"]);
}

#[tokio::test]
async fn an_interceptor_edits_the_object_before_the_update() {
    let server = ApiServer::new();
    let maps = maps(&server);
    create(&maps, "a").await;
    let held = maps.get("a").await.unwrap();
    let other = server.clone();
    server.intercept(move |request| {
        if request.verb == "update" {
            other
                .edit::<ConfigMap>("default", "a", |map| map["data"] = json!({"k": "v"}))
                .unwrap();
        }
        Action::Pass
    });
    let status = rejected(
        maps.replace("a", &kube::api::PostParams::default(), &held)
            .await,
    );
    assert_eq!((status.code, status.reason.as_str()), (409, "Conflict"));
    server.clear_interceptors();
}

#[tokio::test]
async fn an_answer_is_changed_or_lost_after_its_effect() {
    let server = ApiServer::new();
    server.intercept_answers(|request, answer| match (request.status, answer["metadata"]["name"].as_str()) {
        (201, Some("lost")) => Action::Fail(Failure::lost_answer()),
        (201, Some("failed")) => Action::Fail(Failure::status(504)),
        (404, _) => Action::Answer(410, json!({"apiVersion": "v1", "kind": "Status", "status": "Failure", "message": "gone", "reason": "Gone", "code": 410})),
        _ => Action::Pass,
    });
    let maps = maps(&server);
    maps.create(&kube::api::PostParams::default(), &map("lost"))
        .await
        .unwrap_err();
    assert_eq!(
        rejected(
            maps.create(&kube::api::PostParams::default(), &map("failed"))
                .await
        )
        .code,
        504
    );
    assert_eq!(server.list::<ConfigMap>().len(), 2);
    assert_eq!(rejected(maps.get("absent").await).code, 410);
}

#[tokio::test(start_paused = true)]
async fn single_watch_events_are_dropped_delayed_and_swapped() {
    let server = ApiServer::new();
    server.intercept_events(|event| match event.object["metadata"]["name"].as_str() {
        Some("dropped") => EventAction::Drop,
        Some("delayed") => EventAction::Delay(Duration::from_secs(9)),
        Some("swapped") => EventAction::Swap,
        _ => EventAction::Pass,
    });
    let maps = maps(&server);
    let mut watch = Box::pin(maps.watch(&WatchParams::default(), "0").await.unwrap());
    let start = Instant::now();
    for name in ["delayed", "dropped", "swapped", "plain", "last"] {
        create(&maps, name).await;
    }
    let mut seen = Vec::new();
    while seen.len() < 4 {
        if let Some(Ok(WatchEvent::Added(map))) = watch.next().await {
            seen.push(map.metadata.name.unwrap());
        }
    }
    assert_eq!(seen, ["plain", "swapped", "last", "delayed"]);
    assert_eq!(start.elapsed(), Duration::from_secs(9));
}
