//! The Deployment and the Service of an object, from creation to garbage collection.

use k8s_openapi::api::{
    apps::v1::{Deployment, ReplicaSet},
    core::v1::Service,
};
use kube::{
    Api,
    api::{DeleteParams, ListParams},
};
use kube_codegen_testenv::{TestResult, eventually};

use crate::cluster::stage::{Stage, WITHIN, operator, own, shared};

#[tokio::test]
async fn both_choices_run() -> TestResult {
    let Some(plane) = shared().await? else {
        return Ok(());
    };
    let stage = Stage::new(plane, "both").await?;
    let operator = stage.operator().await?;
    stage.create("db", Some("mysql"), Some(2)).await?;
    stage.create("web", Some("tomcat"), Some(3)).await?;
    let (_, db) = stage.settled("db", "iksoon_mysql", 2).await?;
    let (deployment, web) = stage.settled("web", "iksoon_tomcat", 3).await?;
    assert_ne!(db.metadata.name, web.metadata.name);
    assert_eq!(
        deployment.metadata.namespace.as_deref(),
        Some(stage.namespace.name())
    );
    assert_eq!(stage.running().await?.len(), 5);
    let sets: Api<ReplicaSet> = Api::namespaced(plane.client()?, stage.namespace.name());
    assert_eq!(sets.list(&ListParams::default()).await?.items.len(), 2);
    assert_eq!(
        stage.event("db", "Normal").await?.reason.as_deref(),
        Some("Synced")
    );
    assert!(operator.terminate(WITHIN).await?.success());
    Ok(())
}

#[tokio::test]
async fn objects_created_before_the_operator_are_served() -> TestResult {
    let Some(plane) = shared().await? else {
        return Ok(());
    };
    let stage = Stage::new(plane, "before").await?;
    stage.create("a", Some("mysql"), Some(1)).await?;
    let _operator = stage.operator().await?;
    stage.settled("a", "iksoon_mysql", 1).await?;
    Ok(())
}

#[tokio::test]
async fn changes_are_applied() -> TestResult {
    let Some(plane) = shared().await? else {
        return Ok(());
    };
    let stage = Stage::new(plane, "changes").await?;
    let _operator = stage.operator().await?;
    stage.create("a", Some("mysql"), Some(1)).await?;
    let (before, _) = stage.settled("a", "iksoon_mysql", 1).await?;
    stage.change("a", |spec| spec.replicas = Some(4)).await?;
    stage.settled("a", "iksoon_mysql", 4).await?;
    stage
        .change("a", |spec| spec.choice = Some("tomcat".to_owned()))
        .await?;
    let (after, _) = stage.settled("a", "iksoon_tomcat", 4).await?;
    assert_eq!(before.metadata.uid, after.metadata.uid);
    stage.change("a", |spec| spec.replicas = Some(1)).await?;
    stage.settled("a", "iksoon_tomcat", 1).await?;
    Ok(())
}

#[tokio::test]
async fn one_name_in_two_namespaces_and_one_of_them_deleted() -> TestResult {
    let Some(plane) = own().await? else {
        return Ok(());
    };
    let kubeconfig = plane
        .kubeconfig_for("crdkind-operator", "crdkind-operator")
        .await?;
    let _operator = operator(&plane, &kubeconfig, &[])?;
    let (one, two) = (
        Stage::new(&plane, "one").await?,
        Stage::new(&plane, "two").await?,
    );
    one.create("same", Some("mysql"), Some(1)).await?;
    two.create("same", Some("tomcat"), Some(2)).await?;
    one.settled("same", "iksoon_mysql", 1).await?;
    let (kept, _) = two.settled("same", "iksoon_tomcat", 2).await?;

    one.kinds.delete("same", &DeleteParams::default()).await?;
    eventually("garbage collected", WITHIN, async || {
        let list = ListParams::default();
        let deployments: Vec<Deployment> = one
            .deployments
            .list(&list)
            .await
            .map_err(|e| e.to_string())?
            .items;
        let services: Vec<Service> = one
            .services
            .list(&list)
            .await
            .map_err(|e| e.to_string())?
            .items;
        let pods = one.running().await.map_err(|e| e.to_string())?;
        let left = (deployments.len(), services.len(), pods.len());
        if left == (0, 0, 0) {
            Ok(())
        } else {
            Err(format!("{left:?}"))
        }
    })
    .await?;
    let (still, _) = two.settled("same", "iksoon_tomcat", 2).await?;
    assert_eq!(kept.metadata.uid, still.metadata.uid);
    Ok(())
}
