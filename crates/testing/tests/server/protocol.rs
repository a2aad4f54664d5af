//! Parts of the protocol besides the verbs: lists of the past, duplicate fields, grace periods, evictions, discovery.
use std::time::Duration;

use k8s_openapi::api::{core::v1::Pod, policy::v1::PodDisruptionBudget};
use kube::{
    Api,
    api::{DeleteParams, EvictParams, ListParams, VersionMatch},
};
use kube_codegen_testing::{ApiServer, Controllers};
use serde_json::{Value, json};

use super::support::{crdkind, create, maps, rejected, send, server};

fn pod(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": "web"}},
        "spec": {"terminationGracePeriodSeconds": 20, "containers": [{"name": "main", "image": "x:1"}]},
    })
}

#[tokio::test]
async fn a_list_of_the_past_is_exact() {
    let server = ApiServer::new();
    let maps = maps(&server);
    create(&maps, "a").await;
    create(&maps, "b").await;
    let before = maps.list(&ListParams::default()).await.unwrap();
    let before = before.metadata.resource_version.unwrap();
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    create(&maps, "c").await;
    let exact = |version: &str| {
        ListParams::default()
            .at(version)
            .matching(VersionMatch::Exact)
    };
    let found = maps.list(&exact(&before)).await.unwrap();
    let names: Vec<_> = found
        .items
        .iter()
        .map(|it| it.metadata.name.as_deref().unwrap())
        .collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(
        found.metadata.resource_version.as_deref(),
        Some(before.as_str())
    );
    let versions: Vec<u64> = found
        .items
        .iter()
        .map(|it| {
            it.metadata
                .resource_version
                .as_deref()
                .unwrap()
                .parse()
                .unwrap()
        })
        .collect();
    assert!(versions.iter().all(|it| *it <= before.parse().unwrap()));
    server.compact();
    assert_eq!(rejected(maps.list(&exact(&before)).await).code, 410);
}

#[tokio::test]
async fn duplicate_fields_are_warned_of_or_rejected() {
    let server = ApiServer::new();
    let path = "/api/v1/namespaces/default/configmaps";
    let body = r#"{"metadata": {"name": "a"}, "data": {"x": "1", "x": "2"}}"#;
    let post = |query: &str| http::Request::post(format!("{path}{query}"));
    let (answer, status) = send(&server, post("?fieldValidation=Strict"), body).await;
    assert_eq!(answer.status, 400);
    assert!(
        status["message"]
            .as_str()
            .unwrap()
            .ends_with("strict decoding error: duplicate field \"data.x\""),
        "{status}"
    );
    let (answer, created) = send(&server, post(""), body).await;
    assert_eq!(
        (answer.status.as_u16(), &created["data"]["x"]),
        (201, &json!("2"))
    );
    assert_eq!(
        answer.headers["warning"],
        "299 - \"duplicate field \\\"data.x\\\"\""
    );
}

#[tokio::test(start_paused = true)]
async fn a_deleted_pod_ends_with_its_containers() {
    let controllers = Controllers::new().ends_after(Duration::from_secs(5));
    let server = ApiServer::builder().controllers(controllers).build();
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let new: Pod = serde_json::from_value(pod("a")).unwrap();
    pods.create(&kube::api::PostParams::default(), &new)
        .await
        .unwrap();
    let bound = |server: &ApiServer| server.get::<Pod>("default", "a")?.spec?.node_name;
    server.until(bound).await;
    let start = tokio::time::Instant::now();
    let deleted = pods.delete("a", &DeleteParams::default()).await.unwrap();
    let deleted = deleted.left().unwrap().metadata;
    assert_eq!(deleted.deletion_grace_period_seconds, Some(20));
    assert!(deleted.deletion_timestamp.is_some());
    // A change of a Pod that is being deleted does not remove it.
    server
        .edit::<Pod>("default", "a", |pod| {
            pod["metadata"]["labels"]["late"] = "yes".into();
        })
        .unwrap();
    server
        .until(|server| server.get::<Pod>("default", "a").is_none().then_some(()))
        .await;
    assert_eq!(start.elapsed(), Duration::from_secs(5));
}

#[tokio::test]
async fn without_kubelets_a_deletion_without_grace_removes_a_scheduled_pod() {
    let server = ApiServer::builder().grace_periods().build();
    let mut scheduled = pod("a");
    scheduled["spec"]["nodeName"] = "node-1".into();
    server.seed(&scheduled).unwrap();
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    pods.delete("a", &DeleteParams::default()).await.unwrap();
    assert!(server.is_terminating::<Pod>("default", "a"));
    pods.delete("a", &DeleteParams::default().grace_period(0))
        .await
        .unwrap();
    assert_eq!(rejected(pods.get("a").await).code, 404);
}

