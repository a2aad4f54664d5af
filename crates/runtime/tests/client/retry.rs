//! Retries after conflicts.
use crate::kinds::{CrdKind, CrdKindSpec};
use crate::server::{Server, status};
use kube_codegen_runtime::client::{ErrorExt, TypedClient, retry};
use serde_json::{Value, json};

fn version(version: &str) -> (u16, Value) {
    (
        200,
        json!({"metadata": {"name": "a", "resourceVersion": version}}),
    )
}

fn scale_up(kind: &mut CrdKind) {
    kind.spec.get_or_insert_with(CrdKindSpec::default).replicas = Some(2);
}

#[tokio::test(start_paused = true)]
async fn a_conflict_is_retried_on_the_newest_object() {
    let server = Server::with([
        version("1"),
        status(409, "Conflict"),
        version("2"),
        version("3"),
    ]);
    let kinds = TypedClient::<CrdKind>::namespaced(server.client(), "default");
    let stored = kinds.retry_on_conflict("a", scale_up).await.unwrap();
    assert_eq!(stored.metadata.resource_version.as_deref(), Some("3"));
    let requests = server.requests();
    let written: Vec<_> = requests
        .iter()
        .filter(|request| request.line.starts_with("PUT"))
        .map(|request| &request.body)
        .collect();
    assert_eq!(written.len(), 2);
    assert_eq!(written[1]["metadata"]["resourceVersion"], "2");
    assert_eq!(written[1]["spec"], json!({"replicas": 2}));
}

#[tokio::test(start_paused = true)]
async fn attempts_are_limited_and_other_errors_end_them() {
    let always = Server::with(
        [version("1")]
            .into_iter()
            .chain((0..5).flat_map(|_| [status(409, "Conflict"), version("1")])),
    );
    let kinds = TypedClient::<CrdKind>::namespaced(always.client(), "default");
    assert!(
        kinds
            .retry_on_conflict("a", scale_up)
            .await
            .unwrap_err()
            .is_conflict()
    );
    assert_eq!(
        always
            .lines()
            .iter()
            .filter(|line| line.starts_with("PUT"))
            .count(),
        5
    );

    let exists = Server::with([version("1"), status(409, "AlreadyExists")]);
    let kinds = TypedClient::<CrdKind>::namespaced(exists.client(), "default");
    assert!(
        kinds
            .retry_on_conflict("a", scale_up)
            .await
            .unwrap_err()
            .is_already_exists()
    );
    assert_eq!(exists.lines().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn status_conflicts_are_retried_on_the_status_path() {
    let server = Server::with([
        version("1"),
        status(409, "Conflict"),
        version("2"),
        version("3"),
    ]);
    let kinds = TypedClient::<CrdKind>::namespaced(server.client(), "default");
    kinds.retry_status_on_conflict("a", |_| {}).await.unwrap();
    assert_eq!(
        server
            .lines()
            .iter()
            .filter(|line| line.starts_with("PUT") && line.contains("/crdplural/a/status"))
            .count(),
        2
    );
}

/// A reconcile and a spawned task must be `Send`.
#[tokio::test(start_paused = true)]
async fn retries_run_in_a_spawned_task() {
    let server = Server::with((1..=5).map(|number| version(&number.to_string())));
    let kinds = TypedClient::<CrdKind>::namespaced(server.client(), "default");
    let task = tokio::spawn(async move {
        let name = "a".to_owned();
        let mut calls = 0;
        kinds.retry_on_conflict(&name, |_| calls += 1).await?;
        kinds
            .retry_status_on_conflict(&name, |_| calls += 1)
            .await?;
        retry::on_conflict(retry::DEFAULT_RETRY, async || kinds.get(&name).await).await?;
        Ok::<_, kube::Error>(calls)
    });
    assert_eq!(task.await.unwrap().unwrap(), 2);
}
