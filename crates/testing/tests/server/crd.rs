//! Custom kinds: validation, defaults, pruning, versions, subresources.
use futures::TryStreamExt;
use kube::{
    ResourceExt,
    api::{
        Api, ApiResource, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams,
        PostParams, WatchEvent, WatchParams,
    },
};
use serde_json::{Value, json};

use super::support::{crdkind, crdkinds, definition, object, rejected, resource, server};

#[tokio::test]
async fn validation_errors_match_a_real_server() {
    let server = server(&crdkind());
    let kinds = crdkinds(&server);
    let create = async |spec: Value| {
        rejected(
            kinds
                .create(&PostParams::default(), &object("a", &spec))
                .await,
        )
    };

    let status = create(json!({"choice": "nginx"})).await;
    assert_eq!((status.code, status.reason.as_str()), (422, "Invalid"));
    let what =
        "spec.choice: Invalid value: \"nginx\": spec.choice in body should match '(mysql|tomcat)'";
    assert_eq!(
        status.message,
        format!("CrdKind.iksoon.test.com \"a\" is invalid: {what}")
    );
    let details = status.details.unwrap();
    assert_eq!(
        (
            details.name.as_str(),
            details.group.as_str(),
            details.kind.as_str()
        ),
        ("a", "iksoon.test.com", "CrdKind")
    );
    assert_eq!(
        (
            details.causes[0].field.as_str(),
            details.causes[0].reason.as_str()
        ),
        ("spec.choice", "FieldValueInvalid")
    );

    let status = create(json!({"replicas": 11})).await;
    assert!(status.message.ends_with("spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10"), "{}", status.message);
    let status = create(json!({"replicas": 0})).await;
    assert!(
        status
            .message
            .ends_with("spec.replicas in body should be greater than or equal to 1"),
        "{}",
        status.message
    );
    let status = create(json!({"replicas": "three"})).await;
    assert!(
        status
            .message
            .contains("spec.replicas in body must be of type integer: \"string\""),
        "{}",
        status.message
    );

    kinds
        .create(
            &PostParams::default(),
            &object("b", &json!({"choice": "mysqlx"})),
        )
        .await
        .expect("the pattern is not anchored");
}

#[tokio::test]
async fn the_schema_prunes_defaults_and_validates() {
    let schema = json!({"openAPIV3Schema": {"type": "object", "required": ["spec"], "properties": {"spec": {
        "type": "object",
        "required": ["mode"],
        "properties": {
            "mode": {"type": "string", "enum": ["on", "off"]},
            "size": {"type": "integer", "default": 3},
            "nested": {"type": "object", "properties": {"deep": {"type": "string", "default": "x"}}},
            "tags": {"type": "array", "maxItems": 2, "items": {"type": "string", "maxLength": 3}, "x-kubernetes-list-type": "set"},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        },
    }}}});
    let server = server(&definition(&schema, &json!({})));
    let kinds = crdkinds(&server);
    let spec = json!({"mode": "on", "size": null, "nested": {}, "gone": 1, "free": {"kept": true}, "labels": {"a": "b"}});
    let stored = kinds
        .create(&PostParams::default(), &object("a", &spec))
        .await
        .unwrap();
    assert_eq!(
        stored.data["spec"],
        json!({"mode": "on", "size": 3, "nested": {"deep": "x"}, "free": {"kept": true}, "labels": {"a": "b"}})
    );

    let status = rejected(
        kinds
            .create(
                &PostParams::default(),
                &object("b", &json!({"tags": ["a", "a", "long"]})),
            )
            .await,
    );
    let causes: Vec<_> = status
        .details
        .unwrap()
        .causes
        .into_iter()
        .map(|cause| format!("{}: {}", cause.field, cause.message))
        .collect();
    assert_eq!(
        causes,
        [
            "spec.tags[2]: Too long: may not be more than 3 bytes",
            "spec.tags: Too many: 3: must have at most 2 items",
            "spec.mode: Required value",
            "spec.tags[1]: Duplicate value: \"a\"",
        ]
    );
    let status = rejected(
        kinds
            .create(&PostParams::default(), &object("b", &json!({"mode": "up"})))
            .await,
    );
    assert!(
        status
            .message
            .ends_with("spec.mode: Unsupported value: \"up\": supported values: \"on\", \"off\""),
        "{}",
        status.message
    );
    let strict = PatchParams {
        field_validation: Some(kube::api::ValidationDirective::Strict),
        ..PatchParams::default()
    };
    let status = rejected(
        kinds
            .patch("a", &strict, &Patch::Merge(json!({"spec": {"nope": 1}})))
            .await,
    );
    assert_eq!(status.code, 422);
    let expected = "strict decoding error: unknown field \"spec.nope\"";
    assert!(status.message.ends_with(expected), "{}", status.message);
}