#[tokio::test]
async fn an_eviction_respects_the_disruption_budget() {
    let server = ApiServer::new();
    let mut running = pod("a");
    let ready = json!({"type": "Ready", "status": "True"});
    running["status"] = json!({"phase": "Running", "conditions": [ready]});
    server.seed(&running).unwrap();
    let budget = json!({
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web", "generation": 1},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
        "status": {"observedGeneration": 1, "disruptionsAllowed": 0, "desiredHealthy": 1, "currentHealthy": 1, "expectedPods": 1},
    });
    server.seed(&budget).unwrap();
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let status = rejected(pods.evict("a", &EvictParams::default()).await);
    assert_eq!(
        (status.code, status.reason.as_str()),
        (429, "TooManyRequests")
    );
    server
        .edit::<PodDisruptionBudget>("default", "web", |it| {
            it["status"]["disruptionsAllowed"] = 1.into();
        })
        .unwrap();
    pods.evict("a", &EvictParams::default()).await.unwrap();
    assert_eq!(rejected(pods.get("a").await).code, 404);
    let budget: PodDisruptionBudget = server.get("default", "web").unwrap();
    let status = budget.status.unwrap();
    assert_eq!(
        (
            status.disruptions_allowed,
            status.disrupted_pods.unwrap().len()
        ),
        (0, 1)
    );
}

#[tokio::test(start_paused = true)]
async fn the_controller_of_disruption_budgets_counts_ready_pods() {
    let server = ApiServer::builder().controllers(Controllers::new()).build();
    let budget = json!({
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web", "namespace": "default", "generation": 1},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
    });
    server.seed(&budget).unwrap();
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    for name in ["a", "b"] {
        let new: Pod = serde_json::from_value(pod(name)).unwrap();
        pods.create(&kube::api::PostParams::default(), &new)
            .await
            .unwrap();
    }
    let allowed = |server: &ApiServer| {
        let status = server
            .get::<PodDisruptionBudget>("default", "web")?
            .status?;
        (status.current_healthy == 2)
            .then_some((status.desired_healthy, status.disruptions_allowed))
    };
    assert_eq!(server.until(allowed).await, (1, 1));
    pods.evict("a", &EvictParams::default()).await.unwrap();
    assert_eq!(
        rejected(pods.evict("b", &EvictParams::default()).await).code,
        429
    );
}

#[tokio::test]
async fn discovery_comes_at_once_and_pods_have_no_logs() {
    let server = server(&crdkind());
    let accept =
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    let request = http::Request::get("/apis").header("accept", accept);
    let (answer, groups) = send(&server, request, "").await;
    assert_eq!(
        answer.headers["content-type"],
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    );
    let items = groups["items"].as_array().unwrap();
    let own = items
        .iter()
        .find(|it| it["metadata"]["name"] == "iksoon.test.com")
        .unwrap();
    let resource = &own["versions"][0]["resources"][0];
    assert_eq!(
        (&resource["resource"], &resource["scope"]),
        (&json!("crdplural"), &json!("Namespaced"))
    );
    let (_, list) = send(
        &server,
        http::Request::get("/apis").header("accept", "application/json"),
        "",
    )
    .await;
    assert_eq!(list["kind"], "APIGroupList");

    let (_, openapi) = send(&server, http::Request::get("/openapi/v2"), "").await;
    assert!(openapi["definitions"]["com.test.iksoon.v1.CrdKind"]["properties"]["spec"].is_object());

    let request = http::Request::get("/api/v1/namespaces/default/pods/a/log");
    let (answer, status) = send(&server, request, "").await;
    assert_eq!(answer.status, 405);
    assert!(
        status["message"]
            .as_str()
            .unwrap()
            .contains("runs no containers"),
        "{status}"
    );
}

#[tokio::test]
async fn duplicate_keys_in_yaml_are_reported() {
    let server = ApiServer::new();
    let body = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x: one\n  x: two\n";
    let maps = "/api/v1/namespaces/default/configmaps";
    let post = async |validation: &str| {
        let path = format!("{maps}?dryRun=All&fieldValidation={validation}");
        let request = http::Request::post(path).header("content-type", "application/yaml");
        send(&server, request, body).await
    };
    let (parts, created) = post("Warn").await;
    assert_eq!(created["data"]["x"], "two");
    assert_eq!(
        parts.headers["warning"],
        "299 - \"key \\\"x\\\" already set in map\""
    );
    let (parts, _) = post("Ignore").await;
    assert!(!parts.headers.contains_key("warning"));
    let (parts, rejected) = post("Strict").await;
    assert_eq!(parts.status, 400);
    let message = rejected["message"].as_str().unwrap();
    assert!(
        message.ends_with("key \"x\" already set in map"),
        "{message}"
    );

    let apply = |validation: &str| {
        let path = format!("{maps}/a?fieldManager=test&fieldValidation={validation}");
        http::Request::patch(path).header("content-type", "application/apply-patch+yaml")
    };
    let (parts, rejected) = send(&server, apply("Strict"), body).await;
    assert_eq!(
        (parts.status.as_u16(), &rejected["reason"]),
        (400, &json!("BadRequest"))
    );
    let (parts, _) = send(&server, apply("Warn"), body).await;
    assert_eq!(parts.headers.get_all("warning").iter().count(), 1);
}

#[tokio::test]
async fn openapi_is_served_as_protobuf_to_kubectl() {
    let server = server(&crdkind());
    let accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    let request = http::Request::get("/openapi/v2").header("accept", accept);
    let request = request.body(kube::client::Body::empty()).unwrap();
    let response = server.client().send(request).await.unwrap();
    assert_eq!(
        response.headers()["content-type"],
        "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
    );
    let bytes = http_body_util::BodyExt::collect(response.into_body());
    let bytes = bytes.await.unwrap().to_bytes();
    // Field 1 is the version of the format.
    assert_eq!(&bytes[..5], b"\x0a\x032.0");
    let name = b"com.test.iksoon.v1.CrdKind";
    assert!(bytes.windows(name.len()).any(|it| it == name));
}
