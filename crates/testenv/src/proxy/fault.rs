//! In: the name of a fault. Out: the answer the API server would give, where the fault is an answer. Never a made-up status form.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Value, json};

/// What is done to a request that a rule matches.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// 429 with `Retry-After`, in whole seconds, rounded up.
    TooManyRequests {
        /// When the client may come back.
        retry_after: Duration,
    },
    /// 500.
    InternalError,
    /// 503.
    Unavailable,
    /// 410 with reason `Expired`, as for a continue token or a watch that is too old.
    Gone,
    /// A watch that begins well, and whose first event is an error of code 410.
    WatchExpired,
    /// The connection ends without an answer.
    Refuse,
    /// The answer comes, but so much later.
    Delay(Duration),
    /// The connection ends after so many bytes of the answer's body.
    Cut {
        /// Bytes that still come through.
        after: usize,
    },
    /// After so many bytes of the body nothing more comes, and the connection stays open.
    Stall {
        /// Bytes that still come through.
        after: usize,
    },
    /// The body comes in pieces.
    Slow {
        /// Bytes in a piece.
        piece: usize,
        /// Time before each.
        pause: Duration,
    },
    /// Each line of the body comes twice.
    Duplicate,
    /// Of each line of the body only the first half comes, so that it is no JSON.
    Garble,
}

impl Fault {
    /// The answer in place of the API server's, if the fault is one.
    pub(super) fn answer(&self) -> Option<Response<Bytes>> {
        let (code, reason, message) = match self {
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
            let seconds = retry_after.as_secs() + u64::from(retry_after.subsec_nanos() > 0);
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        Some(response)
    }
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
    }

    #[test]
    fn an_expired_watch_is_an_event_not_a_status() {
        let answer = Fault::WatchExpired.answer().unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        let event: Value = serde_json::from_slice(answer.body()).unwrap();
        assert_eq!(
            (&event["type"], &event["object"]["code"]),
            (&json!("ERROR"), &json!(410))
        );
    }
}