#[tokio::test]
async fn the_status_subresource_separates_status_from_spec() {
    let open = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let server = server(&definition(&open, &json!({"subresources": {"status": {}}})));
    let kinds = crdkinds(&server);
    let mut new = object("a", &json!({"n": 1}));
    new.data["status"] = json!({"phase": "Lie"});
    let created = kinds.create(&PostParams::default(), &new).await.unwrap();
    assert!(created.data.get("status").is_none());

    let mut said = created.clone();
    said.data["status"] = json!({"phase": "Ready"});
    said.data["spec"] = json!({"n": 2});
    let stored = kinds
        .replace_status("a", &PostParams::default(), &said)
        .await
        .unwrap();
    assert_eq!(
        (&stored.data["status"]["phase"], &stored.data["spec"]["n"]),
        (&json!("Ready"), &json!(1))
    );
    assert_eq!(stored.metadata.generation, Some(1));
    let main = kinds
        .patch(
            "a",
            &PatchParams::default(),
            &Patch::Merge(json!({"status": {"phase": "Lie"}, "spec": {"n": 3}})),
        )
        .await
        .unwrap();
    assert_eq!(
        (&main.data["status"]["phase"], main.metadata.generation),
        (&json!("Ready"), Some(2))
    );
}

#[tokio::test]
async fn without_the_subresource_status_is_an_ordinary_field() {
    let open = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let server = server(&definition(&open, &json!({})));
    let kinds = crdkinds(&server);
    let created = kinds
        .create(&PostParams::default(), &object("a", &json!({})))
        .await
        .unwrap();
    assert_eq!(
        rejected(
            kinds
                .replace_status("a", &PostParams::default(), &created)
                .await
        )
        .code,
        404
    );
    assert_eq!(rejected(kinds.get_scale("a").await).code, 404);
    let stored = kinds
        .patch(
            "a",
            &PatchParams::default(),
            &Patch::Merge(json!({"status": {"x": 1}})),
        )
        .await
        .unwrap();
    assert_eq!(
        (&stored.data["status"]["x"], stored.metadata.generation),
        (&json!(1), Some(2))
    );
}

#[tokio::test]
async fn scale_reads_and_writes_the_replicas() {
    let open = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let scale =
        json!({"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"});
    let server = server(&definition(
        &open,
        &json!({"subresources": {"status": {}, "scale": scale}}),
    ));
    let kinds = crdkinds(&server);
    kinds
        .create(
            &PostParams::default(),
            &object("a", &json!({"replicas": 2})),
        )
        .await
        .unwrap();
    let scale = kinds.get_scale("a").await.unwrap();
    assert_eq!(scale.spec.unwrap().replicas, Some(2));
    kinds
        .patch_scale(
            "a",
            &PatchParams::default(),
            &Patch::Merge(json!({"spec": {"replicas": 5}})),
        )
        .await
        .unwrap();
    let stored = kinds.get("a").await.unwrap();
    assert_eq!(
        (&stored.data["spec"]["replicas"], stored.metadata.generation),
        (&json!(5), Some(2))
    );
}

#[tokio::test]
async fn versions_share_their_objects_and_an_unserved_one_is_404() {
    let mut crd = crdkind();
    let mut second = crd["spec"]["versions"][0].clone();
    second["name"] = json!("v2");
    second["storage"] = json!(false);
    let mut third = second.clone();
    third["name"] = json!("v3");
    third["served"] = json!(false);
    crd["spec"]["versions"]
        .as_array_mut()
        .unwrap()
        .extend([second, third]);
    let server = server(&crd);
    crdkinds(&server)
        .create(
            &PostParams::default(),
            &object("a", &json!({"replicas": 1})),
        )
        .await
        .unwrap();
    let at = |version: &str| {
        let resource = ApiResource::from_gvk_with_plural(
            &GroupVersionKind::gvk("iksoon.test.com", version, "CrdKind"),
            "crdplural",
        );
        Api::<DynamicObject>::namespaced_with(server.client(), "default", &resource)
    };
    let found = at("v2").get("a").await.unwrap();
    assert_eq!(found.types.unwrap().api_version, "iksoon.test.com/v2");
    assert_eq!(rejected(at("v3").get("a").await).code, 404);
    assert_eq!(resource().plural, "crdplural");
}

