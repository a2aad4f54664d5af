//! Sends arbitrary requests to the API server in memory, and asserts what holds for every request.
//!
//! An input is a sequence of requests in the form of HTTP/1.1, with [`END`] between them.
mod values;
mod words;

use http::header::{HeaderName, HeaderValue};
use http::{Method, Request, Uri};
use http_body_util::BodyExt as _;
use kube::client::Body;
use kube_codegen_testing::{ApiServer, Controllers};
use serde_json::Value;
use std::time::Duration;
use tokio::time::{sleep, timeout};
use values::{Chance, change_bytes, change_some};

/// What is between two requests.
pub const END: &[u8] = b"\n----\n";

const METHODS: &[&str] = &["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];
const CONTENTS: &[&str] = &[
    "application/json",
    "application/yaml",
    "application/apply-patch+yaml",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/json-patch+json",
    "application/vnd.kubernetes.protobuf",
    "",
];
const QUERIES: &[&str] = &[
    "watch=true&timeoutSeconds=18446744073709551615",
    "watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
    "limit=1",
    "limit=18446744073709551615&continue=e30",
    "resourceVersion=18446744073709551615",
    "resourceVersion=1&resourceVersionMatch=Exact",
    "labelSelector=a%20in%20(b,%20c),!d,e!=f",
    "fieldSelector=metadata.name%3Da,spec.x!=%5C",
    "fieldManager=one&force=true",
    "fieldValidation=Strict",
    "dryRun=All",
    "gracePeriodSeconds=-9223372036854775808",
    "gracePeriodSeconds=9223372036854775807",
    "propagationPolicy=Foreground",
];
/// Answers that are shown: a watch has no end.
const FRAMES: usize = 50;

/// Sends the requests of an input. No request may panic, hang or break the connection, an error is a `Status`, and what is stored can be read,
/// listed and written back. Returns how many requests were answered, and how many of them stored an object.
///
/// # Panics
/// If an invariant is violated.
pub async fn requests(server: &ApiServer, input: &[u8]) -> (usize, usize) {
    let controllers = tokio::spawn(server.run_controllers(Controllers::new()));
    let counts = answered(server, input).await;
    sleep(Duration::from_secs(60)).await;
    assert!(!controllers.is_finished(), "the controllers ended");
    controllers.abort();
    counts
}

async fn answered(server: &ApiServer, input: &[u8]) -> (usize, usize) {
    let (mut all, mut stored) = (0, 0);
    for request in split(input, END) {
        let Some(request) = read(request) else {
            continue;
        };
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let (code, body) = send(server, request).await;
        all += 1;
        let name = body.pointer("/metadata/name").and_then(Value::as_str);
        if !(200..300).contains(&code) || body["kind"] == "Status" {
            continue;
        }
        let (collection, name) = match (method, name) {
            (Method::POST, Some(name)) => (uri.path(), name),
            (Method::PUT | Method::PATCH, Some(name)) => {
                let Some((collection, _)) = uri.path().rsplit_once(&format!("/{name}")) else {
                    continue;
                };
                (collection, name)
            }
            _ => continue,
        };
        let of = |method, path: &str, body: Vec<u8>| {
            let request = Request::builder().method(method).uri(path);
            let request = request.header("content-type", "application/json");
            request.body(Body::from(body)).ok()
        };
        let object = format!("{collection}/{name}");
        let Some(get) = of("GET", &object, Vec::new()) else {
            continue;
        };
        let (code, found) = send(server, get).await;
        // A dry run, a review, or a deletion whose last finalizer is gone.
        if code != 200 {
            continue;
        }
        let (code, list) = send(server, of("GET", collection, Vec::new()).expect("a path")).await;
        stored += 1;
        let items = list["items"].as_array();
        let is_listed =
            items.is_some_and(|it| it.iter().any(|it| it["metadata"] == found["metadata"]));
        assert!(
            code == 200 && is_listed,
            "{object} is not listed: {code} {found}"
        );
        let back = of("PUT", &object, found.to_string().into_bytes());
        send(server, back.expect("a path")).await;
    }
    (all, stored)
}

/// Reads a request; none if HTTP cannot transport it, or if it would make the server call another server.
fn read(text: &[u8]) -> Option<Request<Body>> {
    let mut parts = text.splitn(2, |byte| *byte == b'\n');
    let first = parts.next()?;
    let mut target = first.splitn(2, |byte| *byte == b' ');
    let mut request = Request::new(Body::empty());
    *request.method_mut() = Method::from_bytes(target.next()?).ok()?;
    let uri: Uri = target.next()?.try_into().ok()?;
    if uri.path().contains("webhookconfigurations") || !uri.path().starts_with('/') {
        return None;
    }
    *request.uri_mut() = uri;
    let mut rest = parts.next().unwrap_or_default();
    while !rest.is_empty() {
        let mut lines = rest.splitn(2, |byte| *byte == b'\n');
        let line = lines.next()?;
        rest = lines.next().unwrap_or_default();
        if line.is_empty() {
            break;
        }
        let mut header = line.splitn(2, |byte| *byte == b':');
        let name = HeaderName::from_bytes(header.next()?).ok()?;
        let value = HeaderValue::from_bytes(header.next()?.trim_ascii()).ok()?;
        request.headers_mut().append(name, value);
    }
    *request.body_mut() = Body::from(rest.to_vec());
    Some(request)
}

/// Sends a request and returns the code and the body of the answer; a body that is not JSON is null.
async fn send(server: &ApiServer, request: Request<Body>) -> (u16, Value) {
    let shown = format!("{} {}", request.method(), request.uri());
    let answer = timeout(Duration::from_secs(3600), server.client().send(request)).await;
    let answer = answer.unwrap_or_else(|_| panic!("{shown} hangs"));
    let answer = answer.unwrap_or_else(|error| panic!("{shown}: {error:?}"));
    let code = answer.status().as_u16();
    let mut body = answer.into_body();
    let mut bytes = Vec::new();
    for _ in 0..FRAMES {
        let frame = timeout(Duration::from_secs(1), body.frame()).await;
        let Ok(Some(Ok(frame))) = frame else { break };
        bytes.extend(frame.into_data().unwrap_or_default());
    }
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    if code >= 400 {
        let has_text = body["message"].as_str().is_some_and(|it| !it.is_empty());
        let is_status = body["kind"] == "Status" && body["code"] == code && has_text;
        // What nothing serves has no `Status`, as on a real server.
        let is_nothing = code == 404 && bytes == b"404 page not found\n";
        assert!(
            is_status || is_nothing,
            "{shown}: {code} {}",
            String::from_utf8_lossy(&bytes)
        );
    }
    (code, body)
}

/// Changes one request, or removes or repeats it. The same seed makes the same changes.
pub fn mutate(input: &[u8], seed: u64) -> Vec<u8> {
    let chance = &mut Chance(seed);
    let mut all: Vec<Vec<u8>> = split(input, END).into_iter().map(<[u8]>::to_vec).collect();
    let at = chance.below(all.len());
    match chance.below(12) {
        0 => drop(all.remove(at)),
        1 => {
            let to = chance.below(all.len());
            all.insert(to, all[at].clone());
        }
        2..5 => change_bytes(&mut all[at], chance),
        5 => change_head(&mut all[at], chance),
        _ => change_body(&mut all[at], chance),
    }
    all.join(END)
}

/// Changes the body as a tree, if it is JSON.
fn change_body(request: &mut Vec<u8>, chance: &mut Chance) {
    let length = split(request, b"\n\n")[0].len();
    let body = request.get(length + 2..).unwrap_or_default();
    let Ok(mut body) = serde_json::from_slice::<Value>(body) else {
        return change_bytes(request, chance);
    };
    change_some(&mut body, chance);
    request.truncate(length);
    request.extend(format!("\n\n{body}").bytes());
}

/// Changes the method, the query or the content type.
fn change_head(request: &mut Vec<u8>, chance: &mut Chance) {
    let text = String::from_utf8_lossy(request).into_owned();
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let (method, target) = first.split_once(' ').unwrap_or(("GET", first));
    *request = match chance.below(3) {
        0 => format!("{} {target}\n{rest}", chance.of(METHODS)),
        1 => {
            let sign = if target.contains('?') { '&' } else { '?' };
            format!("{method} {target}{sign}{}\n{rest}", chance.of(QUERIES))
        }
        _ => format!(
            "{first}\ncontent-type: {}\n{}",
            chance.of(CONTENTS),
            rest.split_once('\n').map_or("", |it| it.1)
        ),
    }
    .into_bytes();
}

fn split<'a>(bytes: &'a [u8], by: &[u8]) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(by.len()).position(|it| it == by) {
        parts.push(&rest[..at]);
        rest = &rest[at + by.len()..];
    }
    parts.push(rest);
    parts
}
