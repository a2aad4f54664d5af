//! What the operator will not do is told by a Warning, and not tried in a hot loop.

use std::time::Duration;

use k8s_openapi::api::{apps::v1::Deployment, core::v1::Service};
use kube::{
    ResourceExt as _,
    api::{DeleteParams, ListParams, ObjectMeta, PostParams},
};
use kube_codegen_testenv::TestResult;

use crate::stage::{Stage, WITHIN, operator, shared};

#[tokio::test]
async fn an_object_that_makes_no_sense_is_reported_and_left_alone() -> TestResult {
    let Some(plane) = shared().await? else {
        return Ok(());
    };
    let stage = Stage::new(plane, "invalid").await?;
    let proxy = plane.proxy().await?;
    let kubeconfig = proxy
        .kubeconfig_for("crdkind-operator", "crdkind-operator")
        .await?;
    let operator = operator(plane, &kubeconfig, &["--namespace", stage.namespace.name()])?;
    let invalid = [
        ("unanchored", Some("mysqlx"), Some(1)),
        ("choiceless", None, Some(1)),
        ("replicaless", Some("mysql"), None),
    ];
    for (name, choice, replicas) in invalid {
        stage.create(name, choice, replicas).await?;
        stage.event(name, "Warning").await?;
    }
    // Each reconcile of such an object reports an event, so requests count the reconciles.
    let requests = || {
        proxy
            .requests()
            .iter()
            .filter(|request| !request.is_watch())
            .count()
    };
    let before = requests();
    tokio::time::sleep(Duration::from_secs(5)).await;
    let after = requests();
    assert!(
        after - before <= 6,
        "{} requests in 5 s for nothing:\n{:?}",
        after - before,
        proxy.requests()
    );
    assert_eq!(
        stage.deployments.list(&ListParams::default()).await?.items,
        Vec::<Deployment>::new()
    );
    assert_eq!(
        stage.services.list(&ListParams::default()).await?.items,
        Vec::<Service>::new()
    );

    // Put right, it is served.
    stage
        .change("unanchored", |spec| spec.choice = Some("mysql".to_owned()))
        .await?;
    stage.settled("unanchored", "iksoon_mysql", 1).await?;
    assert!(operator.terminate(WITHIN).await?.success());
    Ok(())
}

#[tokio::test]
async fn a_foreign_object_of_the_childs_name_is_not_touched() -> TestResult {
    let Some(plane) = shared().await? else {
        return Ok(());
    };
    let stage = Stage::new(plane, "foreign").await?;
    let _operator = stage.operator().await?;
    stage.create("probe", Some("mysql"), Some(1)).await?;
    let (child, _) = stage.settled("probe", "iksoon_mysql", 1).await?;

    // The child of `taken` will want the name that this one has.
    let name = child.name_any().replace("probe", "taken");
    let foreign = Deployment {
        metadata: ObjectMeta {
            name: Some(name.clone()),
            ..ObjectMeta::default()
        },
        spec: child.spec,
        ..Deployment::default()
    };
    let made = stage
        .deployments
        .create(&PostParams::default(), &foreign)
        .await?;
    stage.create("taken", Some("tomcat"), Some(2)).await?;
    let warning = stage.event("taken", "Warning").await?;
    assert!(warning.note.unwrap_or_default().contains(&name));
    let now = stage.deployments.get(&name).await?;
    assert_eq!(
        (now.metadata.uid, now.metadata.owner_references, now.spec),
        (made.metadata.uid, None, made.spec)
    );

    // Once it is out of the way, the object gets its own.
    stage
        .deployments
        .delete(&name, &DeleteParams::background())
        .await?;
    stage.settled("taken", "iksoon_tomcat", 2).await?;
    Ok(())
}
