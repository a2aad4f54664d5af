//! Admission policies, beyond the recorded answers: with webhooks, limits, and what cannot be evaluated.
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

use super::support::{map, maps, rejected};

/// Stores a policy of a kind with these fields, and its binding.
async fn enforce(server: &ApiServer, kind: &str, name: &str, fields: Value, binding: Value) {
    let rules = json!([{"apiGroups": ["", "example.com"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["configmaps", "things"]}]);
    let mut spec = json!({"matchConstraints": {"resourceRules": rules}});
    let mut of_binding = json!({"policyName": name});
    for (base, more) in [(&mut spec, fields), (&mut of_binding, binding)] {
        let mut more = more.as_object().unwrap().clone();
        base.as_object_mut().unwrap().append(&mut more);
    }
    for (kind, spec) in [
        (kind.to_owned(), spec),
        (format!("{kind}Binding"), of_binding),
    ] {
        let gvk = GroupVersionKind::gvk("admissionregistration.k8s.io", "v1", &kind);
        let api: Api<DynamicObject> = Api::all_with(server.client(), &ApiResource::from_gvk(&gvk));
        let object = json!({"apiVersion": gvk.api_version(), "kind": kind, "metadata": {"name": name}, "spec": spec});
        let object = serde_json::from_value(object).unwrap();
        api.create(&PostParams::default(), &object).await.unwrap();
    }
}

async fn validate(server: &ApiServer, name: &str, fields: Value) {
    let binding = json!({"validationActions": ["Deny"]});
    enforce(server, "ValidatingAdmissionPolicy", name, fields, binding).await;
}

fn configuration(expression: &str) -> Value {
    let configuration = json!({"expression": expression});
    json!({"mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": configuration}], "reinvocationPolicy": "IfNeeded"})
}

async fn create(server: &ApiServer, name: &str) -> kube::Result<ConfigMap> {
    let maps = maps(server);
    maps.create(&PostParams::default(), &map(name)).await
}

/// The data of a map after its creation.
async fn created(server: &ApiServer, name: &str) -> Value {
    json!(create(server, name).await.unwrap().data)
}

#[tokio::test]
async fn a_policy_is_invoked_again_after_webhooks() {
    let server = ApiServer::new();
    let expression = "Object{data: {'seen': has(object.data) && 'hook' in object.data ? object.data.hook : 'nothing'}}";
    let fields = configuration(expression);
    enforce(
        &server,
        "MutatingAdmissionPolicy",
        "seen",
        fields,
        json!({}),
    )
    .await;
    assert_eq!(created(&server, "a").await, json!({"seen": "nothing"}));
    let hook = json!({
        "kind": "MutatingWebhookConfiguration",
        "webhooks": [{"name": "hook.example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None",
            "clientConfig": {"service": {"namespace": "default", "name": "hook", "path": "/"}},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}]}],
    });
    // `[{"op": "add", "path": "/data/hook", "value": "x"}]`
    let patch = "W3sib3AiOiAiYWRkIiwgInBhdGgiOiAiL2RhdGEvaG9vayIsICJ2YWx1ZSI6ICJ4In1d";
    let respond = move |_: &str, review: Value| {
        // The webhook sees what the policy has set.
        assert_eq!(
            review["request"]["object"]["data"],
            json!({"seen": "nothing"})
        );
        let uid = &review["request"]["uid"];
        Ok(
            json!({"response": {"uid": uid, "allowed": true, "patchType": "JSONPatch", "patch": patch}}),
        )
    };
    server.call_webhooks(&hook, respond).unwrap();
    assert_eq!(
        created(&server, "b").await,
        json!({"hook": "x", "seen": "x"})
    );
}

#[tokio::test]
async fn a_validating_policy_judges_what_a_mutating_one_has_set() {
    let server = ApiServer::new();
    let fields = configuration("Object{data: {'level': object.metadata.name}}");
    enforce(&server, "MutatingAdmissionPolicy", "set", fields, json!({})).await;
    let rule = json!([{"expression": "object.data.level != 'high'", "message": "too high"}]);
    validate(&server, "judge", json!({"validations": rule})).await;
    assert_eq!(created(&server, "low").await, json!({"level": "low"}));
    let status = rejected(create(&server, "high").await);
    assert_eq!((status.code, status.reason.as_str()), (422, "Invalid"));
    assert!(
        status.message.ends_with("denied request: too high"),
        "{}",
        status.message
    );
}

