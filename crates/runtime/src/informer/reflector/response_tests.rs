//! Tests of bodies that are compressed.
use super::*;

type Header = (header::HeaderName, &'static str);

fn headers(of: &[&Header]) -> HeaderMap {
    let value = |value: &'static str| value.parse().unwrap();
    of.iter()
        .map(|(name, text)| (name.clone(), value(text)))
        .collect()
}

/// Returns the decoded body of a response that arrives in pieces of this size.
fn decode(of: &[&Header], sent: &[u8], size: usize) -> io::Result<String> {
    let mut decoder = Decoder::new(&headers(of));
    let mut body = Vec::new();
    for piece in sent.chunks(size) {
        body.extend(decoder.feed(Bytes::copy_from_slice(piece))?);
    }
    Ok(String::from_utf8(body).unwrap())
}

/// Returns the status of an error response.
async fn rejected(of: &[&Header], sent: &[u8]) -> Box<Status> {
    let mut response = Response::new(Body::from(sent.to_vec()));
    *response.status_mut() = http::StatusCode::GONE;
    *response.headers_mut() = headers(of);
    match body(response).await.map(drop) {
        Err(kube::Error::Api(status)) => status,
        other => panic!("no status: {other:?}"),
    }
}

#[cfg(feature = "gzip")]
fn compress(part: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(part).unwrap();
    encoder.finish().unwrap()
}

#[cfg(feature = "gzip")]
#[tokio::test]
async fn a_body_that_grows_a_thousandfold_is_limited() {
    let gzip = (header::CONTENT_ENCODING, "gzip");
    let sent = compress(&vec![b' '; 64 << 20]);
    assert!(sent.len() < LARGEST_STATUS);
    let whole = Decoder::new(&headers(&[&gzip])).whole(sent.clone().into());
    assert_eq!(whole.len(), LARGEST_STATUS);
    assert_eq!(rejected(&[&gzip], &sent).await.code, 410);
    let status = compress(br#"{"kind":"Status","code":410,"message":"gone"}"#);
    assert_eq!(rejected(&[&gzip], &status).await.message, "gone");

    // What readers get at once is limited, too.
    let mut response = Response::new(Body::from(sent));
    *response.headers_mut() = headers(&[&gzip]);
    let (body, _, is_compressed) = body(response).await.unwrap();
    assert!(is_compressed);
    let mut body = Box::pin(body);
    let first = futures::AsyncBufReadExt::fill_buf(&mut body).await.unwrap();
    assert!((1..=8 << 20).contains(&first.len()), "{}", first.len());
}

#[cfg(feature = "gzip")]
#[test]
fn a_compressed_body_is_read_piece_by_piece() {
    let gzip = (header::CONTENT_ENCODING, "gzip");
    // As a server does in a streaming list: each part is compressed by itself, and has to be read before the next one comes.
    let parts = ["{\"a\":", "1}\n", "", "[2]\n"];
    let sent: Vec<_> = parts.map(|part| compress(part.as_bytes())).concat();
    for size in 1..=sent.len() {
        assert_eq!(decode(&[&gzip], &sent, size).unwrap(), parts.concat());
    }
    let mut decoder = Decoder::new(&headers(&[&gzip]));
    for part in parts {
        let read = decoder.feed(compress(part.as_bytes()).into()).unwrap();
        assert_eq!(read, part);
    }
    let error = decode(&[&gzip], b"not compressed at all", 4).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{error}");
}
