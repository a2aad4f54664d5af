//! Retries after conflicts.
use std::cell::Cell;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_codegen_runtime::client::{ErrorExt, TypedClient, retry};
use serde_json::json;

use crate::client::server::{Server, status};

#[tokio::test(start_paused = true)]
async fn conflicts_are_retried_a_limited_number_of_times() {
    let map = (200, json!({"metadata": {"name": "a"}}));
    for (conflicts, calls, is_ok) in [(2, 3, true), (9, 5, false)] {
        let conflicts = (0..conflicts).map(|_| status(409, "Conflict"));
        let server = Server::with(conflicts.chain([map.clone()]));
        let maps = TypedClient::<ConfigMap>::namespaced(server.client(), "default");
        let result = retry::on_conflict(retry::DEFAULT_RETRY, async || maps.get("a").await).await;
        assert_eq!((server.lines().len(), result.is_ok()), (calls, is_ok));
    }
}

#[tokio::test(start_paused = true)]
async fn other_errors_are_not_retried() {
    let calls = Cell::new(0);
    let server = Server::with([status(409, "AlreadyExists")]);
    let maps = TypedClient::<ConfigMap>::namespaced(server.client(), "default");
    let result = retry::on_conflict(retry::DEFAULT_BACKOFF, async || {
        calls.update(|calls| calls + 1);
        maps.get("a").await
    })
    .await;
    assert!(result.unwrap_err().is_already_exists());
    assert_eq!(calls.get(), 1);
}
