//! JSON, merge and strategic merge patches, and the limits of what is sent.
use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
use kube::api::{Api, Patch, PatchParams, PostParams};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

use super::support::{crdkind, crdkinds, map, maps, object, rejected, server};

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
    let status = rejected(
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
    assert_eq!(
        rejected(kinds.patch("a", &params, &failing).await).code,
        422
    );
    let stale =
        Patch::Merge(json!({"metadata": {"resourceVersion": "1"}, "spec": {"replicas": 9}}));
    assert_eq!(rejected(kinds.patch("a", &params, &stale).await).code, 409);
    assert_eq!(kinds.get("a").await.unwrap().data["spec"]["replicas"], 4);
}

#[tokio::test]
async fn patches_and_bodies_have_the_limits_of_kube_apiserver() {
    let server = ApiServer::new();
    let maps = maps(&server);
    maps.create(&PostParams::default(), &map("a"))
        .await
        .unwrap();
    let send = async |operations: Vec<Value>| {
        let patch = Patch::<ConfigMap>::Json(serde_json::from_value(operations.into()).unwrap());
        rejected(maps.patch("a", &PatchParams::default(), &patch).await)
    };
    let status = send(vec![json!({"op": "remove", "path": "/data"}); 10_001]).await;
    assert_eq!(
        (status.code, status.message.as_str()),
        (
            413,
            "The allowed maximum operations in a JSON patch is 10000, got 10001"
        )
    );
    // Each doubles the object.
    let doubled = (0..40).map(
        |number| json!({"op": "copy", "from": "/metadata", "path": format!("/metadata/{number}")}),
    );
    assert_eq!(send(doubled.collect()).await.code, 422);
    // Each nests it deeper.
    let mut path = "/metadata".to_owned();
    let nested = (0..200).map(|_| {
        path += "/a";
        json!({"op": "add", "path": path, "value": {}})
    });
    assert_eq!(send(nested.collect()).await.code, 422);
    let mut large = map("b");
    large.data = Some([("a".to_owned(), "b".repeat(3 << 20))].into());
    let status = rejected(maps.create(&PostParams::default(), &large).await);
    assert_eq!(
        (status.code, status.message.as_str()),
        (413, "Request entity too large: limit is 3145728")
    );
}
