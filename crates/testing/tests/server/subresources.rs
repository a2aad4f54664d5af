//! Subresources of built-in kinds.
use http::Request;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Node, Pod},
};
use kube::{
    Api,
    api::{ListParams, PostParams},
};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

use super::support::send;

const APPLY: &str = "application/apply-patch+yaml";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// Appends a field of bytes to a message in protobuf.
fn field(mut message: Vec<u8>, number: u8, bytes: &[u8]) -> Vec<u8> {
    message.push(number << 3 | 2);
    message.push(u8::try_from(bytes.len()).unwrap());
    message.extend(bytes);
    message
}

/// Returns an object in the form in which Go's clients send it.
fn protobuf(version: &str, kind: &str, message: &[u8]) -> Vec<u8> {
    let meta = field(Vec::new(), 1, version.as_bytes());
    let meta = field(meta, 2, kind.as_bytes());
    let envelope = field(field(Vec::new(), 1, &meta), 2, message);
    [b"k8s\0", envelope.as_slice()].concat()
}

fn pod(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [{"name": "main", "image": "x:1"}]},
    })
}

async fn create(server: &ApiServer, path: &str, object: &Value) -> Value {
    let request = Request::post(path).header("content-type", "application/json");
    let (answer, created) = send(server, request, object.to_string()).await;
    assert_eq!(answer.status, 201, "{created}");
    created
}

const PODS: &str = "/api/v1/namespaces/default/pods";

#[tokio::test]
async fn bindings_and_evictions_are_read_from_protobuf() {
    let server = ApiServer::new();
    create(&server, PODS, &pod("a")).await;
    let post =
        |name: &str| Request::post(format!("{PODS}/a/{name}")).header("content-type", PROTOBUF);
    let metadata = field(Vec::new(), 1, b"a");
    let target = field(field(Vec::new(), 1, b"Node"), 3, b"node-1");
    let binding = field(field(Vec::new(), 1, &metadata), 2, &target);
    let body = protobuf("v1", "Binding", &binding);
    let (answer, status) = send(&server, post("binding"), body).await;
    assert_eq!(answer.status, 201, "{status}");
    let bound: Pod = server.get("default", "a").unwrap();
    assert_eq!(bound.spec.unwrap().node_name.as_deref(), Some("node-1"));

    let eviction = field(Vec::new(), 1, &metadata);
    let body = protobuf("policy/v1", "Eviction", &eviction);
    let (answer, status) = send(&server, post("eviction"), body).await;
    assert_eq!(answer.status, 201, "{status}");
    assert!(server.get::<Pod>("default", "a").is_none());
}

#[tokio::test]
async fn a_binding_without_a_node_is_rejected() {
    let server = ApiServer::new();
    create(&server, PODS, &pod("a")).await;
    let request = Request::post(format!("{PODS}/a/binding"));
    let body = json!({"metadata": {"name": "a"}, "target": {}}).to_string();
    let (answer, status) = send(&server, request, body).await;
    assert_eq!(
        (answer.status.as_u16(), status["message"].as_str().unwrap()),
        (500, "target.name: Required value")
    );
}

fn deployment(replicas: i32) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "main", "image": "x:1"}]},
            },
        },
    })
}

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

