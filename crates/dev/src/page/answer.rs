//! Answers of the page, with the policy that no text from a cluster can get around.

use bytes::Bytes;
use futures::{StreamExt as _, stream::BoxStream};
use http::{HeaderValue, Response, StatusCode, header};
use http_body_util::StreamBody;
use hyper::body::Frame;
use serde_json::{Value, json};

type Pieces = BoxStream<'static, Result<Frame<Bytes>, std::convert::Infallible>>;
pub(super) type Answer = Response<StreamBody<Pieces>>;

const HEADERS: [(header::HeaderName, &str); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    ),
    (header::CACHE_CONTROL, "no-store"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    // The address has the token.
    (header::REFERRER_POLICY, "no-referrer"),
    (
        header::HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        header::HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

pub(super) fn answer(code: StatusCode, content: &str, body: Pieces) -> Answer {
    let mut answer = Response::new(StreamBody::new(body));
    *answer.status_mut() = code;
    let headers = answer.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(content) = HeaderValue::from_str(&format!("{content}; charset=utf-8")) {
        headers.insert(header::CONTENT_TYPE, content);
    }
    answer
}

fn whole(code: StatusCode, content: &str, body: String) -> Answer {
    let body = futures::stream::iter([Ok(Frame::data(Bytes::from(body)))]);
    answer(code, content, body.boxed())
}

pub(super) fn text(content: &str, body: &str) -> Answer {
    whole(StatusCode::OK, content, body.to_owned())
}

/// Answers with a page that the browser saves: it works alone, not under the policy of this one.
pub(super) fn saved(page: &str) -> Answer {
    let mut answer = text("text/html", page);
    // The link names the file.
    let disposition = HeaderValue::from_static("attachment");
    answer
        .headers_mut()
        .insert(header::CONTENT_DISPOSITION, disposition);
    answer
}

pub(super) fn json(result: &Result<Value, String>) -> Answer {
    // The page works, even if a cluster rejects a change: browsers would report another code in the console.
    let body = match result {
        Ok(value) => value.clone(),
        Err(error) => json!({"error": error}),
    };
    whole(StatusCode::OK, "application/json", body.to_string())
}

pub(super) fn rejected(code: StatusCode, why: &str) -> Answer {
    whole(code, "text/plain", format!("{why}\n"))
}
