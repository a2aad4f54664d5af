//! Gives arbitrary answers to the informers and clients of an operator, and asserts what holds for all answers.
//!
//! An input is a sequence of answers: a line with the code, and the body. [`END`] is between them.

use super::values::{Chance, change_text};
use bytes::Bytes;
use futures::{StreamExt as _, stream};
use http::{Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ListParams, Patch, WatchParams};
use kube::{Client, client::Body};
use kube_codegen_runtime::client::TypedClient;
use kube_codegen_runtime::informer::{InformerConfig, InitialList, SharedInformer};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// What is between two answers.
pub const END: &[u8] = b"\n----\n";

/// Answers of a good server, each of another form.
pub const ANSWERS: &[&str] = &[
    r#"200
{"apiVersion": "v1", "kind": "ConfigMapList", "metadata": {"resourceVersion": "5", "continue": "abc", "remainingItemCount": 1}, "items": [
{"metadata": {"name": "a", "namespace": "ns", "uid": "1", "resourceVersion": "3", "generation": 1.0, "creationTimestamp": "2026-01-01T00:00:00Z",
"managedFields": [{"manager": "m", "fieldsV1": {"f:data": {}}}], "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": ""}]}, "data": {"a": "1e5\u0000\ud83d\ude00"}},
{"metadata": {"name": "b", "namespace": "ns", "resourceVersion": "4"}, "binaryData": {"b": "aGk="}, "immutable": false}]}"#,
    r#"200
{"type": "ADDED", "object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "ns", "resourceVersion": "6"}, "data": {"a": "b"}}}
{"type": "MODIFIED", "object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "ns", "resourceVersion": "7", "deletionTimestamp": "2026-01-01T00:00:00Z"}}}
{"type": "BOOKMARK", "object": {"kind": "ConfigMap", "metadata": {"resourceVersion": "8", "annotations": {"k8s.io/initial-events-end": "true"}}}}
{"type": "DELETED", "object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "ns", "resourceVersion": "9"}}}
{"type": "ERROR", "object": {"kind": "Status", "status": "Failure", "code": 410, "reason": "Expired", "message": "too old"}}
"#,
    r#"409
{"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": 409, "reason": "Conflict", "message": "conflict with \"one\"", "metadata": {},
"details": {"name": "a", "kind": "configmaps", "causes": [{"reason": "FieldManagerConflict", "message": "conflict", "field": ".data.a"}], "retryAfterSeconds": 1}}"#,
    "429\nToo many requests, please try again later.",
    "200\n{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"a\", \"namespace\": \"ns\", \"resourceVersion\": \"5\"}, \"data\": null}",
];

/// What each good answer has, and no other.
const LIVE: &str = r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "live", "namespace": "ns", "uid": "9", "resourceVersion": "1000"}}"#;

/// Gives the answers to an informer of each kind and to a client. None may panic or hang: once the server answers well, each informer gets the
/// object of the server.
///
/// # Panics
/// If an invariant is violated.
pub async fn answers(input: &[u8]) {
    for initial_list in [
        InitialList::Streaming,
        InitialList::WatchCache,
        InitialList::Paged(1),
    ] {
        let config = InformerConfig {
            initial_list,
            ..InformerConfig::default()
        };
        let informer = SharedInformer::<ConfigMap>::new(server(input), config);
        informer.start();
        let is_there = async {
            while informer.lister().namespaced("ns").get("live").is_err() {
                sleep(Duration::from_secs(1)).await;
            }
        };
        let found = timeout(Duration::from_secs(6 * 3600), is_there).await;
        assert!(
            found.is_ok(),
            "{initial_list:?}: {}",
            String::from_utf8_lossy(input)
        );
    }
    let client = TypedClient::<ConfigMap>::namespaced(server(input), "ns");
    let calls = async {
        let shown = |error: kube::Error| format!("{error} {error:?}");
        for _ in 0..3 {
            let found = client.get("a").await.map_err(shown);
            drop(client.list(&ListParams::default()).await.map_err(shown));
            drop(
                client
                    .create(&found.unwrap_or_default())
                    .await
                    .map_err(shown),
            );
            let patch = Patch::Merge(serde_json::json!({"data": null}));
            let patched = client.patch("a", &patch).await;
            drop(patched.map_err(shown));
            drop(client.delete("a", &Default::default()).await.map_err(shown));
            if let Ok(events) = client.watch(&WatchParams::default(), "0").await {
                // The watch of a good server has no end.
                let events = events
                    .take(20)
                    .take_until(Box::pin(sleep(Duration::from_secs(60))));
                events
                    .for_each(|event| async { drop(event.map_err(shown)) })
                    .await;
            }
        }
    };
    assert!(
        timeout(Duration::from_secs(3600), calls).await.is_ok(),
        "a call hangs"
    );
}

