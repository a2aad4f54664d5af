//! Conversion between the versions of a CRD: by a webhook over HTTP, in process, and without one.
use std::sync::{Arc, Mutex};

use futures::{StreamExt as _, TryStreamExt as _};
use kube::{
    Api,
    api::{
        ApiResource, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams, PostParams,
        WatchEvent, WatchParams,
    },
};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

use super::support::{crdkind, object, rejected};

/// Returns the CRD with versions v1, whose size is `replicas`, and v2, whose size is `count`. Objects are stored as v2.
fn two_versions(conversion: &Value) -> Value {
    let mut crd = crdkind();
    let mut second = crd["spec"]["versions"][0].clone();
    crd["spec"]["versions"][0]["storage"] = false.into();
    second["name"] = "v2".into();
    second["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"] = json!({
        "count": {"type": "integer"},
        "mode": {"type": "string", "default": "auto"},
    });
    crd["spec"]["versions"].as_array_mut().unwrap().push(second);
    crd["spec"]["conversion"] = conversion.clone();
    crd
}

fn at(server: &ApiServer, version: &str) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("iksoon.test.com", version, "CrdKind");
    let resource = ApiResource::from_gvk_with_plural(&kind, "crdplural");
    Api::namespaced_with(server.client(), "default", &resource)
}

/// Answers a `ConversionReview`: the field is renamed.
fn convert(review: &Value) -> Value {
    let request = &review["request"];
    let wanted = request["desiredAPIVersion"].as_str().unwrap();
    let objects = request["objects"].as_array().unwrap().iter();
    let objects = objects.map(|object| {
        let mut object = object.clone();
        let (from, to) = if wanted.ends_with("v1") {
            ("count", "replicas")
        } else {
            ("replicas", "count")
        };
        let spec = object["spec"].as_object_mut().unwrap();
        if let Some(size) = spec.remove(from) {
            spec.insert(to.to_owned(), size);
        }
        object["apiVersion"] = wanted.into();
        object
    });
    let objects: Vec<Value> = objects.collect();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "ConversionReview",
        "response": {"uid": request["uid"], "result": {"status": "Success"}, "convertedObjects": objects},
    })
}

fn webhook(url: &str) -> Value {
    json!({"strategy": "Webhook", "webhook": {"clientConfig": {"url": url}, "conversionReviewVersions": ["v1"]}})
}

/// Creates, reads, lists, patches, applies and watches in both versions.
async fn use_both(server: &ApiServer) {
    let (first, second) = (at(server, "v1"), at(server, "v2"));
    let created = first
        .create(
            &PostParams::default(),
            &object("a", &json!({"replicas": 2})),
        )
        .await
        .unwrap();
    assert_eq!(created.data["spec"], json!({"replicas": 2}));
    let found = second.get("a").await.unwrap();
    assert_eq!(found.data["spec"], json!({"count": 2, "mode": "auto"}));
    assert_eq!(found.metadata.uid, created.metadata.uid);
    assert_eq!(found.metadata.generation, Some(1));

    let stored = server.objects();
    let stored = stored.iter().find(|it| it["kind"] == "CrdKind").unwrap();
    assert_eq!(stored["apiVersion"], "iksoon.test.com/v2");
    assert_eq!(stored["spec"]["count"], 2);

    let patch = json!({"spec": {"replicas": 3}});
    let (params, patch) = (PatchParams::default(), Patch::Merge(patch));
    let patched = first.patch("a", &params, &patch).await.unwrap();
    assert_eq!(patched.data["spec"], json!({"replicas": 3}));
    let config = json!({"apiVersion": "iksoon.test.com/v2", "kind": "CrdKind", "metadata": {"name": "a"}, "spec": {"count": 4}});
    let params = PatchParams::apply("test").force();
    second
        .patch("a", &params, &Patch::Apply(config))
        .await
        .unwrap();

    for name in ["b", "c"] {
        let other = object(name, &json!({"replicas": 1}));
        first.create(&PostParams::default(), &other).await.unwrap();
    }
    let sizes = |list: Vec<DynamicObject>, field: &str| -> Vec<Value> {
        list.iter()
            .map(|it| it.data["spec"][field].clone())
            .collect()
    };
    let list = first.list(&ListParams::default()).await.unwrap();
    assert_eq!(sizes(list.items, "replicas"), [4, 1, 1]);
    let list = second.list(&ListParams::default()).await.unwrap();
    assert_eq!(sizes(list.items, "count"), [4, 1, 1]);

    let events = first.watch(&WatchParams::default(), "0").await.unwrap();
    let mut events = events.boxed();
    for expected in [4, 1, 1] {
        let Some(WatchEvent::Added(found)) = events.try_next().await.unwrap() else {
            panic!("expected an addition");
        };
        assert_eq!(found.data["spec"]["replicas"], expected);
    }
    let patch = json!({"spec": {"count": 7}});
    second
        .patch("a", &PatchParams::default(), &Patch::Merge(patch))
        .await
        .unwrap();
    let Some(WatchEvent::Modified(found)) = events.try_next().await.unwrap() else {
        panic!("expected a change");
    };
    assert_eq!(found.data["spec"]["replicas"], 7);

    first
        .delete("a", &kube::api::DeleteParams::default())
        .await
        .unwrap();
    assert_eq!(rejected(second.get("a").await).code, 404);
}

