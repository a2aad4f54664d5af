//! CRDs, objects and helpers.
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, ApiResource, DynamicObject, GroupVersionKind, PostParams};
use kube::core::response::Status;
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

/// Returns the CRD of the examples: no required fields, an unanchored pattern, no status subresource.
pub(crate) fn crdkind() -> Value {
    definition(
        &json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
            "choice": {"type": "string", "pattern": "(mysql|tomcat)"},
            "replicas": {"type": "integer", "minimum": 1, "maximum": 10},
        }}}}}),
        &json!({}),
    )
}

/// Returns that CRD with another schema and further fields of its version.
pub(crate) fn definition(schema: &Value, more: &Value) -> Value {
    let mut version = json!({"name": "v1", "served": true, "storage": true, "schema": schema});
    version
        .as_object_mut()
        .unwrap()
        .append(&mut more.as_object().unwrap().clone());
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "crdplural.iksoon.test.com"},
        "spec": {
            "group": "iksoon.test.com",
            "names": {"kind": "CrdKind", "plural": "crdplural", "singular": "crdsingular", "shortNames": ["crdshort", "iksoontest"]},
            "scope": "Namespaced",
            "versions": [version],
        },
    })
}

pub(crate) fn server(crd: &Value) -> ApiServer {
    let server = ApiServer::new();
    server.register_crd(crd).unwrap();
    server
}

pub(crate) fn resource() -> ApiResource {
    ApiResource::from_gvk_with_plural(
        &GroupVersionKind::gvk("iksoon.test.com", "v1", "CrdKind"),
        "crdplural",
    )
}

pub(crate) fn crdkinds(server: &ApiServer) -> Api<DynamicObject> {
    Api::namespaced_with(server.client(), "default", &resource())
}

pub(crate) fn object(name: &str, spec: &Value) -> DynamicObject {
    serde_json::from_value(json!({"apiVersion": "iksoon.test.com/v1", "kind": "CrdKind", "metadata": {"name": name}, "spec": spec})).unwrap()
}

pub(crate) fn maps(server: &ApiServer) -> Api<ConfigMap> {
    Api::namespaced(server.client(), "default")
}

pub(crate) fn map(name: &str) -> ConfigMap {
    serde_json::from_value(json!({"metadata": {"name": name}})).unwrap()
}

pub(crate) async fn create(maps: &Api<ConfigMap>, name: &str) -> ConfigMap {
    let created = maps.create(&PostParams::default(), &map(name)).await;
    created.unwrap()
}

/// Returns the `Status` of a failed call.
pub(crate) fn rejected<T: std::fmt::Debug>(result: Result<T, kube::Error>) -> Status {
    match result {
        Err(kube::Error::Api(status)) => *status,
        other => panic!("expected a Status, got {other:?}"),
    }
}

/// Sends a request of the administrator, and returns the answer.
pub(crate) async fn send(
    server: &ApiServer,
    request: http::request::Builder,
    body: impl Into<Vec<u8>>,
) -> (http::response::Parts, Value) {
    let body = kube::client::Body::from(body.into());
    let response = server
        .client()
        .send(request.body(body).unwrap())
        .await
        .unwrap();
    let (parts, body) = response.into_parts();
    let bytes = http_body_util::BodyExt::collect(body)
        .await
        .unwrap()
        .to_bytes();
    let text = || String::from_utf8_lossy(&bytes).into_owned().into();
    let body = serde_json::from_slice(&bytes).unwrap_or_else(|_| text());
    (parts, body)
}
