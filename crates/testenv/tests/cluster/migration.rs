//! Storage migration against a real API server: what is in etcd before and after.

use std::time::Duration;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, ListParams, Patch, PatchParams, PostParams},
};
use kube_codegen_runtime::migration::Migration;
use kube_codegen_testenv::{ControlPlane, TestResult};
use serde_json::{Value, json};

fn versions(storage: &str) -> Value {
    let version = |name: &str| {
        json!({
            "name": name, "served": true, "storage": name == storage,
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
        })
    };
    json!([version("v1"), version("v2")])
}

fn crd(plural: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.migration.example.com")},
        "spec": {
            "group": "migration.example.com", "scope": "Namespaced",
            "names": {"kind": plural, "listKind": format!("{plural}List"), "plural": plural, "singular": plural},
            "versions": versions("v1"),
        },
    })
}

/// Creates a CRD and objects in v1, and moves the storage to v2.
async fn moved(client: &Client, plural: &str, namespace: &str) -> TestResult<Api<DynamicObject>> {
    let crds = Api::<CustomResourceDefinition>::all(client.clone());
    let name = format!("{plural}.migration.example.com");
    let crd: CustomResourceDefinition = serde_json::from_value(crd(plural))?;
    crds.create(&PostParams::default(), &crd).await?;
    let resource = ApiResource {
        group: "migration.example.com".into(),
        version: "v1".into(),
        api_version: "migration.example.com/v1".into(),
        kind: plural.into(),
        plural: plural.into(),
    };
    let api = Api::<DynamicObject>::namespaced_with(client.clone(), namespace, &resource);
    while api.list(&ListParams::default()).await.is_err() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for index in 0..12 {
        let mut object = DynamicObject::new(&format!("o{index}"), &resource);
        object.data = json!({"spec": {"size": index}});
        api.create(&PostParams::default(), &object).await?;
    }
    let patch = Patch::Merge(json!({"spec": {"versions": versions("v2")}}));
    crds.patch(&name, &PatchParams::default(), &patch).await?;
    Ok(api)
}

/// The API server refuses to remove a version that an object may be stored in, and accepts it after the migration.
async fn old_version_can_go(client: &Client, plural: &str) -> TestResult<bool> {
    let crds = Api::<CustomResourceDefinition>::all(client.clone());
    let mut only = versions("v2");
    only.as_array_mut().unwrap().remove(0);
    let patch = Patch::Merge(json!({"spec": {"versions": only}}));
    let name = format!("{plural}.migration.example.com");
    match crds.patch(&name, &PatchParams::default(), &patch).await {
        Ok(_) => Ok(true),
        Err(kube::Error::Api(status)) if status.code == 422 => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[tokio::test]
async fn an_old_version_can_be_removed_after_the_migration() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let namespace = plane.namespace("migration").await?;
    let client = plane.client()?;
    let plural = "gadgets";
    let api = moved(&client, plural, namespace.name()).await?;
    assert!(!old_version_can_go(&client, plural).await?);
    // The API server learns of the new storage version a little later.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let before = api.get("o3").await?.metadata.resource_version;
    let migration = Migration::of(format!("{plural}.migration.example.com")).chunk(5);
    let report = tokio::time::timeout(Duration::from_secs(90), migration.run(&client)).await??;
    assert_eq!(report.stored_versions, ["v2"]);
    assert_eq!((report.rewritten, report.skipped), (12, 0));
    // The object was written, because its stored form changed.
    assert_ne!(api.get("o3").await?.metadata.resource_version, before);
    assert!(old_version_can_go(&client, plural).await?);
    Ok(())
}
