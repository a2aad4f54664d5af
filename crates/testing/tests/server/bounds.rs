//! Bounds: how many Pods the controllers create, and how deep the body of a request may be nested.
use std::time::{Duration, Instant};

use http::{Request, header};
use k8s_openapi::api::core::v1::Pod;
use kube::client::Body;
use kube_codegen_testing::{ApiServer, Controllers};
use serde_json::{Value, json};

/// Waits until nothing changes any more, and returns the number of Pods and the warnings.
async fn settled(server: &ApiServer) -> (usize, Vec<String>) {
    let mut revision = 0;
    while revision != server.revision() {
        revision = server.revision();
        tokio::time::sleep(Duration::from_secs(30)).await;
    }
    (server.list::<Pod>().len(), server.warnings())
}

#[tokio::test(start_paused = true)]
async fn controllers_create_a_bounded_number_of_pods() {
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}});
    let mut always = template.clone();
    always["spec"]["restartPolicy"] = "Always".into();
    let selector = json!({"matchLabels": {"a": "b"}});
    let most = i32::MAX;
    for (api_version, kind, spec) in [
        (
            "apps/v1",
            "Deployment",
            json!({"replicas": most, "selector": selector, "template": always}),
        ),
        (
            "apps/v1",
            "StatefulSet",
            json!({"replicas": most, "podManagementPolicy": "Parallel", "selector": selector, "template": always}),
        ),
        (
            "batch/v1",
            "Job",
            json!({"parallelism": most, "completions": most, "template": template}),
        ),
    ] {
        // Without a node, no Pod ends.
        let controllers = Controllers::new().nodes(0);
        let server = ApiServer::builder().controllers(controllers).build();
        let object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "web"}, "spec": spec});
        let start = Instant::now();
        let plural = format!("{}s", kind.to_lowercase());
        let path = format!("/apis/{api_version}/namespaces/default/{plural}");
        let (code, message) = send(
            &server,
            "POST",
            &path,
            "application/json",
            object.to_string(),
        )
        .await;
        assert_eq!(code, 201, "{kind}: {message}");
        let (pods, warnings) = settled(&server).await;
        assert_eq!(pods, 1_000, "{kind}");
        let why = "there are 1000 Pods, and the controllers in memory create no more";
        assert!(
            warnings.iter().any(|it| it.contains(why)),
            "{kind}: {warnings:?}"
        );
        assert!(start.elapsed() < Duration::from_secs(300), "{kind}");
    }
}

/// Sends a body to a path, and returns the status of the answer.
async fn send(
    server: &ApiServer,
    method: &str,
    path: &str,
    content: &str,
    body: String,
) -> (u16, String) {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::CONTENT_TYPE, content)
        .body(Body::from(body.into_bytes()))
        .unwrap();
    let response = server.client().send(request).await.unwrap();
    let code = response.status().as_u16();
    let body = response.into_body().collect_bytes().await.unwrap();
    let status: Value = serde_json::from_slice(&body).unwrap();
    (
        code,
        status["message"].as_str().unwrap_or_default().to_owned(),
    )
}

#[tokio::test]
async fn deep_bodies_are_rejected_at_once() {
    const MAPS: &str = "/api/v1/namespaces/default/configmaps";
    let (server, start) = (ApiServer::new(), Instant::now());
    for deep in [
        "[".repeat(200_000),
        "{a: ".repeat(200_000),
        "[\n".repeat(200_000),
        "- ".repeat(200_000),
    ] {
        for (method, path, content) in [
            ("POST", MAPS, "application/yaml"),
            ("POST", MAPS, "application/json"),
            (
                "PATCH",
                "/api/v1/namespaces/default/configmaps/a?fieldManager=a",
                "application/apply-patch+yaml",
            ),
            (
                "PATCH",
                "/api/v1/namespaces/default/configmaps/a",
                "application/json-patch+json",
            ),
        ] {
            let (code, message) = send(&server, method, path, content, deep.clone()).await;
            assert!(
                matches!(code, 400 | 404 | 422),
                "{content} {code}: {message:.200}"
            );
            // The parser of YAML itself takes a time that grows with the square of the depth.
            if content == "application/yaml" && deep.starts_with('[') {
                assert_eq!(message, "error decoding YAML: exceeded max depth");
            }
        }
    }
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[tokio::test]
async fn brackets_in_text_are_no_depth() {
    let server = ApiServer::new();
    let text = "\u{1b}[31mred [ { ".repeat(5_000);
    let body = format!("metadata: {{name: a}}\ndata:\n  log: {}\n", json!(text));
    let (code, message) = send(
        &server,
        "POST",
        "/api/v1/namespaces/default/configmaps",
        "application/yaml",
        body,
    )
    .await;
    assert_eq!(code, 201, "{message}");
}
