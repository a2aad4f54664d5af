//! Serves one HTTP request: injects faults, records the request and calls its verb.

use std::{convert::Infallible, io, sync::Arc};

use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use http::{HeaderValue, Response, StatusCode, header, request::Parts};
use http_body::Frame;
use http_body_util::{BodyExt as _, Full, StreamBody, combinators::UnsyncBoxBody};
use kube::core::response::Status;
use serde_json::Value;

use crate::{
    discovery,
    fault::Effect,
    openapi, read,
    recorded::RecordedRequest,
    request::{Request, Verb},
    review,
    shared::{Shared, lock},
    status::{Answer, document},
    watch, write,
};

/// The response body of both transports.
pub(crate) type Body = UnsyncBoxBody<Bytes, Infallible>;

/// Serves one request; an error breaks the connection.
pub(crate) async fn serve(
    shared: Arc<Shared>,
    parts: Parts,
    body: Vec<u8>,
) -> io::Result<Response<Body>> {
    if let Some(answer) = review::answer(&parts.method, parts.uri.path(), &body) {
        lock(&shared.requests).append(&review::line(&answer, parts.uri.path()));
        return Ok(json(201, &answer));
    }
    let request = {
        let store = lock(&shared.store);
        let path = parts.uri.path();
        let document = discovery::document(path, &store.kinds)
            .or_else(|| openapi::document(path, &store.kinds));
        if let Some(document) = document {
            return Ok(document_response(&document));
        }
        Request::read(&parts, body, &store.kinds)
    };
    let request = match request {
        Ok(request) => request,
        Err(failure) => return Ok(failed(&failure)),
    };
    let path = parts
        .uri
        .path_and_query()
        .map_or_else(|| parts.uri.path(), |path| path.as_str());
    let index = lock(&shared.requests)
        .is_kept()
        .then(|| RecordedRequest::new(&request, path));
    let index = index.map(|record| shared.record(record));
    let effect = lock(&shared.faults).take(request.verb, &request.target);
    let lose_answer = match effect {
        Some(Effect::Answer(failure)) => {
            shared.answered(index, failure.code);
            return Ok(failed(&failure));
        }
        Some(Effect::Disconnect) => return Err(broken()),
        Some(Effect::Delay(time)) => {
            tokio::time::sleep(time).await;
            false
        }
        Some(Effect::LostAnswer) => true,
        None => false,
    };
    let response = execute(&shared, &request)
        .unwrap_or_else(|failure| with_warnings(failed(&failure), &request));
    if lose_answer {
        return Err(broken());
    }
    shared.answered(index, response.status().as_u16());
    Ok(response)
}

fn broken() -> io::Error {
    io::Error::new(
        io::ErrorKind::ConnectionReset,
        "the test broke the connection",
    )
}

fn execute(shared: &Arc<Shared>, request: &Request) -> Answer<Response<Body>> {
    let mut guard = lock(&shared.store);
    let store = &mut *guard;
    let before = store.revision;
    let answer = match request.verb {
        Verb::Get => read::get(store, request).map(|value| (200, value)),
        Verb::List => read::list(store, request).map(|value| (200, value)),
        Verb::Create => write::create(store, request).map(|value| (201, value)),
        Verb::Update => write::update(store, request).map(created),
        Verb::Patch => write::patch(store, request).map(created),
        Verb::Delete => write::delete(store, request).map(|value| (200, value)),
        Verb::DeleteCollection => {
            write::delete_collection(store, request).map(|value| (200, value))
        }
        Verb::Watch => {
            let lines = watch::open(
                shared,
                store,
                request,
                lock(&shared.settings).expired_as_410,
            )?;
            return Ok(stream(lines, request));
        }
    };
    if store.revision != before {
        shared.changes.wake();
    }
    answer.map(|(code, value)| with_warnings(json(code, &value), request))
}

/// Returns the HTTP status of a write that may have created its object.
fn created((value, is_new): (Value, bool)) -> (u16, Value) {
    (if is_new { 201 } else { 200 }, value)
}

fn json(code: u16, value: &Value) -> Response<Body> {
    let body = Full::new(Bytes::from(value.to_string())).boxed_unsync();
    respond(code, body)
}

fn respond(code: u16, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() =
        StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    response
}

fn stream(lines: impl Stream<Item = Bytes> + Send + 'static, request: &Request) -> Response<Body> {
    let frames = lines.map(|line| Ok::<_, Infallible>(Frame::data(line)));
    with_warnings(
        respond(200, StreamBody::new(frames).boxed_unsync()),
        request,
    )
}

/// Adds the warnings of the request and of a deprecated version.
fn with_warnings(mut response: Response<Body>, request: &Request) -> Response<Body> {
    let version = request.target.version().ok();
    let deprecated = version.and_then(|version| version.warning.as_ref());
    let warnings = request.warnings.borrow();
    for text in deprecated.into_iter().chain(&*warnings) {
        if let Ok(value) = HeaderValue::from_str(&format!("299 - {text:?}")) {
            response.headers_mut().append(header::WARNING, value);
        }
    }
    response
}

fn failed(failure: &Status) -> Response<Body> {
    let code = if failure.code == 0 { 500 } else { failure.code };
    let mut response = json(code, &document(failure));
    let wait = failure
        .details
        .as_ref()
        .map_or(0, |details| details.retry_after_seconds);
    if wait > 0 {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(wait));
    }
    response
}

/// Discovery is JSON, health a plain word.
fn document_response(document: &Value) -> Response<Body> {
    match document.as_str() {
        Some(word) => respond(200, Full::new(Bytes::from(word.to_owned())).boxed_unsync()),
        None => json(200, document),
    }
}
