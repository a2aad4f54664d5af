//! Storage migration against the API server in memory.
use std::sync::{Arc, Mutex};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api,
    api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams},
};
use kube_codegen_runtime::migration::{Error, Migration};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

fn crd(storage: &str) -> Value {
    let version = |name: &str| {
        json!({
            "name": name, "served": true, "storage": name == storage,
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
        })
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"},
            "versions": [version("v1"), version("v2")],
        },
    })
}

async fn stored(crds: &Api<CustomResourceDefinition>) -> Vec<String> {
    let crd = crds.get("widgets.example.com").await.unwrap();
    crd.status.unwrap().stored_versions.unwrap()
}

#[tokio::test]
async fn all_objects_are_rewritten_and_old_versions_forgotten() {
    let server = ApiServer::new();
    let client = server.client();
    let crds = Api::<CustomResourceDefinition>::all(client.clone());
    let created: CustomResourceDefinition = serde_json::from_value(crd("v1")).unwrap();
    crds.create(&PostParams::default(), &created).await.unwrap();
    let resource = ApiResource {
        group: "example.com".into(),
        version: "v1".into(),
        api_version: "example.com/v1".into(),
        kind: "Widget".into(),
        plural: "widgets".into(),
    };
    for index in 0..25 {
        let api =
            Api::<DynamicObject>::namespaced_with(client.clone(), ["a", "b"][index % 2], &resource);
        let mut widget = DynamicObject::new(&format!("w{index}"), &resource);
        widget.data = json!({"spec": {"size": index}});
        api.create(&PostParams::default(), &widget).await.unwrap();
    }
    assert_eq!(stored(&crds).await, ["v1"]);
    let moved = Patch::Merge(json!({"spec": {"versions": crd("v2")["spec"]["versions"]}}));
    crds.patch("widgets.example.com", &PatchParams::default(), &moved)
        .await
        .unwrap();
    assert_eq!(stored(&crds).await, ["v1", "v2"]);

    let seen = Arc::new(Mutex::new(Vec::new()));
    let migration = Migration::of("widgets.example.com").chunk(10).by_server();
    let migration = migration
        .on_progress(|progress| seen.lock().unwrap().push((progress.seen, progress.total)));
    let report = migration.run(&client).await.unwrap();
    assert_eq!((report.rewritten, report.skipped), (25, 0));
    assert_eq!(report.stored_versions, ["v2"]);
    assert_eq!(stored(&crds).await, ["v2"]);
    assert_eq!(
        *seen.lock().unwrap(),
        [(10, Some(25)), (20, Some(25)), (25, Some(25))]
    );

    // There is nothing left to do.
    let again = Migration::of("widgets.example.com")
        .run(&client)
        .await
        .unwrap();
    assert_eq!(
        (again.rewritten, again.stored_versions),
        (0, vec!["v2".to_owned()])
    );
    let missing = Migration::of("gadgets.example.com")
        .run(&client)
        .await
        .unwrap_err();
    assert!(matches!(missing, Error::Request(_)), "{missing}");
}
