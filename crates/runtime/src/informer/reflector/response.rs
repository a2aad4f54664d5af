//! The status of a response.
use futures::{AsyncBufRead, TryStreamExt};
use http::{Response, header};
use http_body_util::{BodyExt, Limited};
use kube::{
    client::Body,
    core::{Status, response::StatusDetails},
};

/// How a body is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Json,
    #[cfg(feature = "protobuf")]
    Protobuf,
}

impl Encoding {
    #[cfg_attr(
        not(feature = "protobuf"),
        expect(unused_variables, reason = "then all is JSON")
    )]
    fn of(response: &Response<Body>) -> Self {
        #[cfg(feature = "protobuf")]
        if let Some(content) = response.headers().get(header::CONTENT_TYPE)
            && content.as_bytes().starts_with(PROTOBUF.as_bytes())
        {
            return Self::Protobuf;
        }
        Self::Json
    }
}

/// Largest body of an error response.
const LARGEST_STATUS: usize = 1 << 20;
/// The media type of protobuf.
#[cfg(feature = "protobuf")]
pub(super) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// Returns the body of a successful response, and the status of any other.
///
/// `kube::Client::request_stream` drops the header `Retry-After`, with which the API server answers in plain text when it is overloaded.
pub(super) async fn body(
    response: Response<Body>,
) -> Result<(impl AsyncBufRead + use<>, Encoding), kube::Error> {
    let (code, encoding) = (response.status(), Encoding::of(&response));
    if !code.is_client_error() && !code.is_server_error() {
        let chunks = response.into_body().into_data_stream();
        let body = chunks.map_err(std::io::Error::other).into_async_read();
        return Ok((body, encoding));
    }
    let retry_after = response.headers().get(header::RETRY_AFTER);
    let retry_after = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
    let body = Limited::new(response.into_body(), LARGEST_STATUS)
        .collect()
        .await;
    let body = body.map_err(kube::Error::Service)?.to_bytes();
    let status = match encoding {
        Encoding::Json => serde_json::from_slice(&body).ok(),
        #[cfg(feature = "protobuf")]
        Encoding::Protobuf => super::protobuf::status_body(&body),
    };
    let mut status: Status = status.unwrap_or_else(|| {
        let text = String::from_utf8_lossy(&body);
        let reason = code.canonical_reason().unwrap_or_default();
        Status::failure(text.trim(), reason).with_code(code.as_u16())
    });
    if let Some(seconds) = retry_after {
        let details = status.details.get_or_insert_with(|| StatusDetails {
            name: String::new(),
            group: String::new(),
            kind: String::new(),
            uid: String::new(),
            causes: Vec::new(),
            retry_after_seconds: 0,
        });
        details.retry_after_seconds = details.retry_after_seconds.max(seconds);
    }
    Err(kube::Error::Api(status.boxed()))
}
