//! The life cycle of namespaces.
use k8s_openapi::api::core::v1::{ConfigMap, Endpoints, Namespace, Pod, Service, ServiceAccount};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube::{Api, api::DeleteParams};
use kube_codegen_testing::ApiServer;
use serde_json::json;

use super::support::{map, rejected};

fn namespace(name: &str) -> Namespace {
    serde_json::from_value(json!({"metadata": {"name": name}})).unwrap()
}

#[tokio::test]
async fn a_new_namespace_has_its_account_and_authority() {
    let server = ApiServer::builder().namespaces().authority("PEM").build();
    let namespaces: Api<Namespace> = Api::all(server.client());
    let created = namespaces
        .create(&kube::api::PostParams::default(), &namespace("a"))
        .await
        .unwrap();
    assert_eq!(
        created.metadata.labels.unwrap()["kubernetes.io/metadata.name"],
        "a"
    );
    assert_eq!(created.status.unwrap().phase.as_deref(), Some("Active"));
    assert!(server.get::<ServiceAccount>("a", "default").is_some());
    let authority: ConfigMap = server.get("a", "kube-root-ca.crt").unwrap();
    assert_eq!(authority.data.unwrap()["ca.crt"], "PEM");
}

#[tokio::test]
async fn objects_need_a_namespace() {
    let server = ApiServer::builder().namespaces().build();
    let maps: Api<ConfigMap> = Api::namespaced(server.client(), "absent");
    let status = rejected(
        maps.create(&kube::api::PostParams::default(), &map("a"))
            .await,
    );
    assert_eq!(
        (status.code, status.message.as_str()),
        (404, "namespaces \"absent\" not found")
    );
    let pods: Api<Pod> = Api::namespaced(server.client(), "default");
    let pod = |account: &str| -> Pod {
        serde_json::from_value(json!({"metadata": {"name": "a"}, "spec": {"serviceAccountName": account, "containers": [{"name": "a", "image": "a"}]}})).unwrap()
    };
    let status = rejected(
        pods.create(&kube::api::PostParams::default(), &pod("x"))
            .await,
    );
    assert_eq!(
        status.message,
        "pods \"a\" is forbidden: error looking up service account default/x: serviceaccount \"x\" not found"
    );
    let created = pods
        .create(&kube::api::PostParams::default(), &pod(""))
        .await
        .unwrap();
    assert_eq!(
        created.spec.unwrap().service_account_name.as_deref(),
        Some("default")
    );
}

#[tokio::test]
async fn a_deleted_namespace_terminates_when_its_objects_are_gone() {
    let server = ApiServer::builder().namespaces().build();
    let namespaces: Api<Namespace> = Api::all(server.client());
    namespaces
        .create(&kube::api::PostParams::default(), &namespace("a"))
        .await
        .unwrap();
    let maps: Api<ConfigMap> = Api::namespaced(server.client(), "a");
    let mut held = map("held");
    held.metadata.namespace = Some("a".into());
    held.metadata.finalizers = Some(vec!["example.com/hold".into()]);
    maps.create(&kube::api::PostParams::default(), &held)
        .await
        .unwrap();

    let deleted = namespaces
        .delete("a", &DeleteParams::default())
        .await
        .unwrap();
    let deleted = deleted.left().unwrap();
    assert_eq!(
        deleted.status.unwrap().phase.as_deref(),
        Some("Terminating")
    );
    let mut other = map("b");
    other.metadata.namespace = Some("a".into());
    let status = rejected(maps.create(&kube::api::PostParams::default(), &other).await);
    assert_eq!(
        (status.code, status.message.as_str()),
        (
            403,
            "configmaps \"b\" is forbidden: unable to create new content in namespace a because it is being terminated"
        )
    );
    assert_eq!(
        status.details.unwrap().causes[0].reason,
        "NamespaceTerminating"
    );
    assert!(server.get::<ServiceAccount>("a", "default").is_none());

    server
        .edit::<ConfigMap>("a", "held", |map| {
            map["metadata"]["finalizers"] = json!([]);
        })
        .unwrap();
    assert!(namespaces.get_opt("a").await.unwrap().is_none());
    let status = rejected(namespaces.delete("default", &DeleteParams::default()).await);
    assert_eq!(
        status.message,
        "namespaces \"default\" is forbidden: this namespace may not be deleted"
    );
}

#[tokio::test]
async fn namespaces_may_be_empty_and_pods_without_an_account() {
    let server = ApiServer::builder().empty_namespaces().build();
    assert_eq!(server.list::<ServiceAccount>().len(), 0);
    assert_eq!(server.list::<ConfigMap>().len(), 0);
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let pod = json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "main", "image": "x:1"}]}});
    let pod = serde_json::from_value(pod).unwrap();
    pods.create(&kube::api::PostParams::default(), &pod)
        .await
        .unwrap();
}

#[tokio::test]
async fn the_server_has_a_service() {
    let server = ApiServer::builder().namespaces().build();
    let service: Service = server.get("default", "kubernetes").unwrap();
    let spec = service.spec.unwrap();
    assert_eq!(spec.cluster_ip.as_deref(), Some("10.96.0.1"));
    assert_eq!(spec.ports.unwrap()[0].port, 443);
    let address = server.listen().await.unwrap();
    let slice: EndpointSlice = server.get("default", "kubernetes").unwrap();
    assert_eq!(slice.endpoints[0].addresses, ["127.0.0.1"]);
    let port = slice.ports.unwrap()[0].port;
    assert_eq!(port, Some(i32::from(address.port())));
    let endpoints: Endpoints = server.get("default", "kubernetes").unwrap();
    let port = endpoints.subsets.unwrap()[0].ports.as_ref().unwrap()[0].port;
    assert_eq!(port, i32::from(address.port()));
}

#[tokio::test]
async fn as_with_envtest_a_deleted_namespace_stays_terminating_until_it_is_finalized() {
    let server = ApiServer::builder().envtest().build();
    let namespaces: Api<Namespace> = Api::all(server.client());
    let params = kube::api::PostParams::default();
    namespaces.create(&params, &namespace("a")).await.unwrap();
    let maps: Api<ConfigMap> = Api::namespaced(server.client(), "a");
    maps.create(&params, &map("inside")).await.unwrap();
    assert!(server.get::<ServiceAccount>("a", "default").is_none());
    namespaces
        .delete("a", &DeleteParams::default())
        .await
        .unwrap();
    let left = namespaces.get("a").await.unwrap();
    assert_eq!(left.status.unwrap().phase.as_deref(), Some("Terminating"));
    maps.get("inside").await.unwrap();
    let status = rejected(maps.create(&params, &map("new")).await);
    assert_eq!(status.code, 403, "{status:?}");

    // Without its finalizer it is removed.
    let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}, "spec": {"finalizers": []}});
    let request = http::Request::put("/api/v1/namespaces/a/finalize");
    super::support::send(
        &server,
        request.header("content-type", "application/json"),
        body.to_string(),
    )
    .await;
    assert_eq!(rejected(namespaces.get("a").await).code, 404);
}
