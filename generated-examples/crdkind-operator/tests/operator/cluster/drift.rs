//! Changed and deleted children are restored.

use kube::{
    ResourceExt as _,
    api::{DeleteParams, Patch, PatchParams},
};
use kube_codegen_testenv::{TestResult, eventually};
use serde_json::json;

use crate::cluster::stage::{Stage, WITHIN, shared};

#[tokio::test]
async fn an_edited_child_is_corrected() -> TestResult {
    let Some(plane) = shared().await? else {
        return Ok(());
    };
    let stage = Stage::new(plane, "edited").await?;
    let _operator = stage.operator().await?;
    stage.create("a", Some("mysql"), Some(2)).await?;
    let (deployment, service) = stage.settled("a", "iksoon_mysql", 2).await?;
    let container = &deployment
        .spec
        .as_ref()
        .unwrap()
        .template
        .spec
        .as_ref()
        .unwrap()
        .containers[0]
        .name;

    let by_hand = PatchParams {
        field_manager: Some("editor".to_owned()),
        ..PatchParams::default()
    };
    let edit = json!({ "spec": { "replicas": 5, "template": { "spec": { "containers": [{ "name": container, "image": "example.com/other:1" }] } } } });
    let edited = stage
        .deployments
        .patch(&deployment.name_any(), &by_hand, &Patch::Strategic(edit))
        .await?;
    assert_eq!(edited.spec.unwrap().replicas, Some(5));
    stage.settled("a", "iksoon_mysql", 2).await?;

    let edit = json!({ "spec": { "selector": { "app": "other" }, "type": "ClusterIP" } });
    stage
        .services
        .patch(&service.name_any(), &by_hand, &Patch::Merge(edit))
        .await?;
    stage.settled("a", "iksoon_mysql", 2).await?;

    // Each correction repeats the event, which becomes a series.
    eventually("a series of events", WITHIN, async || {
        let event = stage
            .event("a", "Normal")
            .await
            .map_err(|e| e.to_string())?;
        match &event.series {
            Some(series) if series.count >= 2 => Ok(()),
            series => Err(format!("{series:?}")),
        }
    })
    .await?;
    Ok(())
}

#[tokio::test]
async fn a_deleted_child_is_created_again() -> TestResult {
    let Some(plane) = shared().await? else {
        return Ok(());
    };
    let stage = Stage::new(plane, "deleted").await?;
    let _operator = stage.operator().await?;
    stage.create("a", Some("tomcat"), Some(1)).await?;
    let (deployment, service) = stage.settled("a", "iksoon_tomcat", 1).await?;
    stage
        .deployments
        .delete(&deployment.name_any(), &DeleteParams::background())
        .await?;
    stage
        .services
        .delete(&service.name_any(), &DeleteParams::default())
        .await?;
    let (new_deployment, new_service) = stage.settled("a", "iksoon_tomcat", 1).await?;
    assert_ne!(deployment.metadata.uid, new_deployment.metadata.uid);
    assert_ne!(service.metadata.uid, new_service.metadata.uid);
    Ok(())
}