/// Changes one answer, or a line of it, or removes or repeats an answer. The same seed makes the same changes.
pub fn mutate(input: &[u8], seed: u64) -> Vec<u8> {
    let chance = &mut Chance(seed);
    let mut all = split(input);
    let at = chance.below(all.len());
    match (chance.below(8), all.get(at).cloned()) {
        (_, None) => all.push(ANSWERS[chance.below(ANSWERS.len())].into()),
        (0, _) => drop(all.remove(at)),
        (1, Some(answer)) => all.insert(chance.below(all.len()), answer),
        (_, Some(answer)) => {
            let mut lines: Vec<Vec<u8>> = answer
                .split(|it| *it == b'\n')
                .map(<[u8]>::to_vec)
                .collect();
            let line = chance.below(lines.len());
            lines[line] = change_text(&lines[line], chance);
            all[at] = lines.join(&b'\n');
        }
    }
    all.join(END)
}

/// Creates a client of a server that gives the answers, each in two pieces, and then good ones.
fn server(input: &[u8]) -> Client {
    let parts = split(input);
    let left: Arc<Mutex<VecDeque<Vec<u8>>>> = Arc::new(Mutex::new(parts.into()));
    let service = tower::service_fn(move |request: Request<Body>| {
        let next = left.lock().expect("no panic").pop_front();
        let query = request.uri().query().unwrap_or_default();
        let (code, body, is_open) = match next {
            Some(part) => {
                let (head, body) = halves(&part, b"\n");
                let code = String::from_utf8_lossy(&head).trim().parse().unwrap_or(200);
                (code, body, false)
            }
            None if query.contains("watch=true") => {
                let end = if query.contains("sendInitialEvents=true") {
                    r#"{"type": "BOOKMARK", "object": {"kind": "ConfigMap", "metadata": {"resourceVersion": "1000", "annotations": {"k8s.io/initial-events-end": "true"}}}}"#
                } else {
                    ""
                };
                let event = format!(r#"{{"type": "ADDED", "object": {LIVE}}}"#);
                (200, format!("{event}\n{end}\n").into_bytes(), true)
            }
            None if request.uri().path().ends_with("/configmaps") && request.method() == "GET" => {
                let list = format!(
                    r#"{{"kind": "ConfigMapList", "metadata": {{"resourceVersion": "1000"}}, "items": [{LIVE}]}}"#
                );
                (200, list.into_bytes(), false)
            }
            None => (200, LIVE.as_bytes().to_vec(), false),
        };
        let at = body.len().checked_mul(5).map_or(0, |it| it / 7);
        let pieces = [body[..at].to_vec(), body[at..].to_vec()];
        let pieces = pieces.map(|piece| Ok::<_, Infallible>(Frame::data(Bytes::from(piece))));
        let pending = stream::pending().take(usize::from(is_open));
        let body = StreamBody::new(stream::iter(pieces).chain(pending));
        let mut response = Response::new(Box::pin(body));
        *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::OK);
        async { Ok::<_, Infallible>(response) }
    });
    Client::new(service, "ns")
}

fn split(input: &[u8]) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    let mut rest = input.to_vec();
    while !rest.is_empty() && parts.len() < 12 {
        let (first, after) = halves(&rest, END);
        parts.push(first);
        rest = after;
    }
    parts
}

/// Returns what is before and after the first separator.
fn halves(bytes: &[u8], separator: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let found = bytes
        .windows(separator.len())
        .position(|it| it == separator);
    let at = found.unwrap_or(bytes.len());
    let after = bytes.get(at + separator.len()..).unwrap_or_default();
    (bytes[..at].to_vec(), after.to_vec())
}