#[tokio::test]
async fn a_webhook_over_http_converts_each_list_at_once() {
    let calls: Arc<Mutex<Vec<usize>>> = Arc::default();
    let seen = calls.clone();
    let address = super::admission::serve(move |_, review| {
        let objects = review["request"]["objects"].as_array().unwrap();
        seen.lock().unwrap().push(objects.len());
        convert(review)
    })
    .await;
    let server = ApiServer::new();
    let url = format!("http://{address}/convert");
    server.register_crd(&two_versions(&webhook(&url))).unwrap();
    use_both(&server).await;
    let calls = calls.lock().unwrap();
    assert!(calls.len() < 20, "{calls:?}");
}

#[tokio::test]
async fn a_webhook_in_process_converts() {
    let server = ApiServer::new();
    let crd = two_versions(&webhook("https://localhost/convert"));
    server.register_crd(&crd).unwrap();
    let respond = |path: &str, review: Value| {
        assert_eq!(path, "/convert");
        Ok(convert(&review))
    };
    server.call_webhooks(&crd, respond).unwrap();
    use_both(&server).await;
}

#[tokio::test]
async fn a_conversion_webhook_that_is_down_fails_the_request() {
    let server = ApiServer::new();
    let url = "http://127.0.0.1:1/convert";
    server.register_crd(&two_versions(&webhook(url))).unwrap();
    let new = object("a", &json!({"replicas": 2}));
    let status = rejected(at(&server, "v1").create(&PostParams::default(), &new).await);
    assert_eq!(status.code, 500);
    let start = "conversion webhook for iksoon.test.com/v1, Kind=CrdKind failed: Post \"http://127.0.0.1:1/convert?timeout=30s\": ";
    assert!(status.message.starts_with(start), "{}", status.message);
    // The stored version needs no conversion.
    let mut second = object("b", &json!({"count": 2}));
    second.types.as_mut().unwrap().api_version = "iksoon.test.com/v2".into();
    at(&server, "v2")
        .create(&PostParams::default(), &second)
        .await
        .unwrap();
    let status = rejected(at(&server, "v1").list(&ListParams::default()).await);
    assert_eq!(status.code, 500);
}

#[tokio::test]
async fn a_webhook_that_rejects_or_answers_another_version_fails_the_request() {
    for (answer, message) in [
        (
            json!({"result": {"status": "Failure", "message": "too large"}}),
            "failed: too large",
        ),
        (
            json!({"result": {"status": "Success"}, "convertedObjects": [{"apiVersion": "iksoon.test.com/v3"}]}),
            "expected apiVersion \"iksoon.test.com/v2\"",
        ),
    ] {
        let server = ApiServer::new();
        let crd = two_versions(&webhook("https://localhost/convert"));
        server.register_crd(&crd).unwrap();
        let respond = move |_: &str, review: Value| {
            let mut response = answer.clone();
            response["uid"] = review["request"]["uid"].clone();
            Ok(json!({"response": response}))
        };
        server.call_webhooks(&crd, respond).unwrap();
        let new = object("a", &json!({"replicas": 2}));
        let status = rejected(at(&server, "v1").create(&PostParams::default(), &new).await);
        assert!(status.message.contains(message), "{}", status.message);
    }
}

#[tokio::test]
async fn without_a_webhook_the_stored_object_has_the_fields_of_the_storage_version() {
    let server = ApiServer::new();
    server
        .register_crd(&two_versions(&json!({"strategy": "None"})))
        .unwrap();
    let created = at(&server, "v1")
        .create(
            &PostParams::default(),
            &object("a", &json!({"replicas": 2})),
        )
        .await
        .unwrap();
    assert_eq!(created.data["spec"], json!({}));
    let found = at(&server, "v2").get("a").await.unwrap();
    assert_eq!(found.data["spec"], json!({"mode": "auto"}));
}

#[tokio::test]
async fn a_new_default_appears_in_objects_that_were_stored_before() {
    let mut crd = crdkind();
    let server = super::support::server(&crd);
    let kinds = super::support::crdkinds(&server);
    kinds
        .create(&PostParams::default(), &object("a", &json!({})))
        .await
        .unwrap();
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["choice"]
        ["default"] = "mysql".into();
    server.register_crd(&crd).unwrap();
    assert_eq!(
        kinds.get("a").await.unwrap().data["spec"]["choice"],
        "mysql"
    );
}
