//! The status of a response, and its body without compression.
#[cfg(feature = "gzip")]
use std::io::Write as _;
use std::{future::ready, io};

use bytes::Bytes;
#[cfg(feature = "gzip")]
use flate2::write::MultiGzDecoder;
use futures::{AsyncBufRead, TryStreamExt, stream};
use http::{HeaderMap, Response, header};
use http_body_util::{BodyExt, Limited};
use kube::{
    client::Body,
    core::{Status, response::StatusDetails},
};

/// How a decoded body is encoded.
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

/// Decompresses a body piece by piece.
struct Decoder {
    /// `None` if it is not compressed.
    #[cfg(feature = "gzip")]
    gzip: Option<MultiGzDecoder<Vec<u8>>>,
}

impl Decoder {
    #[cfg_attr(
        not(feature = "gzip"),
        expect(unused_variables, reason = "then no body is compressed")
    )]
    fn new(headers: &HeaderMap) -> Self {
        Self {
            #[cfg(feature = "gzip")]
            gzip: (headers.get(header::CONTENT_ENCODING))
                .is_some_and(|value| value.as_bytes().starts_with(GZIP.as_bytes()))
                .then(|| MultiGzDecoder::new(Vec::new())),
        }
    }

    #[cfg_attr(
        not(feature = "gzip"),
        expect(clippy::unused_self, reason = "then no body is compressed")
    )]
    fn is_compressed(&self) -> bool {
        #[cfg(feature = "gzip")]
        return self.gzip.is_some();
        #[cfg(not(feature = "gzip"))]
        return false;
    }

    /// Returns a whole body, which is cut off after [`LARGEST_STATUS`] bytes; the body itself if it cannot be decoded.
    fn whole(mut self, body: Bytes) -> Bytes {
        let mut whole = Vec::new();
        for piece in pieces(body.clone(), PIECE) {
            match self.feed(piece) {
                Ok(piece) => whole.extend_from_slice(&piece),
                Err(_) => return body,
            }
            if whole.len() >= LARGEST_STATUS {
                whole.truncate(LARGEST_STATUS);
                break;
            }
        }
        whole.into()
    }

    /// Returns what a piece adds to the decoded body.
    #[cfg_attr(
        not(feature = "gzip"),
        expect(
            clippy::unused_self,
            clippy::unnecessary_wraps,
            reason = "then no body is compressed"
        )
    )]
    fn feed(&mut self, piece: Bytes) -> io::Result<Bytes> {
        #[cfg(feature = "gzip")]
        if let Some(gzip) = &mut self.gzip {
            gzip.write_all(&piece)?;
            gzip.flush()?;
            return Ok(std::mem::take(gzip.get_mut()).into());
        }
        Ok(piece)
    }
}

/// Returns bytes in pieces of this length.
fn pieces(mut bytes: Bytes, length: usize) -> impl Iterator<Item = Bytes> {
    std::iter::from_fn(move || {
        let length = length.min(bytes.len());
        (length > 0).then(|| bytes.split_to(length))
    })
}

/// Largest body of an error response.
const LARGEST_STATUS: usize = 1 << 20;
/// Length of what is decoded at once: a byte of a compressed body may become a thousand, and readers limit what they have read.
const PIECE: usize = 4 << 10;
/// The media type of protobuf.
#[cfg(feature = "protobuf")]
pub(super) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
/// The compression that API servers know.
pub(super) const GZIP: &str = "gzip";

/// Returns the body of a successful response, how it is encoded, and whether it was compressed; or the status of any other response.
///
/// `kube::Client::request_stream` drops the header `Retry-After`, with which the API server answers in plain text when it is overloaded.
pub(super) async fn body(
    response: Response<Body>,
) -> Result<(impl AsyncBufRead + use<>, Encoding, bool), kube::Error> {
    let (code, encoding) = (response.status(), Encoding::of(&response));
    let mut decoder = Decoder::new(response.headers());
    if !code.is_client_error() && !code.is_server_error() {
        let is_compressed = decoder.is_compressed();
        let length = if is_compressed { PIECE } else { usize::MAX };
        let body = response.into_body().into_data_stream();
        let body = body.map_err(io::Error::other);
        let body = body.map_ok(move |bytes| stream::iter(pieces(bytes, length).map(Ok)));
        let body = body
            .try_flatten()
            .and_then(move |piece| ready(decoder.feed(piece)));
        return Ok((body.into_async_read(), encoding, is_compressed));
    }
    let retry_after = response.headers().get(header::RETRY_AFTER);
    let retry_after = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
    let body = Limited::new(response.into_body(), LARGEST_STATUS)
        .collect()
        .await;
    let body = body.map_err(kube::Error::Service)?.to_bytes();
    let body = decoder.whole(body);
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

#[cfg(test)]
#[path = "response_tests.rs"]
mod tests;
