//! The faults of the proxy, and the responses of those that replace the answer.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Value, json};

/// What happens to a request that a rule matches.
///
/// ```
/// use std::time::Duration;
/// use kube_codegen_testenv::{Fault, Rule};
///
/// let overloaded = Fault::TooManyRequests { retry_after: Duration::from_secs(1) };
/// let rules = [Rule::new(overloaded).times(3), Rule::new(Fault::Cut { after: 100 }).watch(true)];
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// Responds with 429 and `Retry-After`, in whole seconds, rounded up.
    TooManyRequests {
        /// When the client may retry.
        retry_after: Duration,
    },
    /// Responds with this HTTP code and body, such as a `Status`.
    Answer(u16, Value),
    /// Responds with 500.
    InternalError,
    /// Responds with 503.
    Unavailable,
    /// Responds with 410 and the reason `Expired`, as for a continue token or a watch that is too old.
    Gone,
    /// Responds with a watch whose first event is an error with code 410.
    WatchExpired,
    /// Closes the connection without a response.
    Refuse,
    /// Delays the response.
    Delay(Duration),
    /// Closes the connection within the body.
    Cut {
        /// How many bytes of the body are forwarded.
        after: usize,
    },
    /// Stops within the body and keeps the connection open.
    Stall {
        /// How many bytes of the body are forwarded.
        after: usize,
    },
    /// Stops within the body and, on Linux, drops every packet from the client: it gets no more data, no acknowledgement and no end of the
    /// connection, as if the server had lost its power.
    BlackHole {
        /// How many bytes of the body are forwarded.
        after: usize,
    },
    /// Forwards the body in pieces.
    Slow {
        /// Bytes in a piece.
        piece: usize,
        /// Pause before each piece.
        pause: Duration,
    },
    /// Forwards each line of the body twice.
    Duplicate,
    /// Drops each line of the body that contains this text, such as a single watch event.
    DropEvents(String),
    /// Forwards each line of the body that contains this text after a delay; later lines overtake it.
    DelayEvents(String, Duration),
    /// Forwards only the first half of each line of the body, which is invalid JSON.
    Garble,
}

impl Fault {
    /// Returns the response that replaces the API server's, if the fault is one.
    pub(super) fn answer(&self) -> Option<Response<Bytes>> {
        let (code, reason, message) = match self {
            Self::Answer(code, body) => {
                let code = StatusCode::from_u16(*code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                return Some(json_response(code, body.to_string()));
            }
            Self::TooManyRequests { .. } => (
                StatusCode::TOO_MANY_REQUESTS,
                "TooManyRequests",
                "too many requests, please try again later",
            ),
            Self::InternalError => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "InternalError",
                "an error on the server",
            ),
            Self::Unavailable => (
                StatusCode::SERVICE_UNAVAILABLE,
                "ServiceUnavailable",
                "the server is currently unable to handle the request",
            ),
            Self::Gone => (StatusCode::GONE, "Expired", EXPIRED),
            Self::WatchExpired => {
                let event = json!({ "type": "ERROR", "object": status(StatusCode::GONE, "Expired", EXPIRED) });
                return Some(json_response(StatusCode::OK, format!("{event}\n")));
            }
            _ => return None,
        };
        let mut response = json_response(code, status(code, reason, message).to_string());
        if let Self::TooManyRequests { retry_after } = self {
            let rest = u64::from(retry_after.subsec_nanos() > 0);
            let seconds = retry_after.as_secs().saturating_add(rest);
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        Some(response)
    }
}

/// Responds as the API server does to a token that has expired.
pub(super) fn unauthorized() -> Response<Bytes> {
    let code = StatusCode::UNAUTHORIZED;
    json_response(
        code,
        status(code, "Unauthorized", "Unauthorized").to_string(),
    )
}

const EXPIRED: &str = "too old resource version";

fn status(code: StatusCode, reason: &str, message: &str) -> Value {
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": code.as_u16(),
    })
}

fn json_response(code: StatusCode, body: String) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = code;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_rounded_up() {
        let fault = Fault::TooManyRequests {
            retry_after: Duration::from_millis(1200),
        };
        assert_eq!(fault.answer().unwrap().headers()[header::RETRY_AFTER], "2");
        let fault = Fault::TooManyRequests {
            retry_after: Duration::MAX,
        };
        let longest = u64::MAX.to_string();
        let answer = fault.answer().unwrap();
        assert_eq!(answer.headers()[header::RETRY_AFTER], longest);
    }

    #[test]
    fn an_expired_watch_is_an_event() {
        let answer = Fault::WatchExpired.answer().unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        let event: Value = serde_json::from_slice(answer.body()).unwrap();
        assert_eq!(
            (&event["type"], &event["object"]["code"]),
            (&json!("ERROR"), &json!(410))
        );
    }
}
