//! Tests of bodies that are compressed, or in CBOR.
use super::*;

type Header = (header::HeaderName, &'static str);

const CBOR_ITEM: Header = (header::CONTENT_TYPE, "application/cbor");

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

/// An array with an empty map, in CBOR.
const ARRAY: &[u8] = b"\xd9\xd9\xf7\x81\xa0";

#[tokio::test]
async fn a_body_in_cbor_is_read_as_json() {
    let sequence = (header::CONTENT_TYPE, "application/cbor-seq");
    for form in [&CBOR_ITEM, &sequence] {
        for size in 1..=ARRAY.len() {
            assert_eq!(decode(&[form], ARRAY, size).unwrap(), "[{}]\n");
        }
    }
    // {"kind": "Status", "code": 410, "message": "gone"}
    let status = b"\xa3\x44kind\x46Status\x44code\x19\x01\x9a\x47message\x44gone";
    let mut response = Response::new(Body::from(status.to_vec()));
    *response.status_mut() = http::StatusCode::GONE;
    *response.headers_mut() = headers(&[&CBOR_ITEM]);
    let Err(kube::Error::Api(status)) = body(response).await.map(drop) else {
        panic!("no status");
    };
    assert_eq!((status.code, status.message.as_str()), (410, "gone"));
}

#[cfg(feature = "gzip")]
#[test]
fn a_compressed_body_is_read_piece_by_piece() {
    use flate2::{Compression, write::GzEncoder};

    let compress = |part: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap()
    };
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
    let both = decode(&[&gzip, &CBOR_ITEM], &compress(ARRAY), 7);
    assert_eq!(both.unwrap(), "[{}]\n");
}
