//! Tests of watches that arrive in pieces.
use futures::{TryStreamExt, stream};

use super::*;

const SILENCE: Duration = Duration::from_secs(1);

fn reader(chunks: impl IntoIterator<Item = Vec<u8>>, encoding: Encoding) -> BodyReader {
    let chunks: Vec<_> = chunks.into_iter().map(io::Result::Ok).collect();
    BodyReader::new(stream::iter(chunks).into_async_read(), encoding)
}

/// Returns the values of a body.
async fn values(chunks: impl IntoIterator<Item = Vec<u8>>) -> Vec<String> {
    let mut reader = reader(chunks, Encoding::Json);
    let mut values = Vec::new();
    while let Some(value) = reader.next(SILENCE).await.unwrap() {
        values.push(str::from_utf8(value).unwrap().trim().to_owned());
    }
    values
}

#[tokio::test]
async fn a_watch_is_the_same_wherever_its_chunks_end() {
    let events = [
        r#"{"type":"ADDED","object":{"a":-1.5e-30,"b":[1,2e5,[]],"c":"}\"\\é😀\u00e9"}}"#,
        "{\n  \"type\": \"MODIFIED\",\n  \"object\": {\n    \"a\": null\n  }\n}",
        r#"{"object":{},"type":"DELETED"}"#,
        "[1,2]",
        r#""a text""#,
        "12",
        "null",
    ];
    // In lines, in one line, and with empty lines that keep the connection open.
    for separator in ["\n", " ", "\r\n\n\n \n"] {
        let text = format!("\n{}\n", events.join(separator));
        for at in 0..=text.len() {
            let (before, after) = text.as_bytes().split_at(at);
            let read = values([before.to_vec(), after.to_vec()]).await;
            assert_eq!(read, events, "cut at {at}");
        }
        for size in 1..20 {
            let chunks = text.as_bytes().chunks(size).map(<[u8]>::to_vec);
            assert_eq!(values(chunks).await, events, "chunks of {size}");
        }
    }
    let together = format!("{}{}{}{}", events[0], events[1], events[3], events[4]);
    let read = values([together.into_bytes()]).await;
    assert_eq!(read, [events[0], events[1], events[3], events[4]]);
}

#[tokio::test]
async fn an_event_that_is_cut_off_is_the_end() {
    let event = r#"{"type":"ADDED","object":{"a":"b\"c","n":[1]}}"#;
    for end in 1..event.len() {
        let text = format!("{event}\n{}", &event[..end]);
        assert_eq!(values([text.into_bytes()]).await, [event], "{end}");
    }
}

#[tokio::test]
async fn what_is_not_json_is_returned_piece_by_piece() {
    for text in ["<html>", "}", "]", ",", "html", "\u{feff}"] {
        assert_eq!(values([text.as_bytes().to_vec()]).await, [text]);
    }
}

#[tokio::test]
async fn an_event_without_end_is_an_error_and_a_quiet_connection_is_none() {
    let endless = |bytes: &'static [u8]| {
        let chunks = stream::repeat_with(move || io::Result::Ok(bytes.repeat(1 << 20)));
        BodyReader::new(chunks.into_async_read(), Encoding::Json)
    };
    for bytes in [&b"x"[..], b"["] {
        let mut reader = endless(bytes);
        let error = reader.next(SILENCE).await.unwrap_err();
        assert!(matches!(error, WatchFailure::TooLarge(LARGEST)), "{error}");
    }
    let spaces = vec![vec![b'\n'; LARGEST / 4]; 8];
    assert_eq!(values(spaces).await, [""; 0]);
}

#[tokio::test]
async fn a_large_event_does_not_keep_its_buffer() {
    let large = format!("\"{}\"", "x".repeat(3 * KEPT_BUFFER));
    let mut reader = reader([large.into_bytes(), b" 1 ".to_vec()], Encoding::Json);
    let value = reader.next(SILENCE).await.unwrap().unwrap();
    assert_eq!(value.len(), 3 * KEPT_BUFFER + 2);
    assert_eq!(reader.next(SILENCE).await.unwrap(), Some(&b" 1"[..]));
    assert!(reader.buffer.capacity() <= KEPT_BUFFER);
}

#[cfg(feature = "protobuf")]
#[tokio::test]
async fn frames_of_protobuf_have_a_limit() {
    let mut frames = reader(
        [
            b"\0\0\0".to_vec(),
            b"\x02ab\0\0".to_vec(),
            b"\0\x01".to_vec(),
        ],
        Encoding::Protobuf,
    );
    assert_eq!(frames.next(SILENCE).await.unwrap(), Some(&b"ab"[..]));
    assert_eq!(frames.next(SILENCE).await.unwrap(), None);
    let mut large = reader([b"\xff\xff\xff\xff".to_vec()], Encoding::Protobuf);
    let error = large.next(SILENCE).await.unwrap_err();
    assert!(matches!(error, WatchFailure::TooLarge(LARGEST)), "{error}");
}

#[test]
fn an_early_end_is_found_at_any_depth() {
    let end = || io::Error::from(io::ErrorKind::UnexpectedEof);
    assert!(is_early_end(&end()));
    assert!(is_early_end(&io::Error::other(end())));
    assert!(is_early_end(&io::Error::other(io::Error::other(end()))));
    assert!(!is_early_end(&io::Error::other("reset")));
}
