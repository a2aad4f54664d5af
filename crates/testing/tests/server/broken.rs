//! What mutating webhooks give back: patches that do not apply, and objects of another version.
use k8s_openapi::ByteString;
use kube::api::{Patch, PatchParams, PostParams};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

use super::{
    admission::{admission, configure, serve},
    support::{crdkinds, create, definition, map, maps, object, rejected, resource},
};

fn patched(operations: &Value) -> Value {
    json!({"allowed": true, "patchType": "JSONPatch", "patch": ByteString(operations.to_string().into_bytes())})
}

#[tokio::test]
async fn a_patch_that_breaks_the_object_names_its_webhook() {
    let address = serve(|path, review| {
        let operations = match path {
            "/absent" => json!([{"op": "remove", "path": "/spec/absent"}]),
            "/type" => json!([{"op": "add", "path": "/data", "value": {"a": 1}}]),
            "/object" => json!({"op": "add"}),
            _ => {
                let garbled = ByteString(b"[{".to_vec());
                return admission(review, json!({"allowed": true, "patch": garbled}));
            }
        };
        admission(review, patched(&operations))
    })
    .await;
    for (path, why) in [
        (
            "/absent",
            r#"{"op":"remove","path":"/spec/absent"} does not apply"#,
        ),
        (
            "/type",
            "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
        ),
        ("/object", "it is not a list of operations"),
        ("/garbled", "EOF while parsing an object at line 1 column 2"),
    ] {
        let server = ApiServer::new();
        let maps = maps(&server);
        create(&maps, "a").await;
        let url = format!("http://{address}{path}");
        configure(&server, "MutatingWebhookConfiguration", &url, &json!({}));
        let message = format!(
            "Internal error occurred: admission webhook \"hook.example.com\" returned a patch that breaks the object: {why}"
        );
        let status = rejected(maps.create(&PostParams::default(), &map("b")).await);
        assert_eq!(
            (status.code, status.message.as_str()),
            (500, message.as_str())
        );
        let patch = Patch::Merge(json!({"data": {"x": "y"}}));
        let status = rejected(maps.patch("a", &PatchParams::default(), &patch).await);
        assert_eq!(
            (status.code, status.message.as_str()),
            (500, message.as_str())
        );
    }
}

#[tokio::test]
async fn a_patch_for_another_version_is_converted_back() {
    let field = |name: &str| json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {name: {"type": "string"}}}}}});
    let mut crd = definition(&field("color"), &json!({}));
    crd["spec"]["versions"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "v2", "served": true, "storage": false, "schema": field("colour")}));
    let address = serve(|path, review| {
        if path == "/convert" {
            let wanted = &review["request"]["desiredAPIVersion"];
            let (from, to) = if wanted.as_str().unwrap().ends_with("v2") {
                ("color", "colour")
            } else {
                ("colour", "color")
            };
            let mut objects = review["request"]["objects"].clone();
            for object in objects.as_array_mut().unwrap() {
                object["apiVersion"] = wanted.clone();
                if let Some(value) = object["spec"].as_object_mut().and_then(|spec| spec.remove(from)) {
                    object["spec"][to] = value;
                }
            }
            let uid = &review["request"]["uid"];
            return json!({"response": {"uid": uid, "result": {"status": "Success"}, "convertedObjects": objects}});
        }
        let request = &review["request"];
        assert_eq!(request["kind"]["version"], "v2");
        assert_eq!(request["requestKind"]["version"], "v1");
        assert_eq!(request["object"]["spec"]["colour"], "red");
        let operations = json!([{"op": "replace", "path": "/spec/colour", "value": "blue"}]);
        admission(review, patched(&operations))
    })
    .await;
    let client = json!({"url": format!("http://{address}/convert")});
    crd["spec"]["conversion"] = json!({"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": client}});
    let server = ApiServer::new();
    server.register_crd(&crd).unwrap();
    let rules = json!([{"operations": ["CREATE"], "apiGroups": ["iksoon.test.com"], "apiVersions": ["v2"], "resources": [resource().plural]}]);
    let url = format!("http://{address}/mutate");
    let change = json!({"rules": rules, "matchPolicy": "Equivalent"});
    configure(&server, "MutatingWebhookConfiguration", &url, &change);
    let created = crdkinds(&server)
        .create(
            &PostParams::default(),
            &object("a", &json!({"color": "red"})),
        )
        .await
        .unwrap();
    assert_eq!(created.data["spec"], json!({"color": "blue"}));
    let exact = json!({"rules": rules, "matchPolicy": "Exact"});
    configure(&server, "MutatingWebhookConfiguration", &url, &exact);
    let created = crdkinds(&server)
        .create(
            &PostParams::default(),
            &object("b", &json!({"color": "red"})),
        )
        .await
        .unwrap();
    assert_eq!(created.data["spec"], json!({"color": "red"}));
}