#[tokio::test]
async fn a_crd_created_over_the_api_serves_its_kind_until_deleted() {
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
    let server = kube_codegen_testing::ApiServer::new();
    let crds: Api<CustomResourceDefinition> = Api::all(server.client());
    let crd: CustomResourceDefinition = serde_json::from_value(crdkind()).unwrap();
    crds.create(&PostParams::default(), &crd).await.unwrap();
    let wait = kube::runtime::wait::await_condition(
        crds.clone(),
        "crdplural.iksoon.test.com",
        kube::runtime::conditions::is_crd_established(),
    );
    tokio::time::timeout(std::time::Duration::from_secs(10), wait)
        .await
        .unwrap()
        .unwrap();
    crdkinds(&server)
        .create(
            &PostParams::default(),
            &object("a", &json!({"replicas": 1})),
        )
        .await
        .unwrap();
    let (resource, _) = kube::discovery::pinned_kind(
        &server.client(),
        &GroupVersionKind::gvk("iksoon.test.com", "v1", "CrdKind"),
    )
    .await
    .unwrap();
    assert_eq!(resource.plural, "crdplural");
    let watch = crdkinds(&server);
    let watch = watch.watch(&WatchParams::default(), "0").await.unwrap();
    crds.delete(
        "crdplural.iksoon.test.com",
        &kube::api::DeleteParams::default(),
    )
    .await
    .unwrap();
    assert_eq!(
        rejected(crdkinds(&server).list(&ListParams::default()).await).code,
        404
    );
    // The objects are deleted, and then the watch is closed.
    let events: Vec<_> = watch.try_collect().await.unwrap();
    let [WatchEvent::Added(_), WatchEvent::Deleted(last)] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(last.name_any(), "a");
    crds.create(&PostParams::default(), &crd).await.unwrap();
    let objects = crdkinds(&server).list(&ListParams::default()).await;
    assert!(objects.unwrap().items.is_empty(), "the kind is a new one");
}

#[tokio::test]
async fn metadata_that_go_cannot_decode_is_a_bad_request() {
    let template = json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true});
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {"template": template}}}}});
    let server = server(&definition(&schema, &json!({})));
    let kinds = crdkinds(&server);
    let embedded = |metadata: Value| {
        object(
            "a",
            &json!({"template": {"apiVersion": "v1", "kind": "A", "metadata": metadata}}),
        )
    };
    let mut own = object("a", &json!({}));
    own.metadata.labels = Some([("a".to_owned(), "b".to_owned())].into());
    let mut own = serde_json::to_value(own).unwrap();
    own["metadata"]["labels"]["a"] = json!(3);
    // Recorded from kube-apiserver.
    for (given, why) in [
        (
            serde_json::to_value(embedded(json!({"name": 70000, "labels": {"a": ["x"]}}))).unwrap(),
            "spec.template.metadata: Invalid value: {\"labels\":{\"a\":[\"x\"]},\"name\":70000}: json: cannot unmarshal array into Go struct field ObjectMeta.labels of type string",
        ),
        (
            serde_json::to_value(embedded(
                json!({"creationTimestamp": "2026-13-01T00:00:00Z"}),
            ))
            .unwrap(),
            "spec.template.metadata: Invalid value: {\"creationTimestamp\":\"2026-13-01T00:00:00Z\"}: parsing time \"2026-13-01T00:00:00Z\": month out of range",
        ),
        (
            serde_json::to_value(object(
                "a",
                &json!({"template": {"apiVersion": 7, "kind": "A"}}),
            ))
            .unwrap(),
            "spec.template.apiVersion: Invalid value: 7: must be a string",
        ),
        (
            own,
            "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
        ),
    ] {
        let body = serde_json::to_vec(&given).unwrap();
        let request = http::Request::post(kinds.resource_url())
            .header("content-type", "application/json")
            .body(body)
            .unwrap();
        let result = server.client().request::<Value>(request).await;
        let status = rejected(result);
        assert_eq!(status.code, 400, "{status:?}");
        assert_eq!(
            status.message,
            format!("CrdKind in version \"v1\" cannot be handled as a CrdKind: {why}")
        );
    }
}
