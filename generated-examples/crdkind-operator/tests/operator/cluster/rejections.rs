//! Objects that the operator rejects: it reports a Warning and does not retry at once.

use k8s_openapi::api::apps::v1::Deployment;
use kube::{
    ResourceExt as _,
    api::{DeleteParams, ListParams, ObjectMeta, PostParams},
};
use kube_codegen_testenv::TestResult;

use crate::cluster::stage::{Stage, WITHIN, shared};

#[tokio::test]
async fn an_invalid_object_is_reported_and_not_retried() -> TestResult {
    let Some(plane) = shared().await? else {
        return Ok(());
    };
    let stage = Stage::new(plane, "invalid").await?;
    let operator = stage.operator().await?;
    let invalid = [
        ("unanchored", Some("mysqlx"), Some(1)),
        ("choiceless", None, Some(1)),
        ("replicaless", Some("mysql"), None),
    ];
    for (name, choice, replicas) in invalid {
        stage.create(name, choice, replicas).await?;
        stage.event(name, "Warning").await?;
    }
    // Each of them is reconciled once, whatever else is in the same queue.
    stage.create("other", Some("mysql"), Some(1)).await?;
    for round in 1..=20 {
        let replicas = 1 + round % 2;
        stage
            .change("other", |spec| spec.replicas = Some(replicas.into()))
            .await?;
        stage.settled("other", "iksoon_mysql", replicas).await?;
    }
    let log = operator.log();
    for (name, ..) in invalid {
        let object = format!("{}/{name}", stage.namespace);
        let failures: Vec<_> = log
            .lines()
            .filter(|line| line.contains(&object) && line.contains("reconcile failed"))
            .collect();
        assert_eq!(failures.len(), 1, "{failures:#?}");
    }
    let all = ListParams::default();
    assert_eq!(stage.deployments.list(&all).await?.items.len(), 1);
    assert_eq!(stage.services.list(&all).await?.items.len(), 1);

    // Once corrected, it is served.
    stage
        .change("unanchored", |spec| spec.choice = Some("mysql".to_owned()))
        .await?;
    stage.settled("unanchored", "iksoon_mysql", 1).await?;
    assert!(operator.terminate(WITHIN).await?.success());
    Ok(())
}

#[tokio::test]
async fn an_object_with_the_name_of_a_child_is_not_changed() -> TestResult {
    let Some(plane) = shared().await? else {
        return Ok(());
    };
    let stage = Stage::new(plane, "foreign").await?;
    let _operator = stage.operator_with(&["--look-again", "2s"]).await?;
    stage.create("probe", Some("mysql"), Some(1)).await?;
    let (child, _) = stage.settled("probe", "iksoon_mysql", 1).await?;

    // The child of `taken` would have this name.
    let name = child.name_any().replace("probe", "taken");
    let foreign = Deployment {
        metadata: ObjectMeta {
            name: Some(name.clone()),
            ..ObjectMeta::default()
        },
        spec: child.spec,
        ..Deployment::default()
    };
    let created = stage
        .deployments
        .create(&PostParams::default(), &foreign)
        .await?;
    stage.create("taken", Some("tomcat"), Some(2)).await?;
    let warning = stage.event("taken", "Warning").await?;
    assert!(warning.note.unwrap_or_default().contains(&name));
    let now = stage.deployments.get(&name).await?;
    assert_eq!(
        (now.metadata.uid, now.metadata.owner_references, now.spec),
        (created.metadata.uid, None, created.spec)
    );

    // Once that object is deleted, the child can be created.
    stage
        .deployments
        .delete(&name, &DeleteParams::background())
        .await?;
    stage.settled("taken", "iksoon_tomcat", 2).await?;
    Ok(())
}
