//! The method, path, query and body of every verb.
use crate::client::kinds::{CrdKind, Zone};
use crate::client::server::Server;
use futures::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use kube::api::{DeleteParams, ListParams, Patch, WatchParams};
use kube_codegen_runtime::client::{AllNamespaces, FieldManager, TypedClient};
use serde_json::json;

const PATH: &str = "/apis/iksoon.test.com/v1/namespaces/default/crdplural";

fn object() -> serde_json::Value {
    json!({"apiVersion": "iksoon.test.com/v1", "kind": "CrdKind", "metadata": {"name": "a"}, "spec": {"choice": "mysql"}})
}

fn list() -> serde_json::Value {
    json!({"apiVersion": "iksoon.test.com/v1", "kind": "CrdKindList", "metadata": {"resourceVersion": "5"}, "items": [{"metadata": {"name": "a"}}]})
}

fn kinds(server: &Server) -> TypedClient<CrdKind> {
    TypedClient::namespaced(server.client(), "default")
}

#[tokio::test]
async fn objects_are_read_and_written_by_their_path() {
    let server = Server::with([(200, object())]);
    let (kinds, a) = (kinds(&server), CrdKind::new("a"));
    assert_eq!(
        kinds
            .get("a")
            .await
            .unwrap()
            .spec
            .unwrap()
            .choice
            .as_deref(),
        Some("mysql")
    );
    assert!(kinds.get_opt("a").await.unwrap().is_some());
    kinds.create(&a).await.unwrap();
    kinds.replace(&a).await.unwrap();
    let _ = kinds.delete("a", &DeleteParams::default()).await.unwrap();
    let lines = server.lines();
    let of = |verb: &str, rest: &str| format!("{verb} {PATH}{rest}");
    assert_eq!(
        lines,
        [
            of("GET", "/a"),
            of("GET", "/a"),
            of("POST", "?"),
            of("PUT", "/a?"),
            of("DELETE", "/a?")
        ]
    );
}

#[tokio::test]
async fn cluster_scoped_kinds_have_no_namespace_in_their_path() {
    let server = Server::with([(200, json!({"metadata": {"name": "z"}}))]);
    let zones = TypedClient::<Zone>::cluster(server.client());
    zones.get("z").await.unwrap();
    zones.replace(&zones.get("z").await.unwrap()).await.unwrap();
    assert_eq!(
        server.lines(),
        [
            "GET /apis/example.com/v1/zones/z",
            "GET /apis/example.com/v1/zones/z",
            "PUT /apis/example.com/v1/zones/z?"
        ]
    );
}

#[tokio::test]
async fn lists_and_delete_collection_send_selectors() {
    let server = Server::with([(200, list())]);
    let params = ListParams::default()
        .labels("a=b")
        .fields("spec.choice=mysql");
    assert_eq!(kinds(&server).list(&params).await.unwrap().items.len(), 1);
    AllNamespaces::<CrdKind>::new(server.client())
        .list(&ListParams::default())
        .await
        .unwrap();
    let _ = kinds(&server)
        .delete_collection(&DeleteParams::default(), &params)
        .await
        .unwrap();
    assert_eq!(
        server.lines(),
        [
            format!("GET {PATH}?&fieldSelector=spec.choice%3Dmysql&labelSelector=a%3Db"),
            "GET /apis/iksoon.test.com/v1/crdplural?".into(),
            format!("DELETE {PATH}?&fieldSelector=spec.choice%3Dmysql&labelSelector=a%3Db"),
        ]
    );
}

#[tokio::test]
async fn a_watch_streams_events() {
    let event = json!({"type": "ADDED", "object": object()});
    let server = Server::with([(200, event)]);
    let events: Vec<_> = kinds(&server)
        .watch(&WatchParams::default().timeout(10), "7")
        .await
        .unwrap()
        .collect()
        .await;
    assert!(
        matches!(&events[0], Ok(kube::api::WatchEvent::Added(kind)) if kind.metadata.name.as_deref() == Some("a"))
    );
    AllNamespaces::<CrdKind>::new(server.client())
        .watch(&WatchParams::default(), "0")
        .await
        .unwrap()
        .collect::<Vec<_>>()
        .await;
    let lines = server.lines();
    assert!(
        lines[0].starts_with(&format!("GET {PATH}?&watch=true&timeoutSeconds=10"))
            && lines[0].contains("resourceVersion=7"),
        "{lines:?}"
    );
    assert!(
        lines[1].starts_with("GET /apis/iksoon.test.com/v1/crdplural?&watch=true"),
        "{lines:?}"
    );
}

