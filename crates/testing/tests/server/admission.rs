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
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
};

use super::support::{create, map, maps, rejected};

/// Answers the reviews that are sent to a free port, and returns its address.
pub(crate) async fn serve(
    answer: impl Fn(&str, &Value) -> Value + Clone + Send + Sync + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(connection(stream, answer.clone()));
        }
    });
    address
}

/// Answers the reviews of one connection.
pub(crate) async fn connection<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    answer: impl Fn(&str, &Value) -> Value + Clone,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let answer = answer.clone();
        async move {
            let path = request.uri().path().to_owned();
            let body = request.into_body().collect().await.unwrap().to_bytes();
            let review: Value = serde_json::from_slice(&body).unwrap();
            let text = answer(&path, &review).to_string();
            Ok::<_, Infallible>(Response::new(Full::new(Bytes::from(text))))
        }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    connection.await.ok();
}

/// Wraps the response to an admission review.
pub(crate) fn admission(review: &Value, mut response: Value) -> Value {
    response["uid"] = review["request"]["uid"].clone();
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})
}

/// Serves a webhook, and returns its address and the reviews that it gets.
async fn webhook(answer: fn(&str, &Value) -> Value) -> (SocketAddr, Arc<Mutex<Vec<Value>>>) {
    let reviews: Arc<Mutex<Vec<Value>>> = Arc::default();
    let seen = reviews.clone();
    let address = serve(move |path, review| {
        seen.lock().unwrap().push(review["request"].clone());
        admission(review, answer(path, &review["request"]))
    });
    (address.await, reviews)
}

