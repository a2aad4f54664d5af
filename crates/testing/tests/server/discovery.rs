//! What discovery says of groups, versions and resources.
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

use super::support::{crdkind, send, server};

const AGGREGATED: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/// Returns the answer to a GET.
async fn get(server: &ApiServer, path: &str) -> (u16, Value) {
    let (answer, body) = send(server, http::Request::get(path), "").await;
    (answer.status.as_u16(), body)
}

async fn aggregated(server: &ApiServer, path: &str) -> Vec<Value> {
    let request = http::Request::get(path).header("accept", AGGREGATED);
    let (_, body) = send(server, request, "").await;
    body["items"].as_array().unwrap().clone()
}

fn names(list: &Value, field: &str) -> Vec<String> {
    let items = list.as_array().unwrap().iter();
    items
        .map(|it| it[field].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn versions_are_ranked_and_the_groups_of_kubernetes_are_first() {
    let mut crd = crdkind();
    let version = crd["spec"]["versions"][0].clone();
    let versions = ["v1alpha1", "v1", "foo", "v2beta1", "v2", "v1beta1", "v10"].map(|name| {
        let mut version = version.clone();
        version["name"] = name.into();
        version["storage"] = (name == "v1").into();
        version
    });
    crd["spec"]["versions"] = json!(versions);
    let server = server(&crd);
    let ranked = ["v10", "v2", "v1", "v2beta1", "v1beta1", "v1alpha1", "foo"];

    let (_, group) = get(&server, "/apis/iksoon.test.com").await;
    assert_eq!(names(&group["versions"], "version"), ranked);
    assert_eq!(group["preferredVersion"]["version"], "v10");
    let (_, groups) = get(&server, "/apis").await;
    let groups = groups["groups"].as_array().unwrap();
    assert_eq!(groups.last().unwrap()["name"], "iksoon.test.com");
    assert_eq!(groups.last().unwrap()["preferredVersion"]["version"], "v10");
    let aggregated = aggregated(&server, "/apis").await;
    let own = aggregated.last().unwrap();
    assert_eq!(own["metadata"]["name"], "iksoon.test.com");
    assert_eq!(names(&own["versions"], "version"), ranked);
}

#[tokio::test]
async fn kinds_that_are_not_stored_are_discovered() {
    let server = ApiServer::new();
    for (path, resource, verbs) in [
        ("/api/v1", "bindings", json!(["create"])),
        ("/api/v1", "componentstatuses", json!(["get", "list"])),
        (
            "/apis/authentication.k8s.io/v1",
            "tokenreviews",
            json!(["create"]),
        ),
        (
            "/apis/authorization.k8s.io/v1",
            "subjectaccessreviews",
            json!(["create"]),
        ),
        (
            "/apis/certificates.k8s.io/v1",
            "certificatesigningrequests/approval",
            json!(["get", "patch", "update"]),
        ),
        (
            "/api/v1",
            "pods/ephemeralcontainers",
            json!(["get", "patch", "update"]),
        ),
    ] {
        let (_, list) = get(&server, path).await;
        let resources = list["resources"].as_array().unwrap();
        let found = resources.iter().find(|it| it["name"] == resource);
        assert_eq!(found.unwrap()["verbs"], verbs, "{resource}");
    }
    for name in [
        "apiregistration.k8s.io",
        "certificates.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "node.k8s.io",
    ] {
        assert_eq!(get(&server, &format!("/apis/{name}/v1")).await.0, 200);
    }
    let (code, _) = get(&server, "/apis/authentication.k8s.io/v1/tokenreviews").await;
    assert_eq!(code, 405);
    let (code, status) = get(&server, "/api/v1/componentstatuses/scheduler").await;
    assert_eq!((code, &status["kind"]), (200, &json!("ComponentStatus")));
    assert_eq!(get(&server, "/api/v1/componentstatuses/x").await.0, 404);
}

#[tokio::test]
async fn aggregated_discovery_has_all_subresources() {
    let server = ApiServer::new();
    let groups = aggregated(&server, "/api").await;
    let resources = groups[0]["versions"][0]["resources"].as_array().unwrap();
    let pods = resources
        .iter()
        .find(|it| it["resource"] == "pods")
        .unwrap();
    let found = names(&pods["subresources"], "subresource");
    assert_eq!(
        found,
        [
            "binding",
            "ephemeralcontainers",
            "eviction",
            "resize",
            "status"
        ]
    );
}

#[tokio::test]
async fn what_clients_ask_first_is_complete() {
    let server = ApiServer::new();
    let (_, version) = get(&server, "/version").await;
    // The client of Python demands these.
    for field in [
        "buildDate",
        "compiler",
        "gitCommit",
        "gitTreeState",
        "gitVersion",
        "goVersion",
        "major",
        "minor",
        "platform",
    ] {
        assert!(version[field].is_string(), "{field}: {version}");
    }
    // What `/` lists is there.
    let (_, root) = get(&server, "/").await;
    let paths = root["paths"].as_array().unwrap();
    assert!(paths.len() > 40, "{root}");
    for path in paths {
        let path = path.as_str().unwrap();
        let (answer, _) = send(&server, http::Request::get(path), "").await;
        assert_eq!(answer.status, 200, "{path}");
    }
    let (_, issuer) = get(&server, "/.well-known/openid-configuration").await;
    assert_eq!(issuer["issuer"], "https://kubernetes.default.svc");
}
