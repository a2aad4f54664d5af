//! Writes HTTP responses: objects, errors, warnings, documents and the events of watches.

use std::convert::Infallible;

use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use http::{HeaderValue, Response, StatusCode, header};
use http_body::Frame;
use http_body_util::{BodyExt as _, Full, StreamBody, combinators::UnsyncBoxBody};
use kube::core::response::Status;
use serde_json::Value;

use super::openapi::v2;
use crate::{
    request::{Notes, Request},
    values::status,
};

/// Marks the response of a watch, whose body has an event per line.
#[derive(Clone, Copy, Debug)]
pub struct Watch;

/// The response body of both transports.
pub(crate) type Body = UnsyncBoxBody<Bytes, Infallible>;

/// Returns a response with a value.
pub(super) fn json(code: u16, value: &Value) -> Response<Body> {
    let body = Full::new(Bytes::from(written(value))).boxed_unsync();
    respond(code, body)
}

/// Writes an object with its kind and version first, as Go does: errors of clients count the columns.
fn written(value: &Value) -> Vec<u8> {
    const FIRST: [&str; 2] = ["kind", "apiVersion"];
    let Some(fields) = value.as_object().filter(|it| it.contains_key(FIRST[0])) else {
        return value.to_string().into_bytes();
    };
    let first = FIRST
        .into_iter()
        .filter_map(|name| fields.get_key_value(name));
    let rest = fields
        .iter()
        .filter(|(name, _)| !FIRST.contains(&name.as_str()));
    let mut text = Vec::with_capacity(1024);
    for (name, value) in first.chain(rest) {
        text.push(if text.is_empty() { b'{' } else { b',' });
        // Neither a text nor a value can fail to be written to memory.
        let _ = serde_json::to_writer(&mut text, name);
        text.push(b':');
        let _ = serde_json::to_writer(&mut text, value);
    }
    text.push(b'}');
    text
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

/// Returns the response of a watch.
pub(super) fn stream(lines: impl Stream<Item = Bytes> + Send + 'static) -> Response<Body> {
    let frames = lines.map(|line| Ok::<_, Infallible>(Frame::data(line)));
    let mut response = respond(200, StreamBody::new(frames).boxed_unsync());
    response.extensions_mut().insert(Watch);
    response
}

/// Adds the warnings of the request and of a deprecated version.
pub(super) fn with_warnings(
    mut response: Response<Body>,
    request: &Request,
    notes: &Notes,
) -> Response<Body> {
    let version = request.target.version().ok();
    let deprecated = version.and_then(|version| version.warning.as_ref());
    for text in deprecated.into_iter().chain(&notes.warnings) {
        warn(&mut response, text);
    }
    response
}

/// Adds a warning.
pub(super) fn warn(response: &mut Response<Body>, text: &str) {
    if let Ok(value) = HeaderValue::from_str(&format!("299 - {text:?}")) {
        response.headers_mut().append(header::WARNING, value);
    }
}

/// Returns the response of an error.
pub(super) fn failed(failure: &Status) -> Response<Body> {
    let code = if failure.code == 0 { 500 } else { failure.code };
    let mut response = json(code, &status::document(failure));
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

/// Returns the response to a path that no handler knows.
pub(super) fn no_path() -> Response<Body> {
    plain(404, "404 page not found\n")
}

fn plain(code: u16, text: &str) -> Response<Body> {
    let body = Full::new(Bytes::from(text.to_owned())).boxed_unsync();
    with_content(respond(code, body), "text/plain; charset=utf-8")
}

/// Discovery is JSON, health a plain word.
pub(super) fn document(document: &Value) -> Response<Body> {
    match document.as_str() {
        Some(word) => plain(200, word),
        None => json(200, document),
    }
}

/// OpenAPI v2 as kubectl asks for it.
pub(super) fn protobuf(document: &Value) -> Response<Body> {
    let message = Full::new(Bytes::from(v2::protobuf(document)));
    with_content(respond(200, message.boxed_unsync()), v2::CONTENT)
}

/// Sets the content type.
pub(super) fn with_content(mut response: Response<Body>, content: &'static str) -> Response<Body> {
    let content = HeaderValue::from_static(content);
    response.headers_mut().insert(header::CONTENT_TYPE, content);
    response
}
