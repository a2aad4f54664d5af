//! Status and scale.

use k8s_openapi::api::core::v1::{ReplicationController, ResourceQuota};
use kube::api::Patch;
use kube_codegen_runtime::client::{ErrorExt as _, FieldManager, TypedClient};
use kube_codegen_testenv::{ControlPlane, TestResult};
use serde_json::json;

use super::object;

#[tokio::test]
async fn the_status_is_written_separately() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("status").await?;
    // No controller writes the status of this kind here.
    let quotas: TypedClient<ResourceQuota> = TypedClient::namespaced(plane.client()?, ns.name());
    let quota = |pods: &str, used: &str| -> ResourceQuota {
        object(
            json!({ "metadata": { "name": "a" }, "spec": { "hard": { "pods": pods } }, "status": { "used": { "pods": used } } }),
        )
    };
    let seen = |quota: ResourceQuota| serde_json::to_value(quota).unwrap();
    let fields = |quota: &serde_json::Value| {
        (
            quota["spec"]["hard"]["pods"].clone(),
            quota["status"]["used"]["pods"].clone(),
        )
    };

    let made = seen(quotas.create(&quota("5", "1")).await?);
    assert_eq!(fields(&made), (json!("5"), json!(null)));
    let written = seen(quotas.replace_status(&quota("6", "2")).await?);
    assert_eq!(fields(&written), (json!("5"), json!("2")));
    let written = seen(quotas.replace(&quota("7", "3")).await?);
    assert_eq!(fields(&written), (json!("7"), json!("2")));
    quotas
        .patch_status(
            "a",
            &Patch::Merge(json!({ "status": { "used": { "pods": "4" } } })),
        )
        .await?;
    assert_eq!(
        fields(&seen(quotas.get_status("a").await?)),
        (json!("7"), json!("4"))
    );
    let status = json!({ "metadata": { "name": "a" }, "status": { "used": { "pods": "5" } } });
    assert!(
        quotas
            .apply_status(&status, "test")
            .await
            .unwrap_err()
            .is_conflict()
    );
    quotas
        .apply_status(&status, FieldManager::new("test").force())
        .await?;

    let mut stale: ResourceQuota = object(made);
    stale.status.get_or_insert_default();
    assert!(
        quotas
            .replace_status(&stale)
            .await
            .unwrap_err()
            .is_conflict()
    );
    let replaced = quotas
        .modify_status("a", |quota| quota.status = None)
        .await?;
    assert_eq!(fields(&seen(replaced)), (json!("7"), json!(null)));
    Ok(())
}

#[tokio::test]
async fn the_scale_is_read_and_written() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("scale").await?;
    // No controller of this kind runs here.
    let controllers: TypedClient<ReplicationController> =
        TypedClient::namespaced(plane.client()?, ns.name());
    controllers
        .create(&object(json!({
            "metadata": { "name": "a" },
            "spec": { "replicas": 1, "template": { "metadata": { "labels": { "a": "b" } }, "spec": { "containers": [{ "name": "c", "image": "c" }] } } },
        })))
        .await?;
    let scale = controllers.scale();
    let mut read = scale.get("a").await?;
    assert_eq!(read.spec.as_ref().unwrap().replicas, Some(1));
    read.spec.as_mut().unwrap().replicas = Some(3);
    scale.replace("a", &read).await?;
    assert!(scale.replace("a", &read).await.unwrap_err().is_conflict());
    scale
        .patch("a", &Patch::Merge(json!({ "spec": { "replicas": 4 } })))
        .await?;
    assert_eq!(controllers.get("a").await?.spec.unwrap().replicas, Some(4));
    Ok(())
}