#[tokio::test]
async fn patches_and_applied_configurations() {
    let server = Server::with([(200, object())]);
    let kinds = kinds(&server);
    kinds
        .patch("a", &Patch::Merge(json!({"spec": {"replicas": 2}})))
        .await
        .unwrap();
    kinds
        .apply(
            &json!({"metadata": {"name": "a", "managedFields": [{}]}, "spec": {"replicas": 3}}),
            "me",
        )
        .await
        .unwrap();
    kinds
        .apply(&CrdKind::new("a"), FieldManager::new("me").force())
        .await
        .unwrap();
    kinds
        .apply_status(
            &json!({"metadata": {"name": "a"}, "status": {"ready": true}}),
            "me",
        )
        .await
        .unwrap();
    let requests = server.requests();
    let lines: Vec<_> = requests
        .iter()
        .map(|request| request.line.as_str())
        .collect();
    assert_eq!(
        lines,
        [
            format!("PATCH {PATH}/a?"),
            format!("PATCH {PATH}/a?&fieldManager=me"),
            format!("PATCH {PATH}/a?&force=true&fieldManager=me"),
            format!("PATCH {PATH}/a/status?&fieldManager=me"),
        ]
    );
    let types: Vec<_> = requests
        .iter()
        .map(|request| request.content_type.as_deref().unwrap())
        .collect();
    let apply = "application/apply-patch+yaml";
    assert_eq!(types, ["application/merge-patch+json", apply, apply, apply]);
    assert_eq!(
        requests[1].body,
        json!({"apiVersion": "iksoon.test.com/v1", "kind": "CrdKind", "metadata": {"name": "a"}, "spec": {"replicas": 3}})
    );
}

#[tokio::test]
async fn the_status_has_its_own_path() {
    let server = Server::with([(200, object())]);
    let kinds = kinds(&server);
    kinds.get_status("a").await.unwrap();
    kinds.replace_status(&CrdKind::new("a")).await.unwrap();
    kinds
        .patch_status("a", &Patch::Merge(json!({"status": {}})))
        .await
        .unwrap();
    assert_eq!(
        server.lines(),
        [
            format!("GET {PATH}/a/status"),
            format!("PUT {PATH}/a/status?"),
            format!("PATCH {PATH}/a/status?")
        ]
    );
}

#[tokio::test]
async fn the_scale_has_its_own_kind() {
    let server = Server::with([(
        200,
        json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": 3}}),
    )]);
    let deployments = TypedClient::<Deployment>::namespaced(server.client(), "x");
    let scale = deployments.scale().get("a").await.unwrap();
    assert_eq!(scale.spec.as_ref().unwrap().replicas, Some(3));
    deployments.scale().replace("a", &scale).await.unwrap();
    kinds(&server)
        .scale()
        .patch("a", &Patch::Merge(json!({"spec": {"replicas": 4}})))
        .await
        .unwrap();
    assert_eq!(
        server.lines(),
        [
            "GET /apis/apps/v1/namespaces/x/deployments/a/scale".to_owned(),
            "PUT /apis/apps/v1/namespaces/x/deployments/a/scale?".to_owned(),
            format!("PATCH {PATH}/a/scale?"),
        ]
    );
}

#[tokio::test]
async fn field_manager_and_dry_run_are_sent_with_every_write() {
    let server = Server::with([(200, object())]);
    let kinds = kinds(&server).with_field_manager("me").dry_run();
    kinds.create(&CrdKind::new("a")).await.unwrap();
    kinds.replace_status(&CrdKind::new("a")).await.unwrap();
    kinds.patch("a", &Patch::Merge(json!({}))).await.unwrap();
    kinds.apply(&CrdKind::new("a"), "other").await.unwrap();
    let _ = kinds.delete("a", &DeleteParams::default()).await.unwrap();
    let requests = server.requests();
    for request in &requests[..4] {
        assert!(
            request.line.contains("dryRun=All") && request.line.contains("fieldManager="),
            "{}",
            request.line
        );
    }
    assert!(requests[3].line.contains("fieldManager=other"));
    assert_eq!(requests[4].body["dryRun"], json!(["All"]));
}

#[tokio::test]
async fn invalid_names_are_rejected_before_any_request() {
    let server = Server::with([(200, object())]);
    let kinds = kinds(&server);
    for name in ["", ".", "..", "../b", "a/b", "a?x=y", "a#b", "a%2f", "a b"] {
        assert!(
            matches!(kinds.get(name).await, Err(kube::Error::BuildRequest(_))),
            "{name}"
        );
        assert!(
            kinds.delete(name, &DeleteParams::default()).await.is_err(),
            "{name}"
        );
        assert!(kinds.replace(&CrdKind::new(name)).await.is_err(), "{name}");
        assert!(
            kinds.apply_status(&CrdKind::new(name), "me").await.is_err(),
            "{name}"
        );
        let elsewhere = TypedClient::<CrdKind>::namespaced(server.client(), name);
        assert!(
            elsewhere.list(&ListParams::default()).await.is_err(),
            "{name}"
        );
        assert!(
            elsewhere
                .pages(&ListParams::default(), 5)
                .all(|page| async move { page.is_err() })
                .await,
            "{name}"
        );
    }
    assert!(kinds.replace(&CrdKind::default()).await.is_err());
    assert!(kinds.apply(&json!({"metadata": {}}), "me").await.is_err());
    assert!(kinds.apply(&json!([]), "me").await.is_err());
    assert_eq!(server.lines(), [""; 0]);
}