/// An apply that changes nothing is judged, too: a policy may be newer than the object.
#[tokio::test]
async fn an_apply_that_changes_nothing_is_admitted() {
    let server = ApiServer::new();
    let maps = maps(&server);
    let config = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "1"}});
    let params = PatchParams::apply("test");
    let before = maps
        .patch("a", &params, &Patch::Apply(&config))
        .await
        .unwrap();
    let same = maps
        .patch("a", &params, &Patch::Apply(&config))
        .await
        .unwrap();
    assert_eq!(
        same.metadata.resource_version,
        before.metadata.resource_version
    );
    let fields = configuration("Object{data: {'b': '2'}}");
    enforce(&server, "MutatingAdmissionPolicy", "set", fields, json!({})).await;
    let changed = maps
        .patch("a", &params, &Patch::Apply(&config))
        .await
        .unwrap();
    assert_eq!(json!(changed.data), json!({"a": "1", "b": "2"}));
    validate(
        &server,
        "deny",
        json!({"validations": [{"expression": "false"}]}),
    )
    .await;
    let denied = maps.patch("a", &params, &Patch::Apply(&config)).await;
    assert_eq!(rejected(denied).code, 422);
    // Deletions are not among the operations of its rules.
    maps.delete("a", &DeleteParams::default()).await.unwrap();
}

#[tokio::test]
async fn costs_are_limited() {
    let server = ApiServer::new();
    let list = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
    let nested = |depth: usize| {
        (0..depth).fold("true".to_owned(), |inner, at| {
            format!("{list}.all(x{at}, {inner})")
        })
    };
    let rules = json!([{"expression": nested(7), "message": "never"}]);
    validate(&server, "one", json!({"validations": rules, "matchConditions": [{"name": "a", "expression": "object.metadata.name == 'one'"}]})).await;
    let error = rejected(create(&server, "one").await);
    assert!(
        error
            .message
            .contains("operation cancelled: actual cost limit exceeded"),
        "{}",
        error.message
    );
    // Each is below the limit of one expression, and all together are not.
    let rules: Vec<Value> = (0..40).map(|_| json!({"expression": nested(5)})).collect();
    validate(&server, "many", json!({"validations": rules})).await;
    let error = rejected(create(&server, "many").await);
    let budget = "validation failed due to running out of cost budget, no further validation rules will be run";
    assert!(error.message.ends_with(budget), "{}", error.message);
}

#[tokio::test]
async fn the_authorizer_fails_by_the_failure_policy() {
    let rule = "authorizer.group('').resource('pods').check('create').allowed()";
    for (policy, is_denied) in [("Fail", true), ("Ignore", false)] {
        let server = ApiServer::new();
        let fields = json!({"validations": [{"expression": rule}], "failurePolicy": policy});
        validate(&server, "ask", fields).await;
        let answer = create(&server, "a").await;
        if answer.is_ok() {
            assert!(!is_denied);
            continue;
        }
        let message = rejected(answer).message;
        assert!(
            is_denied && message.contains("has no authorizer"),
            "{message}"
        );
    }
}

/// A policy gets the object in the version that its rules name.
#[tokio::test]
async fn a_policy_mutates_another_version() {
    let server = ApiServer::new();
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}});
    let version = |name: &str, storage: bool| json!({"name": name, "served": true, "storage": storage, "schema": schema});
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"kind": "Thing", "plural": "things", "singular": "thing", "listKind": "ThingList"},
            "versions": [version("v1", false), version("v2", true)]},
    });
    server.register_crd(&crd).unwrap();
    let respond = |_: &str, review: Value| {
        let request = &review["request"];
        let wanted = request["desiredAPIVersion"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let objects = request["objects"].as_array().unwrap().iter().map(|object| {
            let mut object = object.clone();
            let (from, to) = if wanted.ends_with("v1") {
                ("new", "old")
            } else {
                ("old", "new")
            };
            let value = object["spec"].as_object_mut().unwrap().remove(from);
            object["spec"][to] = value.unwrap_or_default();
            object["apiVersion"] = wanted.clone().into();
            object
        });
        let objects: Vec<Value> = objects.collect();
        Ok(
            json!({"response": {"uid": request["uid"], "result": {"status": "Success"}, "convertedObjects": objects}}),
        )
    };
    server.call_webhooks(&crd, respond).unwrap();
    let fields = configuration("Object{spec: Object.spec{old: object.spec.old + 1}}");
    enforce(
        &server,
        "MutatingAdmissionPolicy",
        "count",
        json!({"reinvocationPolicy": "Never", "mutations": fields["mutations"]}),
        json!({}),
    )
    .await;
    let gvk = GroupVersionKind::gvk("example.com", "v2", "Thing");
    let things: Api<DynamicObject> =
        Api::namespaced_with(server.client(), "default", &ApiResource::from_gvk(&gvk));
    let thing = json!({"apiVersion": "example.com/v2", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"new": 1}});
    let thing = serde_json::from_value(thing).unwrap();
    let created = things.create(&PostParams::default(), &thing).await.unwrap();
    assert_eq!(created.data["spec"], json!({"new": 2}));
}

/// The metadata of a map that a policy changes cannot become invalid.
#[tokio::test]
async fn what_a_policy_sets_is_validated() {
    let server = ApiServer::new();
    let fields = configuration("Object{metadata: Object.metadata{labels: {'a b': 'c'}}}");
    enforce(
        &server,
        "MutatingAdmissionPolicy",
        "break",
        fields,
        json!({}),
    )
    .await;
    let status = rejected(create(&server, "a").await);
    assert_eq!(status.code, 422);
    assert!(
        status.message.contains("metadata.labels"),
        "{}",
        status.message
    );
}
