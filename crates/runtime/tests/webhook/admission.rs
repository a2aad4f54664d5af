//! The answers to `AdmissionReview`s.
use std::{
    sync::{Mutex, mpsc},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use kube_codegen_runtime::webhook::{OwnCertificates, Rejection, Request, Webhooks};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

use crate::webhook::operator::{Operator, map, operator, review};

const MUTATE: &str = "/mutate--v1-configmap";
const VALIDATE: &str = "/validate--v1-configmap";

fn patch(response: &Value) -> Value {
    assert_eq!(response["patchType"], "JSONPatch");
    let bytes = STANDARD
        .decode(response["patch"].as_str().unwrap())
        .unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_defaulting_webhook_sends_the_difference_and_keeps_unknown_fields() {
    let operator = operator();
    let mut object = map(&json!({}));
    object["unknown"] = json!({"kept": true});
    let review = review("CREATE", "a", &object, &Value::Null);
    let answer = operator.post(MUTATE, &review).await.json();
    assert_eq!(answer["apiVersion"], "admission.k8s.io/v1");
    let response = &answer["response"];
    assert_eq!(
        (&response["uid"], &response["allowed"]),
        (&json!("u-1"), &json!(true))
    );
    let expected = json!([{"op": "add", "path": "/data/color", "value": "red"}]);
    assert_eq!(patch(response), expected);

    let same = crate::webhook::operator::review(
        "CREATE",
        "a",
        &map(&json!({"color": "blue"})),
        &Value::Null,
    );
    let response = operator.post(MUTATE, &same).await.json()["response"].clone();
    assert_eq!(response, json!({"uid": "u-1", "allowed": true}));
    operator.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn rejections_have_the_status_of_the_api_server() {
    let operator = operator();
    let ask = async |operation: &str, name: &str, object: &Value, old: &Value| {
        let review = review(operation, name, object, old);
        operator.post(VALIDATE, &review).await.json()["response"].clone()
    };
    let none = map(&json!({"color": "none"}));
    let rejected = ask("CREATE", "a", &none, &Value::Null).await;
    assert_eq!(rejected["allowed"], false);
    let message = r#"ConfigMap "a" is invalid: data.color: Unsupported value: "none": supported values: "blue", "red""#;
    assert_eq!(rejected["status"]["message"], message);
    assert_eq!(
        (&rejected["status"]["code"], &rejected["status"]["reason"]),
        (&json!(422), &json!("Invalid"))
    );
    let cause = &rejected["status"]["details"]["causes"][0];
    assert_eq!(
        (&cause["field"], &cause["reason"]),
        (&json!("data.color"), &json!("FieldValueNotSupported"))
    );

    let good = map(&json!({"color": "red"}));
    let admitted = ask("CREATE", "a", &good, &Value::Null).await;
    assert_eq!(admitted["warnings"], json!(["checked for admin"]));
    assert_eq!(ask("UPDATE", "a", &good, &good).await["allowed"], true);
    assert_eq!(
        ask("UPDATE", "a", &none, &good).await["status"]["code"],
        409
    );
    let keep = map(&json!({"keep": ""}));
    let rejected = ask("DELETE", "a", &Value::Null, &keep).await;
    assert_eq!(rejected["status"]["message"], "this object must stay");
    assert_eq!(
        ask("DELETE", "a", &Value::Null, &good).await["allowed"],
        true
    );
    operator.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_types_are_field_errors() {
    let operator = operator();
    let mut object = map(&json!({"color": "red"}));
    object["immutable"] = json!("perhaps");
    let review = review("CREATE", "a", &object, &Value::Null);
    for path in [MUTATE, VALIDATE] {
        let response = operator.post(path, &review).await.json()["response"].clone();
        assert_eq!(
            (&response["allowed"], &response["status"]["code"]),
            (&json!(false), &json!(422))
        );
        let message = response["status"]["message"].as_str().unwrap();
        assert!(
            message.contains("invalid type: string \"perhaps\""),
            "{message}"
        );
    }
    operator.stop().await.unwrap();
}

#[test]
fn rejections_show_no_values_of_secrets() {
    let handler = |_: &mut Secret, _: &Request| Ok(());
    let answers = Webhooks::new("operator").defaulting(handler).in_process();
    for part in [
        json!({"data": "hunter2"}),
        json!({"data": {"password": "hunter2!"}}),
        json!({"data": {"password": ["hunter2"]}}),
        json!({"stringData": ["hunter2"]}),
        json!({"immutable": "hunter2"}),
    ] {
        let mut object = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}});
        object
            .as_object_mut()
            .unwrap()
            .extend(part.as_object().unwrap().clone());
        let mut review = review("CREATE", "a", &object, &Value::Null);
        review["request"]["kind"]["kind"] = "Secret".into();
        let answer = answers("/mutate--v1-secret", review).unwrap();
        let response = &answer["response"];
        assert_eq!(response["status"]["code"], 422, "{response}");
        assert!(!response.to_string().contains("hunter2"), "{response}");
    }
}

#[test]
fn a_value_with_punctuation_is_one_cause() {
    let handler = |_: &mut ConfigMap, _: &Request| Ok(());
    let answers = Webhooks::new("operator").defaulting(handler).in_process();
    let mut object = map(&json!({}));
    object["immutable"] = json!("no; really: no");
    let review = review("CREATE", "a", &object, &Value::Null);
    let answer = answers(MUTATE, review).unwrap();
    let causes = &answer["response"]["status"]["details"]["causes"];
    assert_eq!(causes.as_array().unwrap().len(), 1, "{causes:#}");
}

#[test]
fn a_changed_item_without_a_name_keeps_its_unknown_fields() {
    let handler = |service: &mut Service, _: &Request| {
        let ports = service
            .spec
            .get_or_insert_default()
            .ports
            .get_or_insert_default();
        ports[1].protocol = Some("UDP".into());
        ports.remove(0);
        Ok(())
    };
    let answers = Webhooks::new("operator").defaulting(handler).in_process();
    let object = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"},
        "spec": {"ports": [{"port": 80, "new": 1}, {"port": 81, "new": 2}, {"port": 82, "new": 3}]},
    });
    let mut review = review("CREATE", "a", &object, &Value::Null);
    for field in ["kind", "requestKind"] {
        review["request"][field]["kind"] = "Service".into();
    }
    let answer = answers("/mutate--v1-service", review).unwrap();
    let patch: json_patch::Patch = serde_json::from_value(patch(&answer["response"])).unwrap();
    let mut changed = object;
    json_patch::patch(&mut changed, &patch).unwrap();
    let expected = json!([{"port": 81, "protocol": "UDP", "new": 2}, {"port": 82, "new": 3}]);
    assert_eq!(changed["spec"]["ports"], expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_a_review_of_the_kind_is_answered_with_a_sentence() {
    let operator = operator();
    let mut pod = review("CREATE", "a", &map(&json!({})), &Value::Null);
    pod["request"]["kind"]["kind"] = "Pod".into();
    let response = operator.post(MUTATE, &pod).await.json()["response"].clone();
    assert_eq!(response["status"]["code"], 400);
    assert_eq!(
        response["status"]["message"],
        "this webhook handles ConfigMap v1, but the request is about Pod v1"
    );

    let mut old = review("CREATE", "a", &map(&json!({})), &Value::Null);
    old["apiVersion"] = "admission.k8s.io/v1beta1".into();
    let rejected = operator.post(MUTATE, &old).await;
    assert_eq!(
        (rejected.status, &*rejected.body),
        (
            400,
            "expected an AdmissionReview of admission.k8s.io/v1, and not kind \"AdmissionReview\" of \"admission.k8s.io/v1beta1\"\n"
        )
    );
    let json = "Content-Type: application/json\r\n";
    let cases = [
        (
            "POST",
            MUTATE,
            json,
            "{",
            400,
            "the body is not an AdmissionReview: EOF",
        ),
        (
            "POST",
            MUTATE,
            json,
            r#"{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}"#,
            400,
            "the AdmissionReview has no request",
        ),
        (
            "POST",
            "/convert",
            json,
            "[]",
            400,
            "the body is not a ConversionReview",
        ),
        (
            "POST",
            MUTATE,
            "",
            "{}",
            415,
            "the content type must be application/json",
        ),
        (
            "GET",
            MUTATE,
            "",
            "",
            405,
            "a webhook answers POST requests only",
        ),
        (
            "POST",
            "/mutate--v1-pod",
            json,
            "{}",
            404,
            "there is no webhook at /mutate--v1-pod",
        ),
    ];
    for (method, path, headers, body, status, start) in cases {
        let answer = operator.send(method, path, headers, body).await;
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.body);
        assert!(answer.body.starts_with(start), "{}", answer.body);
    }
    let large = operator
        .send("POST", MUTATE, json, &"x".repeat(8 << 20))
        .await;
    assert_eq!(large.status, 413);
    operator.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_and_a_slow_handler_are_answered_and_counted() {
    let operator = operator();
    let review = |name| review("CREATE", name, &map(&json!({})), &Value::Null);
    let panicked = operator.post(MUTATE, &review("panic")).await;
    assert_eq!(
        (panicked.status, &*panicked.body),
        (500, "the webhook panicked: no color for panic\n")
    );
    let slow = format!("{VALIDATE}?timeout=1s");
    let slow = operator.post(&slow, &review("slow")).await;
    assert_eq!(
        (slow.status, &*slow.body),
        (500, "the webhook took longer than 900ms\n")
    );
    // The next request is served as usual.
    assert_eq!(operator.post(MUTATE, &review("a")).await.status, 200);

    let requests = |path: &str, code: u16| {
        let labels = format!("{{webhook=\"{path}\",code=\"{code}\"}}");
        operator.metric(&format!(
            "controller_runtime_webhook_requests_total{labels}"
        ))
    };
    assert_eq!(requests(MUTATE, 200), Some(1.0));
    assert_eq!(requests(MUTATE, 500), Some(1.0));
    assert_eq!(requests(VALIDATE, 500), Some(1.0));
    assert_eq!(requests("/convert", 200), Some(0.0));
    assert_eq!(
        operator.metric("controller_runtime_webhook_panics_total"),
        Some(1.0)
    );
    let label = format!("{{webhook=\"{MUTATE}\"}}");
    let in_flight = format!("controller_runtime_webhook_requests_in_flight{label}");
    assert_eq!(operator.metric(&in_flight), Some(0.0));
    let count = format!("controller_runtime_webhook_latency_seconds_count{label}");
    assert_eq!(operator.metric(&count), Some(2.0));
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_large_review_has_a_thread_of_its_own() {
    let (enters, mut entered) = tokio::sync::mpsc::unbounded_channel();
    let (go_on, goes_on) = mpsc::channel();
    let goes_on = Mutex::new(goes_on);
    let webhooks = Webhooks::new("operator").defaulting(
        move |map: &mut ConfigMap, request: &Request| -> Result<(), Rejection> {
            assert_ne!(request.name, "panic", "scripted");
            enters.send(()).unwrap();
            // With the only thread of this test, nobody would say so.
            let said = goes_on.lock().unwrap();
            said.recv_timeout(Duration::from_secs(20)).unwrap();
            map.data
                .get_or_insert_default()
                .insert("color".into(), "red".into());
            Ok(())
        },
    );
    let operator = Operator::start(&ApiServer::new(), webhooks, OwnCertificates::new());
    let large = map(&json!({"large": "a".repeat(300 << 10)}));
    let review = |name| review("CREATE", name, &large, &Value::Null);
    let (url, first) = (format!("{MUTATE}?timeout=30s"), review("a"));
    let meanwhile = async {
        entered.recv().await.unwrap();
        go_on.send(()).unwrap();
    };
    let (answer, ()) = tokio::join!(operator.post(&url, &first), meanwhile);
    assert_eq!(answer.json()["response"]["allowed"], true);
    let panicked = operator.post(MUTATE, &review("panic")).await;
    assert_eq!(panicked.status, 500);
    assert!(panicked.body.contains("scripted"), "{}", panicked.body);
    operator.stop().await.unwrap();
}
