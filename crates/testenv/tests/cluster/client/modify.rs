//! `modify` sends the difference to what is stored, whatever the client's type knows of it.
use k8s_openapi::{
    api::apps::v1::Deployment,
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api,
    api::{ApiResource, DynamicObject, ListParams, Patch, PatchParams, PostParams},
};
use kube_codegen_runtime::client::{ErrorExt as _, TypedClient};
use kube_codegen_testenv::{ControlPlane, Error, TestResult, eventually};
use serde_json::{Value, json};

use super::{gadget, object, random};
use crate::cluster::support::WITHIN;

/// Creates the CRD of the random objects, and waits until its objects can be listed.
async fn install(plane: &ControlPlane) -> Result<Api<DynamicObject>, Error> {
    let crds = Api::<CustomResourceDefinition>::all(plane.client()?);
    crds.patch(
        "gadgets.example.com",
        &PatchParams::apply("test"),
        &Patch::Apply(gadget::crd()),
    )
    .await?;
    let kind = ApiResource::erase::<gadget::Gadget>(&());
    let gadgets = Api::<DynamicObject>::default_namespaced_with(plane.client()?, &kind);
    eventually("the CRD is served", WITHIN, async || {
        let list = gadgets.list(&ListParams::default()).await;
        list.map(|_| ()).map_err(|error| error.to_string())
    })
    .await?;
    Ok(gadgets)
}

#[tokio::test]
async fn random_objects_have_the_changes_and_nothing_else() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    install(plane).await?;
    let ns = plane.namespace("modify-random").await?;
    let client = plane.client()?;
    for seed in 0..60 {
        random::check(&client, ns.name(), seed).await?;
    }
    Ok(())
}

/// A version in the patch makes an outdated one a conflict; a `test` of the version would make it invalid, as a patch that does not apply.
#[tokio::test]
async fn an_outdated_patch_is_a_conflict() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    install(plane).await?;
    let ns = plane.namespace("modify-outdated").await?;
    let kind = ApiResource::erase::<gadget::Gadget>(&());
    let gadgets = Api::<DynamicObject>::namespaced_with(plane.client()?, ns.name(), &kind);
    let made = json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "a"}, "spec": {"size": 1}});
    let made = gadgets
        .create(&PostParams::default(), &serde_json::from_value(made)?)
        .await?;
    let set = |size: i64, version: Value| {
        let patch = json!([version, {"op": "replace", "path": "/spec/size", "value": size}]);
        Patch::Json::<()>(serde_json::from_value(patch).unwrap())
    };
    let path = "/metadata/resourceVersion";
    let version = made.metadata.resource_version.unwrap();
    let replace = json!({"op": "replace", "path": path, "value": version});
    let test = json!({"op": "test", "path": path, "value": version});
    let params = PatchParams::default();
    gadgets
        .patch("a", &params, &set(2, replace.clone()))
        .await?;

    let conflict = gadgets
        .patch("a", &params, &set(3, replace.clone()))
        .await
        .unwrap_err();
    assert!(conflict.is_conflict(), "{conflict:?}");
    let status = set(3, replace.clone());
    let conflict = gadgets
        .patch_status("a", &params, &status)
        .await
        .unwrap_err();
    assert!(conflict.is_conflict(), "{conflict:?}");
    let failed = gadgets
        .patch("a", &params, &set(3, test))
        .await
        .unwrap_err();
    assert!(
        failed.is_invalid() && failed.field_errors().is_empty(),
        "{failed:?}"
    );
    let missing = json!([replace, {"op": "replace", "path": "/spec/none/size", "value": 1}]);
    let missing = Patch::Json::<()>(serde_json::from_value(missing)?);
    let failed = gadgets.patch("a", &params, &missing).await.unwrap_err();
    assert!(
        failed.is_invalid() && failed.field_errors().is_empty(),
        "{failed:?}"
    );
    assert_eq!(gadgets.get("a").await?.data["spec"], json!({"size": 2}));
    Ok(())
}

#[tokio::test]
async fn built_in_kinds_are_modified() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("modify-built-in").await?;
    let deployments = TypedClient::<Deployment>::namespaced(plane.client()?, ns.name());
    let web = json!({
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}]},
            },
        },
    });
    let made = deployments.create(&object(web)).await?;
    let reduce = |web: &mut Deployment| {
        let pod = web.spec.as_mut().unwrap().template.spec.as_mut().unwrap();
        pod.containers.retain(|container| container.name == "b");
        pod.containers[0].image = Some("b:2".to_owned());
    };
    // The Deployment controller may have changed the object already.
    let stored = deployments.modify_from(&made, reduce).await?;
    let containers = stored.spec.unwrap().template.spec.unwrap().containers;
    assert_eq!(containers.len(), 1);
    assert_eq!(containers[0].image.as_deref(), Some("b:2"));

    let refused = deployments
        .modify("web", |web| web.spec.as_mut().unwrap().replicas = Some(-1))
        .await
        .unwrap_err();
    assert_eq!(refused.field_errors()[0].field, "spec.replicas");
    Ok(())
}
