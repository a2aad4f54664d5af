//! The answers to `ConversionReview`s.
use serde_json::{Value, json};

use crate::operator::{Operator, operator};

async fn convert(operator: &Operator, to: &str, objects: Value) -> Value {
    let review = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "request": {"uid": "u-2", "desiredAPIVersion": to, "objects": objects},
    });
    let answer = operator.post("/convert?timeout=30s", &review).await.json();
    assert_eq!(answer["kind"], "ConversionReview");
    assert_eq!(answer["response"]["uid"], "u-2");
    answer["response"].clone()
}

fn map(version: &str, name: &str, data: &Value) -> Value {
    json!({"apiVersion": version, "kind": "ConfigMap", "metadata": {"name": name, "uid": "1"}, "data": data})
}

#[tokio::test(flavor = "multi_thread")]
async fn all_objects_of_a_list_are_converted_in_order() {
    let operator = operator();
    let (a, b) = (
        map("v1", "a", &json!({"color": "red"})),
        map("v2", "b", &json!({"colour": "blue"})),
    );
    let response = convert(&operator, "v2", json!([a, b])).await;
    assert_eq!(response["result"], json!({"status": "Success"}));
    let expected = json!([map("v2", "a", &json!({"colour": "red"})), b]);
    assert_eq!(response["convertedObjects"], expected);
    operator.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_names_the_object_and_a_panic_is_counted() {
    let operator = operator();
    let message = async |object| {
        let response = convert(&operator, "v2", json!([object])).await;
        assert_eq!(response["result"]["status"], "Failure");
        assert_eq!(response["convertedObjects"], json!([]));
        response["result"]["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        message(map("v1", "a", &Value::Null)).await,
        "cannot convert ConfigMap. a from v1 to v2: there is no data"
    );
    assert_eq!(
        message(map("v1", "panic", &json!({}))).await,
        "cannot convert ConfigMap. panic from v1 to v2: panic: cannot read it"
    );
    assert_eq!(
        message(json!({"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "a", "namespace": "n"}})).await,
        "cannot convert Foo.example.com n/a from example.com/v1 to v2: this webhook converts ConfigMap."
    );
    let panics = "controller_runtime_conversion_webhook_panics_total";
    assert_eq!(operator.metric(panics), Some(1.0));
    operator.stop().await.unwrap();
}
