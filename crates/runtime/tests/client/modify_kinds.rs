//! `modify` of built-in kinds, and of random objects.
use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
use kube_codegen_runtime::client::TypedClient;
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

use crate::client::{gadget, random};

#[tokio::test]
async fn built_in_kinds_are_modified() {
    let server = ApiServer::new();
    let maps = TypedClient::<ConfigMap>::namespaced(server.client(), "default");
    let named = |json: Value| serde_json::from_value::<ConfigMap>(json).unwrap();
    maps.create(&named(
        json!({"metadata": {"name": "a"}, "data": {"x": "1"}}),
    ))
    .await
    .unwrap();
    let insert = |map: &mut ConfigMap| {
        _ = map
            .data
            .get_or_insert_default()
            .insert("y".into(), "2".into());
    };
    let stored = maps.modify("a", insert).await.unwrap();
    assert_eq!(
        serde_json::to_value(stored.data).unwrap(),
        json!({"x": "1", "y": "2"})
    );

    let deployments = TypedClient::<Deployment>::namespaced(server.client(), "default");
    let web = json!({
        "metadata": {"name": "web"},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}]},
            },
        },
    });
    let web = deployments
        .create(&serde_json::from_value(web).unwrap())
        .await
        .unwrap();
    server.clear_requests();
    deployments
        .modify_from(&web, |web| {
            let pod = web.spec.as_mut().unwrap().template.spec.as_mut().unwrap();
            pod.containers.remove(0);
            pod.containers[0].image = Some("b:2".into());
        })
        .await
        .unwrap();
    assert_eq!(server.requests().len(), 1);
    let stored = deployments
        .get("web")
        .await
        .unwrap()
        .spec
        .unwrap()
        .template
        .spec
        .unwrap();
    assert_eq!(stored.containers.len(), 1);
    assert_eq!(stored.containers[0].image.as_deref(), Some("b:2"));
}

/// The object has more fields than its type, and lacks required ones.
#[tokio::test]
async fn random_objects_have_the_changes_and_nothing_else() {
    let server = ApiServer::new();
    server.register_crd(&gadget::crd()).unwrap();
    for seed in 0..150 {
        random::check(&server.client(), "default", seed)
            .await
            .unwrap();
    }
}
