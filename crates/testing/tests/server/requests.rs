//! The record of requests: its limit, and the file of `KUBE_CODEGEN_REQUESTS`.
use std::{env, fs, process::Command};

use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

use super::support::{create, map, maps, rejected};

#[tokio::test]
async fn the_oldest_requests_are_dropped_at_the_limit() {
    let server = ApiServer::new();
    server.set_request_limit(2);
    let maps = maps(&server);
    for name in ["a", "b", "c"] {
        create(&maps, name).await;
    }
    let names: Vec<_> = server
        .requests()
        .iter()
        .map(|request| (request.body["metadata"]["name"].clone(), request.status))
        .collect();
    assert_eq!(names, [(json!("b"), 201), (json!("c"), 201)]);
}

#[tokio::test]
async fn metrics_count_requests_and_objects() {
    let server = ApiServer::new();
    let maps = maps(&server);
    create(&maps, "a").await;
    create(&maps, "b").await;
    rejected(maps.get("absent").await);
    let request = http::Request::get("/metrics").body(Vec::new()).unwrap();
    let text = server.client().request_text(request).await.unwrap();
    for line in [
        r#"apiserver_request_total{code="201",component="apiserver",dry_run="",group="",resource="configmaps",scope="resource",subresource="",verb="POST",version="v1"} 2"#,
        r#"apiserver_request_total{code="404",component="apiserver",dry_run="",group="",resource="configmaps",scope="resource",subresource="",verb="GET",version="v1"} 1"#,
        r#"apiserver_resource_objects{group="",resource="configmaps"} 2"#,
        "# TYPE apiserver_request_total counter",
    ] {
        assert!(text.lines().any(|it| it == line), "{line}\n{text}");
    }
}

/// Sends requests; run by the next test with the environment variable.
#[tokio::test]
async fn sends_requests() {
    let server = ApiServer::new();
    if env::var_os("WITHOUT_MEMORY").is_some() {
        server.set_request_limit(0);
    }
    let maps = maps(&server);
    create(&maps, "a").await;
    rejected(
        maps.create(&kube::api::PostParams::default(), &map("a"))
            .await,
    );
}

#[test]
fn answered_requests_are_appended_to_the_file_of_the_variable() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("requests");
    // As kube-apiserver for envtest, the second one keeps no requests in memory.
    for variables in [vec![], vec![("WITHOUT_MEMORY", "1")]] {
        let done = Command::new(env::current_exe().unwrap())
            .args(["--exact", "requests::sends_requests"])
            .env("KUBE_CODEGEN_REQUESTS", &file)
            .envs(variables)
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    }
    let lines: Vec<Value> = fs::read_to_string(&file)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 4);
    let wanted = json!({
        "verb": "create", "group": "", "version": "v1", "resource": "configmaps", "subresource": "", "namespaced": true,
        "namespace": "default", "name": "", "status": 409, "userAgent": "", "blockedOwners": [],
        "user": "kubernetes-admin",
    });
    assert_eq!(lines[3], wanted);
}
