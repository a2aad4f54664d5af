//! The answers that no server sends: of faults.

use std::{convert::Infallible, io};

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, combinators::UnsyncBoxBody};
use serde_json::json;
use tower::BoxError;

pub(super) type Answer = UnsyncBoxBody<Bytes, BoxError>;

pub(super) fn reset() -> BoxError {
    io::Error::new(
        io::ErrorKind::ConnectionReset,
        "the simulation broke the connection",
    )
    .into()
}

pub(super) fn unfailing<B>(body: B) -> Answer
where
    B: http_body::Body<Data = Bytes, Error = Infallible> + Send + 'static,
{
    body.map_err(|never| match never {}).boxed_unsync()
}

pub(super) fn error(code: u16) -> Response<Answer> {
    let reason = match code {
        403 => "Forbidden",
        409 => "Conflict",
        410 => "Expired",
        429 => "TooManyRequests",
        500 => "InternalError",
        503 => "ServiceUnavailable",
        504 => "Timeout",
        _ => "Unknown",
    };
    let body = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": format!("the simulation answered {code}"), "reason": reason, "code": code});
    let mut response = Response::new(unfailing(Full::new(Bytes::from(body.to_string()))));
    *response.status_mut() =
        StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    if code == 429 {
        let second = HeaderValue::from_static("1");
        response.headers_mut().insert(header::RETRY_AFTER, second);
    }
    response
}

pub(super) fn expired() -> Bytes {
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": "The resourceVersion for the provided watch is too old.", "reason": "Expired", "code": 410});
    Bytes::from(format!("{}\n", json!({"type": "ERROR", "object": status})))
}
