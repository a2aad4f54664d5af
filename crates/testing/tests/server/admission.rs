//! Admission webhooks.
use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use k8s_openapi::{ByteString, api::core::v1::ConfigMap};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::support::{map, maps, refused};

/// Serves a webhook, and returns its address and the reviews that it gets.
async fn webhook(answer: fn(&str, &Value) -> Value) -> (SocketAddr, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let reviews: Arc<Mutex<Vec<Value>>> = Arc::default();
    let seen = reviews.clone();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let seen = seen.clone();
            let service = service_fn(move |request: Request<Incoming>| {
                let seen = seen.clone();
                async move {
                    let path = request.uri().path().to_owned();
                    let body = request.into_body().collect().await.unwrap().to_bytes();
                    let review: Value = serde_json::from_slice(&body).unwrap();
                    let mut response = answer(&path, &review["request"]);
                    response["uid"] = review["request"]["uid"].clone();
                    seen.lock().unwrap().push(review["request"].clone());
                    let text = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response});
                    Ok::<_, Infallible>(Response::new(Full::new(Bytes::from(text.to_string()))))
                }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    (address, reviews)
}

fn configure(server: &ApiServer, kind: &str, url: &str, change: &Value) {
    let mut hook = json!({
        "name": "hook.example.com",
        "clientConfig": {"url": url},
        "rules": [{"operations": ["CREATE", "UPDATE", "DELETE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "timeoutSeconds": 1,
    });
    for (field, value) in change.as_object().unwrap() {
        hook[field] = value.clone();
    }
    let configuration = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": "hook"},
        "webhooks": [hook],
    });
    server.seed(&configuration).unwrap();
}

#[tokio::test]
async fn a_webhook_changes_and_another_refuses_objects() {
    let (address, reviews) = webhook(|path, request| match path {
        "/mutate" => {
            let patch = json!([{"op": "add", "path": "/data", "value": {"by": "webhook"}}]);
            json!({"allowed": true, "patchType": "JSONPatch", "patch": ByteString(patch.to_string().into_bytes())})
        }
        _ if request["operation"] == "DELETE" => {
            json!({"allowed": false, "status": {"message": "keep it"}})
        }
        _ => json!({"allowed": request["object"]["data"]["by"] == "webhook"}),
    })
    .await;
    let server = ApiServer::new();
    let url = format!("http://{address}/mutate");
    configure(
        &server,
        "MutatingWebhookConfiguration",
        &url,
        &json!({"rules": [
            {"operations": ["CREATE"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]},
        ]}),
    );
    let url = format!("http://{address}/validate");
    configure(&server, "ValidatingWebhookConfiguration", &url, &json!({}));
    let maps = maps(&server);
    let created = maps
        .create(&kube::api::PostParams::default(), &map("a"))
        .await
        .unwrap();
    assert_eq!(created.data.unwrap()["by"], "webhook");
    let stored: ConfigMap = server.get("default", "a").unwrap();
    assert_eq!(stored.data.unwrap()["by"], "webhook");
    let status = refused(maps.delete("a", &kube::api::DeleteParams::default()).await);
    assert_eq!(
        (status.code, status.reason.as_str(), status.message.as_str()),
        (
            403,
            "Forbidden",
            "admission webhook \"hook.example.com\" denied the request: keep it"
        )
    );
    let reviews = reviews.lock().unwrap();
    let seen: Vec<_> = reviews
        .iter()
        .map(|it| (it["operation"].as_str().unwrap(), it["oldObject"].is_null()))
        .collect();
    assert_eq!(
        seen,
        [("CREATE", true), ("CREATE", true), ("DELETE", false)]
    );
}

#[tokio::test]
async fn a_webhook_that_is_down_refuses_or_is_ignored() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/x", listener.local_addr().unwrap());
    drop(listener);
    let server = ApiServer::new();
    configure(&server, "ValidatingWebhookConfiguration", &url, &json!({}));
    let maps = maps(&server);
    let status = refused(
        maps.create(&kube::api::PostParams::default(), &map("a"))
            .await,
    );
    assert_eq!(status.code, 500);
    let start = "Internal error occurred: failed calling webhook \"hook.example.com\": failed to call webhook: Post ";
    assert!(status.message.starts_with(start), "{}", status.message);
    let ignore = json!({"failurePolicy": "Ignore"});
    configure(&server, "ValidatingWebhookConfiguration", &url, &ignore);
    maps.create(&kube::api::PostParams::default(), &map("a"))
        .await
        .unwrap();
}

#[tokio::test]
async fn selectors_decide_which_objects_a_webhook_gets() {
    let (address, reviews) = webhook(|_, _| json!({"allowed": false})).await;
    let server = ApiServer::new();
    let url = format!("http://{address}/x");
    let others = json!({"namespaceSelector": {"matchExpressions": [
        {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["default"]},
    ]}});
    configure(&server, "ValidatingWebhookConfiguration", &url, &others);
    let maps = maps(&server);
    maps.create(&kube::api::PostParams::default(), &map("a"))
        .await
        .unwrap();
    let labeled = json!({"objectSelector": {"matchLabels": {"guarded": "yes"}}});
    configure(&server, "ValidatingWebhookConfiguration", &url, &labeled);
    maps.create(&kube::api::PostParams::default(), &map("b"))
        .await
        .unwrap();
    assert!(reviews.lock().unwrap().is_empty());
    let mut guarded = map("c");
    guarded.metadata.labels = Some([("guarded".to_owned(), "yes".to_owned())].into());
    let status = refused(
        maps.create(&kube::api::PostParams::default(), &guarded)
            .await,
    );
    assert_eq!(
        status.message,
        "admission webhook \"hook.example.com\" denied the request without explanation"
    );
}