pub(crate) fn configure(server: &ApiServer, kind: &str, url: &str, change: &Value) {
    let mut hook = json!({
        "name": "hook.example.com",
        "clientConfig": {"url": url},
        "rules": [{"operations": ["CREATE", "UPDATE", "DELETE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "timeoutSeconds": 30,
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
async fn a_webhook_changes_and_another_rejects_objects() {
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
        .create(&PostParams::default(), &map("a"))
        .await
        .unwrap();
    assert_eq!(created.data.unwrap()["by"], "webhook");
    let stored: ConfigMap = server.get("default", "a").unwrap();
    assert_eq!(stored.data.unwrap()["by"], "webhook");
    let status = rejected(maps.delete("a", &DeleteParams::default()).await);
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
async fn a_webhook_that_is_down_rejects_or_is_ignored() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/x", listener.local_addr().unwrap());
    drop(listener);
    let server = ApiServer::new();
    configure(&server, "ValidatingWebhookConfiguration", &url, &json!({}));
    let maps = maps(&server);
    let status = rejected(maps.create(&PostParams::default(), &map("a")).await);
    assert_eq!(status.code, 500);
    let start = "Internal error occurred: failed calling webhook \"hook.example.com\": failed to call webhook: Post ";
    assert!(status.message.starts_with(start), "{}", status.message);
    let ignore = json!({"failurePolicy": "Ignore"});
    configure(&server, "ValidatingWebhookConfiguration", &url, &ignore);
    maps.create(&PostParams::default(), &map("a"))
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
    maps.create(&PostParams::default(), &map("a"))
        .await
        .unwrap();
    let labeled = json!({"objectSelector": {"matchLabels": {"guarded": "yes"}}});
    configure(&server, "ValidatingWebhookConfiguration", &url, &labeled);
    maps.create(&PostParams::default(), &map("b"))
        .await
        .unwrap();
    assert!(reviews.lock().unwrap().is_empty());
    let mut guarded = map("c");
    guarded.metadata.labels = Some([("guarded".to_owned(), "yes".to_owned())].into());
    let status = rejected(maps.create(&PostParams::default(), &guarded).await);
    assert_eq!(
        status.message,
        "admission webhook \"hook.example.com\" denied the request without explanation"
    );
}

#[tokio::test]
async fn match_conditions_decide_which_requests_a_webhook_gets() {
    let (address, reviews) = webhook(|_, _| json!({"allowed": false})).await;
    let server = ApiServer::new();
    let url = format!("http://{address}/x");
    let conditions = json!({"matchConditions": [
        {"name": "no-nodes", "expression": "!('system:nodes' in request.userInfo.groups)"},
        {"name": "guarded", "expression": "has(object.metadata.labels) && object.metadata.labels.guarded == 'yes'"},
        {"name": "new", "expression": "oldObject == null"},
    ]});
    configure(&server, "ValidatingWebhookConfiguration", &url, &conditions);
    let maps = maps(&server);
    let parameters = PostParams::default();
    maps.create(&parameters, &map("a")).await.unwrap();
    assert!(reviews.lock().unwrap().is_empty());
    let mut guarded = map("b");
    guarded.metadata.labels = Some([("guarded".to_owned(), "yes".to_owned())].into());
    assert_eq!(rejected(maps.create(&parameters, &guarded).await).code, 403);
    assert_eq!(reviews.lock().unwrap().len(), 1);

    // A condition that cannot be evaluated is a failure of the webhook.
    let wrong =
        json!({"matchConditions": [{"name": "absent", "expression": "object.data.absent == 'x'"}]});
    configure(&server, "ValidatingWebhookConfiguration", &url, &wrong);
    let status = rejected(maps.create(&parameters, &map("c")).await);
    assert_eq!((status.code, status.reason.as_str()), (403, "Forbidden"));
    let ignored = json!({"matchConditions": wrong["matchConditions"], "failurePolicy": "Ignore"});
    configure(&server, "ValidatingWebhookConfiguration", &url, &ignored);
    maps.create(&parameters, &map("c")).await.unwrap();
}

#[tokio::test]
async fn a_webhook_is_called_again_after_a_later_change_if_it_asks_for_it() {
    let (address, reviews) = webhook(|path, request| {
        let field = path.trim_start_matches('/');
        let has_data = request["object"]["data"].is_object();
        let patch = if has_data {
            json!([{"op": "add", "path": format!("/data/{field}"), "value": "x"}])
        } else {
            json!([{"op": "add", "path": "/data", "value": {field: "x"}}])
        };
        json!({"allowed": true, "patchType": "JSONPatch", "patch": ByteString(patch.to_string().into_bytes())})
    })
    .await;
    let server = ApiServer::new();
    for (name, policy) in [("a", "IfNeeded"), ("b", "Never")] {
        let mut hook = json!({
            "name": format!("{name}.example.com"),
            "clientConfig": {"url": format!("http://{address}/{name}")},
            "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        });
        hook["reinvocationPolicy"] = policy.into();
        let configuration = json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "MutatingWebhookConfiguration",
            "metadata": {"name": name},
            "webhooks": [hook],
        });
        server.seed(&configuration).unwrap();
    }
    let parameters = PostParams::default();
    let created = maps(&server).create(&parameters, &map("a")).await.unwrap();
    assert_eq!(created.data.unwrap().len(), 2);
    let reviews = reviews.lock().unwrap();
    let seen: Vec<usize> = reviews
        .iter()
        .map(|it| {
            it["object"]["data"]
                .as_object()
                .map_or(0, serde_json::Map::len)
        })
        .collect();
    assert_eq!(seen, [0, 1, 2]);
}

#[tokio::test]
async fn the_deletion_of_a_collection_asks_for_each_object() {
    let (address, reviews) = webhook(|_, request| json!({"allowed": request["name"] != "b"})).await;
    let server = ApiServer::new();
    let maps = maps(&server);
    for name in ["a", "b"] {
        maps.create(&PostParams::default(), &map(name))
            .await
            .unwrap();
    }
    let url = format!("http://{address}/x");
    configure(&server, "ValidatingWebhookConfiguration", &url, &json!({}));
    let all = kube::api::ListParams::default();
    let deleted = maps.delete_collection(&DeleteParams::default(), &all).await;
    assert_eq!(rejected(deleted).code, 403);
    assert_eq!(reviews.lock().unwrap().len(), 2);
    let other = kube::api::ListParams::default().fields("metadata.name=a");
    maps.delete_collection(&DeleteParams::default(), &other)
        .await
        .unwrap();
}

/// Has a webhook answer in process, and returns the number of its calls.
fn in_process(server: &ApiServer, kind: &str, answer: fn(&Value) -> Value) -> Arc<Mutex<u32>> {
    let calls: Arc<Mutex<u32>> = Arc::default();
    let configuration = json!({"kind": kind, "metadata": {"name": kind}, "webhooks": [{
        "name": "in-process.example.com",
        "admissionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://localhost/x"},
        "rules": [{"operations": ["CREATE", "UPDATE", "DELETE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
        "sideEffects": "None",
    }]});
    let counted = calls.clone();
    let respond = move |_: &str, review: Value| {
        *counted.lock().unwrap() += 1;
        Ok(admission(&review, answer(&review["request"])))
    };
    server.call_webhooks(&configuration, respond).unwrap();
    calls
}

#[tokio::test]
async fn a_request_calls_each_webhook_once() {
    let (address, reviews) = webhook(|_, _| json!({"allowed": true})).await;
    let server = ApiServer::new();
    let counts = [
        in_process(&server, "MutatingWebhookConfiguration", |_| {
            let patch = json!([{"op": "add", "path": "/data", "value": {"by": "in process"}}]);
            json!({"allowed": true, "patchType": "JSONPatch", "patch": ByteString(patch.to_string().into_bytes())})
        }),
        in_process(&server, "ValidatingWebhookConfiguration", |request| {
            let is_known =
                request["operation"] == "DELETE" || request["object"]["data"]["by"] == "in process";
            json!({"allowed": is_known})
        }),
    ];
    let url = format!("http://{address}/x");
    for kind in [
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
    ] {
        configure(&server, kind, &url, &json!({}));
    }
    let seen = || {
        let mut seen = counts.each_ref().map(|it| *it.lock().unwrap()).to_vec();
        seen.push(u32::try_from(reviews.lock().unwrap().len()).unwrap());
        seen
    };
    let maps = maps(&server);
    let created = maps.create(&PostParams::default(), &map("a")).await;
    let mut object = created.unwrap();
    assert_eq!(seen(), [1, 1, 2]);
    object.metadata.labels = Some([("a".to_owned(), "b".to_owned())].into());
    maps.replace("a", &PostParams::default(), &object)
        .await
        .unwrap();
    assert_eq!(seen(), [2, 2, 4]);
    let patch = Patch::Merge(json!({"metadata": {"labels": {"a": "c"}}}));
    maps.patch("a", &PatchParams::default(), &patch)
        .await
        .unwrap();
    assert_eq!(seen(), [3, 3, 6]);
    let config = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}});
    maps.patch("b", &PatchParams::apply("test"), &Patch::Apply(config))
        .await
        .unwrap();
    assert_eq!(seen(), [4, 4, 8]);
    let dry = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    maps.create(&dry, &map("c")).await.unwrap();
    assert_eq!(seen(), [5, 5, 10]);
    // A deletion has nothing that a webhook could change.
    maps.delete("b", &DeleteParams::default()).await.unwrap();
    assert_eq!(seen(), [5, 6, 12]);
}

#[tokio::test]
async fn a_write_starts_again_if_its_object_changes_while_a_webhook_is_called() {
    let server = ApiServer::new();
    let maps = maps(&server);
    create(&maps, "a").await;
    let other = server.clone();
    let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
    let seen = asked.clone();
    let address = serve(move |_, review| {
        let mut seen = seen.lock().unwrap();
        if seen.is_empty() {
            let change = |map: &mut Value| map["data"] = json!({"by": "another"});
            other.edit::<ConfigMap>("default", "a", change).unwrap();
        }
        seen.push(review["request"]["object"]["data"].clone());
        admission(review, json!({"allowed": true}))
    });
    let url = format!("http://{}/x", address.await);
    configure(&server, "ValidatingWebhookConfiguration", &url, &json!({}));
    let patch = Patch::Merge(json!({"data": {"own": "yes"}}));
    let patched = maps.patch("a", &PatchParams::default(), &patch).await;
    let both = json!({"by": "another", "own": "yes"});
    assert_eq!(json!(patched.unwrap().data), both);
    assert_eq!(*asked.lock().unwrap(), [json!({"own": "yes"}), both]);
}
