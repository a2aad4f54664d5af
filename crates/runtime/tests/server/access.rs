//! A secure server asks the API server about tokens and permissions, and caches the answers.
use std::sync::{Arc, Mutex};

use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use kube::{Client, client::Body};
use kube_codegen_runtime::{
    metrics::Metrics,
    server::{Server, checks},
};
use serde_json::{Value, json};

use crate::server::http::{get_tls, start};

/// The reviews that the API server received.
type Reviews = Arc<Mutex<Vec<Value>>>;

/// Returns an API server that knows the tokens `scraper` and `other`, and lets the scraper get `/metrics`. The token `broken` is an error.
fn reviewer() -> (Client, Reviews) {
    let reviews = Reviews::default();
    let received = Arc::clone(&reviews);
    let service = tower::service_fn(move |request: Request<Body>| {
        let received = Arc::clone(&received);
        async move {
            let body = request.into_body().collect().await?.to_bytes();
            let mut review: Value = serde_json::from_slice(&body).unwrap();
            received.lock().unwrap().push(review["spec"].clone());
            let mut status = StatusCode::CREATED;
            let spec = review["spec"].clone();
            if review["kind"] == "TokenReview" {
                let token = spec["token"].as_str().unwrap();
                review["status"] = match token {
                    "scraper" | "other" => json!({"authenticated": true, "user": {
                        "username": token, "groups": ["all"], "extra": {"k": ["v"]}
                    }}),
                    _ => json!({"authenticated": false}),
                };
                if token == "broken" {
                    status = StatusCode::BAD_REQUEST;
                    review = json!({"kind": "Status", "status": "Failure", "code": 400, "message": "no", "reason": "BadRequest"});
                }
            } else {
                let allowed = spec["user"] == "scraper"
                    && spec["nonResourceAttributes"] == json!({"path": "/metrics", "verb": "get"});
                review["status"] = json!({"allowed": allowed});
            }
            let response = Response::builder().status(status);
            let body = Body::from(review.to_string().into_bytes());
            Ok::<_, kube::Error>(response.body(body).unwrap())
        }
    });
    (Client::new(service, "default"), reviews)
}

#[tokio::test]
async fn metrics_need_a_token_that_may_read_them() {
    let (client, reviews) = reviewer();
    let server = Server::secure("127.0.0.1:0", &client)
        .metrics(&Metrics::new())
        .healthz("ping", checks::ping);
    let server = start(server).await;
    let read = async |path: &str, headers: &str| {
        let (answer, _) = get_tls(server.address, path, headers).await;
        (answer.status, answer.body)
    };
    for headers in [
        "",
        "Authorization: Basic c2NyYXBlcg==\r\n",
        "Authorization: Bearer \r\n",
    ] {
        assert_eq!(
            read("/metrics", headers).await,
            (401, "Unauthorized\n".into()),
            "{headers}"
        );
    }
    assert!(reviews.lock().unwrap().is_empty(), "nothing to review");
    assert_eq!(
        read("/healthz", "").await.0,
        200,
        "the kubelet has no token"
    );
    assert_eq!(read("/other", "").await.0, 401, "rejections come first");

    let token = |token: &str| format!("Authorization: Bearer {token}\r\n");
    for _ in 0..3 {
        let (status, body) = read("/metrics", &token("scraper")).await;
        assert_eq!(status, 200);
        assert!(body.contains("process_resident_memory_bytes"));
    }
    let expected = json!([
        {"token": "scraper"},
        {"user": "scraper", "groups": ["all"], "extra": {"k": ["v"]}, "nonResourceAttributes": {"path": "/metrics", "verb": "get"}},
    ]);
    assert_eq!(
        json!(*reviews.lock().unwrap()),
        expected,
        "both answers are cached"
    );

    for _ in 0..2 {
        let denied = (403, "Authorization denied for user other\n".into());
        assert_eq!(read("/metrics", &token("other")).await, denied);
        assert_eq!(read("/metrics", &token("stranger")).await.0, 401);
    }
    assert_eq!(
        reviews.lock().unwrap().len(),
        5,
        "rejections are cached, too"
    );
    assert_eq!(
        read("/debug/informers", &token("scraper")).await.0,
        403,
        "another path"
    );
    let failed = (500, "Authentication failed\n".into());
    assert_eq!(read("/metrics", &token("broken")).await, failed);
}