#[tokio::test]
async fn the_scale_of_a_built_in_kind_is_applied() {
    let server = ApiServer::new();
    create(
        &server,
        &format!("{DEPLOYMENTS}?fieldManager=creator"),
        &deployment(1),
    )
    .await;
    let apply = |manager: &str, force: bool| {
        Request::patch(format!(
            "{DEPLOYMENTS}/web/scale?fieldManager={manager}&force={force}"
        ))
        .header("content-type", APPLY)
    };
    let scale = |replicas: i32| {
        json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": replicas}})
            .to_string()
    };
    let (answer, status) = send(&server, apply("scaler", false), scale(3)).await;
    assert_eq!(
        (answer.status.as_u16(), status["message"].as_str().unwrap()),
        (
            409,
            "Apply failed with 1 conflict: conflict with \"creator\" using autoscaling/v1: .spec.replicas"
        )
    );
    let (answer, scaled) = send(&server, apply("scaler", true), scale(3)).await;
    assert_eq!(answer.status, 200, "{scaled}");
    assert_eq!(scaled["kind"], "Scale");
    assert_eq!(scaled["spec"]["replicas"], 3);
    let stored: Deployment = server.get("default", "web").unwrap();
    assert_eq!(stored.spec.unwrap().replicas, Some(3));
    let managers = stored.metadata.managed_fields.unwrap();
    let of = |name: &str| {
        let mut managers = managers.iter();
        managers
            .find(|it| it.manager.as_deref() == Some(name))
            .unwrap()
    };
    let owner = of("scaler");
    assert_eq!(owner.subresource.as_deref(), Some("scale"));
    assert_eq!(owner.api_version.as_deref(), Some("apps/v1"));
    let fields = json!(owner.fields_v1);
    assert_eq!(fields, json!({"f:spec": {"f:replicas": {}}}));
    let rest = json!(of("creator").fields_v1);
    assert!(rest["f:spec"].get("f:replicas").is_none(), "{rest}");

    let before = stored.metadata.resource_version;
    let (answer, _) = send(&server, apply("scaler", false), scale(3)).await;
    assert_eq!(answer.status, 200);
    let stored: Deployment = server.get("default", "web").unwrap();
    assert_eq!(stored.metadata.resource_version, before);
}

#[tokio::test]
async fn a_scale_is_read_from_protobuf() {
    let server = ApiServer::new();
    create(&server, DEPLOYMENTS, &deployment(1)).await;
    let request = Request::put(format!("{DEPLOYMENTS}/web/scale")).header("content-type", PROTOBUF);
    let metadata = field(field(Vec::new(), 1, b"web"), 3, b"default");
    // The field 1 of the specification is the number 4.
    let scale = field(field(Vec::new(), 1, &metadata), 2, &[8, 4]);
    let body = protobuf("autoscaling/v1", "Scale", &scale);
    let (answer, scaled) = send(&server, request, body).await;
    assert_eq!(answer.status, 200, "{scaled}");
    let stored: Deployment = server.get("default", "web").unwrap();
    assert_eq!(stored.spec.unwrap().replicas, Some(4));
}

#[tokio::test]
async fn ephemeral_containers_are_added_by_their_subresource_alone() {
    let server = ApiServer::new();
    create(&server, PODS, &pod("a")).await;
    let path = format!("{PODS}/a/ephemeralcontainers");
    let debugger = json!({"name": "debugger", "image": "busybox:stable"});
    let body = json!({
        "metadata": {"name": "a", "labels": {"not": "written"}},
        "spec": {"ephemeralContainers": [debugger]},
    });
    let (answer, changed) = send(&server, Request::put(&path), body.to_string()).await;
    assert_eq!(answer.status, 200, "{changed}");
    let added = &changed["spec"]["ephemeralContainers"][0];
    assert_eq!(added["terminationMessagePath"], "/dev/termination-log");
    assert_eq!(changed["metadata"].get("labels"), None);
    assert_eq!(changed["spec"]["containers"][0]["name"], "main");

    let second = json!({"spec": {"ephemeralContainers": [{"name": "second", "image": "x:1"}]}});
    let request =
        Request::patch(&path).header("content-type", "application/strategic-merge-patch+json");
    let (answer, changed) = send(&server, request, second.to_string()).await;
    assert_eq!(answer.status, 200, "{changed}");
    let all = changed["spec"]["ephemeralContainers"].as_array().unwrap();
    assert_eq!(all.len(), 2);

    let (_, read) = send(&server, Request::get(&path), "").await;
    assert_eq!(read["spec"], changed["spec"]);
    let removed = json!({"metadata": {"name": "a"}, "spec": {"ephemeralContainers": []}});
    let (answer, status) = send(&server, Request::put(&path), removed.to_string()).await;
    assert_eq!(answer.status, 422, "{status}");
}

#[tokio::test]
async fn a_token_request_without_audiences_gets_those_of_the_server() {
    let server = ApiServer::new();
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    create(&server, accounts, &json!({"metadata": {"name": "a"}})).await;
    for spec in [
        json!({}),
        json!({"audiences": []}),
        json!({"audiences": null}),
    ] {
        let issued = create(
            &server,
            &format!("{accounts}/a/token"),
            &json!({"spec": spec}),
        )
        .await;
        let audiences = &issued["spec"]["audiences"];
        assert_eq!(*audiences, json!(["https://kubernetes.default.svc"]));
        let review = json!({"spec": {"token": issued["status"]["token"]}});
        let reviewed = create(
            &server,
            "/apis/authentication.k8s.io/v1/tokenreviews",
            &review,
        )
        .await;
        assert_eq!(reviewed["status"]["audiences"], *audiences);
    }
}

