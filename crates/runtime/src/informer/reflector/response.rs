//! The status of a response.
use futures::{AsyncBufRead, TryStreamExt};
use http::{Response, header};
use http_body_util::BodyExt;
use kube::{
    client::Body,
    core::{Status, response::StatusDetails},
};

/// Returns the body of a successful response, and the status of any other.
///
/// `kube::Client::request_stream` drops the header `Retry-After`, with which the API server answers in plain text when it is overloaded.
pub(super) async fn body(
    response: Response<Body>,
) -> Result<impl AsyncBufRead + use<>, kube::Error> {
    let code = response.status();
    if !code.is_client_error() && !code.is_server_error() {
        let chunks = response.into_body().into_data_stream();
        return Ok(chunks.map_err(std::io::Error::other).into_async_read());
    }
    let retry_after = response.headers().get(header::RETRY_AFTER);
    let retry_after = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
    let body = response.into_body().collect().await?.to_bytes();
    let mut status: Status = serde_json::from_slice(&body).unwrap_or_else(|_| {
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
