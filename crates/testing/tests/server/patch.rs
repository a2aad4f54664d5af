//! JSON, merge and strategic merge patches.
use k8s_openapi::api::apps::v1::Deployment;
use kube::api::{Api, Patch, PatchParams, PostParams};
use serde_json::json;

use super::support::{crdkind, crdkinds, object, refused, server};

#[tokio::test]
async fn each_patch_type_works_and_custom_kinds_reject_strategic_merge() {
    let server = server(&crdkind());
    let deployments: Api<Deployment> = Api::namespaced(server.client(), "default");
    let containers = json!([{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}]);
    let deployment = json!({"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"x": "y"}}, "template": {"metadata": {"labels": {"x": "y"}}, "spec": {"containers": containers}}}});
    deployments
        .create(
            &PostParams::default(),
            &serde_json::from_value(deployment).unwrap(),
        )
        .await
        .unwrap();
    let change =
        json!({"spec": {"template": {"spec": {"containers": [{"name": "b", "image": "b:2"}]}}}});
    let images = |deployment: Deployment| -> Vec<String> {
        deployment
            .spec
            .unwrap()
            .template
            .spec
            .unwrap()
            .containers
            .into_iter()
            .filter_map(|container| container.image)
            .collect()
    };
    let params = PatchParams::default();
    assert_eq!(
        images(
            deployments
                .patch("d", &params, &Patch::Strategic(&change))
                .await
                .unwrap()
        ),
        ["a:1", "b:2"]
    );
    assert_eq!(
        images(
            deployments
                .patch("d", &params, &Patch::Merge(&change))
                .await
                .unwrap()
        ),
        ["b:2"]
    );

    let kinds = crdkinds(&server);
    kinds
        .create(
            &PostParams::default(),
            &object("a", &json!({"replicas": 1})),
        )
        .await
        .unwrap();
    let status = refused(
        kinds
            .patch(
                "a",
                &params,
                &Patch::Strategic(json!({"spec": {"replicas": 2}})),
            )
            .await,
    );
    assert_eq!(
        (status.code, status.reason.as_str()),
        (415, "UnsupportedMediaType")
    );
    let patch = |operations| Patch::<()>::Json(serde_json::from_value(operations).unwrap());
    let null = patch(
        json!([{"op": "test", "path": "/metadata/finalizers", "value": null}, {"op": "replace", "path": "/spec/replicas", "value": 4}]),
    );
    assert_eq!(
        kinds.patch("a", &params, &null).await.unwrap().data["spec"]["replicas"],
        4
    );
    let failing = patch(
        json!([{"op": "test", "path": "/spec/replicas", "value": 1}, {"op": "replace", "path": "/spec/replicas", "value": 9}]),
    );
    assert_eq!(refused(kinds.patch("a", &params, &failing).await).code, 422);
    let stale =
        Patch::Merge(json!({"metadata": {"resourceVersion": "1"}, "spec": {"replicas": 9}}));
    assert_eq!(refused(kinds.patch("a", &params, &stale).await).code, 409);
    assert_eq!(kinds.get("a").await.unwrap().data["spec"]["replicas"], 4);
}