#[tokio::test]
async fn a_signing_request_is_approved_and_signed_by_its_subresources() {
    let server = ApiServer::new();
    let requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    let pem = "-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n";
    let request = json!({
        "metadata": {"name": "a"},
        "spec": {
            "request": k8s_openapi::ByteString(pem.as_bytes().to_vec()),
            "signerName": "example.com/signer",
            "usages": ["client auth"],
            "username": "mallory",
        },
    });
    let created = create(&server, requests, &request).await;
    assert_eq!(created["spec"]["username"], "kubernetes-admin");
    assert_eq!(created["metadata"].get("managedFields"), None);
    let patch = |name: &str| {
        Request::patch(format!("{requests}/a/{name}"))
            .header("content-type", "application/merge-patch+json")
    };
    let condition = json!({"type": "Approved", "status": "True", "reason": "Test"});
    let certificate = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
    let certificate = k8s_openapi::ByteString(certificate.as_bytes().to_vec());
    let status = json!({"status": {"conditions": [condition], "certificate": certificate}});
    let (answer, approved) = send(&server, patch("approval"), status.to_string()).await;
    assert_eq!(answer.status, 200, "{approved}");
    assert_eq!(approved["status"]["conditions"][0]["type"], "Approved");
    assert_eq!(approved["status"].get("certificate"), None);
    let none = json!({"status": {"conditions": []}});
    let (answer, rejected) = send(&server, patch("status"), none.to_string()).await;
    assert_eq!(answer.status, 422, "{rejected}");
    let status = json!({"status": {"certificate": certificate}});
    let (answer, signed) = send(&server, patch("status"), status.to_string()).await;
    assert_eq!(answer.status, 200, "{signed}");
    assert_eq!(signed["status"]["certificate"], json!(certificate));
    assert_eq!(signed["status"]["conditions"][0]["type"], "Approved");
}

#[tokio::test]
async fn field_selectors_know_the_zero_values() {
    let server = ApiServer::new();
    server
        .seed(&json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}}))
        .unwrap();
    let nodes: Api<Node> = Api::all(server.client());
    let schedulable = ListParams::default().fields("spec.unschedulable==false");
    assert_eq!(nodes.list(&schedulable).await.unwrap().items.len(), 1);
    nodes.cordon("a").await.unwrap();
    assert_eq!(nodes.list(&schedulable).await.unwrap().items.len(), 0);

    server.seed(&pod("a")).unwrap();
    let job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a", "namespace": "default"}, "status": {"succeeded": 2}});
    server.seed(&job).unwrap();
    for (path, selector, found) in [
        (PODS, "spec.hostNetwork=false", 1),
        (PODS, "spec.hostNetwork=true", 0),
        ("/apis/batch/v1/jobs", "status.successful=2", 1),
        ("/apis/batch/v1/jobs", "status.successful=0", 0),
    ] {
        let request = Request::get(format!("{path}?fieldSelector={selector}"));
        let (_, list) = send(&server, request, "").await;
        let items = list["items"].as_array().unwrap();
        assert_eq!(items.len(), found, "{path} {selector}");
    }
}

#[tokio::test]
async fn a_dry_run_may_create_an_object_with_a_resource_version() {
    let server = ApiServer::new();
    let mut object = pod("a");
    object["metadata"]["resourceVersion"] = "7".into();
    let request = |query: &str| Request::post(format!("{PODS}{query}"));
    let body = object.to_string();
    let (answer, created) = send(&server, request("?dryRun=All"), body.clone()).await;
    assert_eq!(answer.status, 201, "{created}");
    assert_eq!(created["metadata"]["resourceVersion"], "7");
    let (answer, _) = send(&server, request(""), body).await;
    assert_eq!(answer.status, 500);
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let created = serde_json::from_value(pod("a")).unwrap();
    pods.create(&PostParams::default(), &created).await.unwrap();
}
