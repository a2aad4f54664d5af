//! What `kube-codegen policy` prints takes effect in the API server in memory.
use kube::api::{Api, ApiResource, DynamicObject, GroupVersionKind, PostParams};
use kube_codegen::{
    diag::Diagnostics,
    private::{crd, policies},
    source::{Input, load},
};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

const CRD: &str = include_str!("../../../../tests/cli/policy.in/machines.yaml");
const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/cli/policy.in/machines.yaml"
);

fn api(server: &ApiServer, api_version: &str, kind: &str) -> Api<DynamicObject> {
    let (group, version) = api_version.split_once('/').unwrap();
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
    if group == "example.com" {
        return Api::default_namespaced_with(server.client(), &resource);
    }
    Api::all_with(server.client(), &resource)
}

async fn create(server: &ApiServer, object: Value) -> kube::Result<DynamicObject> {
    let text = |field: &str| object[field].as_str().unwrap().to_owned();
    let api = api(server, &text("apiVersion"), &text("kind"));
    let object = serde_json::from_value(object).unwrap();
    api.create(&PostParams::default(), &object).await
}

#[tokio::test]
async fn a_bad_object_is_rejected_and_defaults_are_set() {
    let server = ApiServer::new();
    // Without a schema, only the policies reject and default.
    let mut definition: Value = serde_yaml::from_str(CRD).unwrap();
    let free = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    definition["spec"]["versions"][0]["schema"] = free;
    create(&server, definition).await.unwrap();
    let mut diagnostics = Diagnostics::new();
    let crds = crd::parse(&load(&[Input::parse(FILE)]).unwrap(), &mut diagnostics);
    for document in policies(&crds[0]) {
        create(&server, document).await.unwrap();
    }
    let machine = |name: &str, spec: Value| json!({"apiVersion": "example.com/v1", "kind": "Machine", "metadata": {"name": name}, "spec": spec});
    let good = machine("good", json!({"zone": "a", "disks": [{"size": 1}]}));
    let created = create(&server, good).await.unwrap();
    let defaults = json!({"zone": "a", "minReplicas": 1, "maxReplicas": 3, "disks": [{"size": 1, "type": "ssd"}]});
    assert_eq!(created.data["spec"], defaults);
    for (name, spec, why) in [
        ("bad", json!({"minReplicas": 9}), "spec: at least five"),
        (
            "bad",
            json!({"disks": [{"size": 0}]}),
            "spec.disks[]: a disk has a size",
        ),
        (
            "a-name-that-is-much-too-long",
            json!({}),
            "the name is too long",
        ),
    ] {
        let error = create(&server, machine(name, spec)).await.unwrap_err();
        let message = error.to_string();
        assert!(message.contains(why), "{message}");
    }
}
