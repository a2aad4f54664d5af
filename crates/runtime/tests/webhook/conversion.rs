//! The answers to `ConversionReview`s.
use std::time::Duration;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::timeout,
};

use crate::webhook::operator::{Operator, operator, review};

const SECOND: Duration = Duration::from_secs(1);

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

/// Begins a request of whose body a single byte arrives. Dropping the connection ends it.
async fn begun(
    operator: &Operator,
    path: &str,
    length: usize,
) -> impl tokio::io::AsyncRead + use<> {
    let trusted = operator.secret("ca.crt").await;
    let mut stream = operator.connect(&trusted).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{{"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.flush().await.unwrap();
    stream
}

async fn status(mut stream: impl tokio::io::AsyncRead + Unpin) -> String {
    let mut answer = String::new();
    let read = stream.read_to_string(&mut answer);
    timeout(10 * SECOND, read).await.unwrap().unwrap();
    answer.split(' ').nth(1).unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_arrive_takes_no_memory() {
    let operator = operator();
    let list = json!([map("v1", "a", &json!({"color": "red"}))]);
    let mut silent = Vec::new();
    for _ in 0..10 {
        silent.push(begun(&operator, "/convert?timeout=999999999s", 256 << 20).await);
        silent.push(begun(&operator, "/mutate--v1-configmap?timeout=100000m", 7 << 20).await);
    }
    let arrived = async {
        for path in ["/convert", "/mutate--v1-configmap"] {
            let series =
                format!("controller_runtime_webhook_requests_in_flight{{webhook=\"{path}\"}}");
            while operator.metric(&series) != Some(10.0) {
                tokio::time::sleep(SECOND / 100).await;
            }
        }
    };
    timeout(20 * SECOND, arrived).await.unwrap();
    let response = convert(&operator, "v2", list.clone()).await;
    assert_eq!(response["result"]["status"], "Success");
    let admission = review("CREATE", "a", &map("v1", "a", &json!({})), &Value::Null);
    let answer = operator.post("/mutate--v1-configmap?timeout=30s", &admission);
    assert_eq!(answer.await.json()["response"]["allowed"], true);

    for path in ["/convert?timeout=1s", "/mutate--v1-configmap?timeout=1s"] {
        let slow = begun(&operator, path, 1000).await;
        assert_eq!(status(slow).await, "503", "it took too long");
    }
    let large = begun(&operator, "/convert?timeout=1s", (256 << 20) + 1).await;
    assert_eq!(status(large).await, "413");
    operator.stop().await.unwrap();
}
