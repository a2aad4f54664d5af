//! Tests of responses in CBOR.
use serde_json::{Value, json};

use super::*;

/// Returns what a transcoder makes of pieces of this size.
fn transcode(cbor: &[u8], size: usize) -> io::Result<String> {
    let (mut transcoder, mut json) = (Transcoder::default(), Vec::new());
    for piece in cbor.chunks(size) {
        transcoder.feed(piece, &mut json)?;
    }
    Ok(String::from_utf8(json).unwrap())
}

/// Returns the bytes of hexadecimal digits.
fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<_> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    let byte = |pair: &[u32]| u8::try_from(pair[0] << 4 | pair[1]).unwrap();
    digits.chunks(2).map(byte).collect()
}

/// Appends a value as `k8s.io/apimachinery` encodes it: texts are byte strings.
fn encode(value: &Value, cbor: &mut Vec<u8>) {
    let head = |cbor: &mut Vec<u8>, major: u8, argument: u64| {
        if let Ok(small @ ..24) = u8::try_from(argument) {
            cbor.push(major << 5 | small);
        } else {
            cbor.push(major << 5 | 0x1b);
            cbor.extend(argument.to_be_bytes());
        }
    };
    let text = |cbor: &mut Vec<u8>, text: &str| {
        head(cbor, 2, text.len() as u64);
        cbor.extend(text.as_bytes());
    };
    match value {
        Value::Null => cbor.push(0xf6),
        Value::Bool(value) => cbor.push(0xf4 + u8::from(*value)),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => head(cbor, 0, number),
            (None, Some(number)) => head(cbor, 1, !number.cast_unsigned()),
            (None, None) => {
                cbor.push(0xfb);
                cbor.extend(number.as_f64().unwrap().to_be_bytes());
            }
        },
        Value::String(value) => text(cbor, value),
        Value::Array(items) => {
            head(cbor, 4, items.len() as u64);
            for item in items {
                encode(item, cbor);
            }
        }
        Value::Object(entries) => {
            head(cbor, 5, entries.len() as u64);
            for (key, value) in entries {
                text(cbor, key);
                encode(value, cbor);
            }
        }
    }
}

#[test]
fn values_are_the_same_wherever_their_pieces_end() {
    let events = [
        json!({"type": "ADDED", "object": {"metadata": {"name": "a", "labels": {}}, "spec": {
            "whole": [0, 23, 24, 255, 65_536, -1, -24, -25, i64::MIN, u64::MAX],
            "floats": [0.5, -1.25, 1e300],
            "texts": ["", "ä\"\\\n\u{1}", "x".repeat(300)],
            "lists": [[], [[1], {}], {"a": [null, true, false]}],
        }}}),
        json!({"type": "BOOKMARK", "object": null}),
        json!([]),
        json!("a text"),
    ];
    let mut cbor = Vec::new();
    for event in &events {
        // The tag that marks CBOR.
        cbor.extend([0xd9, 0xd9, 0xf7]);
        encode(event, &mut cbor);
    }
    for size in 1..=cbor.len() {
        let json = transcode(&cbor, size).unwrap();
        let read: Vec<Value> = json
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(read, events, "pieces of {size}");
    }
}

#[test]
fn each_form_of_a_value_is_read() {
    for (cbor, json) in [
        // Texts and bytes; bytes with tag 22 are base64 in JSON.
        ("63 616263", r#""abc""#),
        ("43 616263", r#""abc""#),
        ("d6 43 616263", r#""YWJj""#),
        ("d6 c0 43 616263", r#""YWJj""#),
        ("82 d6 41 00 41 61", r#"["AA==","a"]"#),
        ("a1 41 61 d6 41 00", r#"{"a":"AA=="}"#),
        ("42 c3 28", "\"\u{fffd}(\""),
        // A time, with its tag.
        ("c0 44 32303236", r#""2026""#),
        // Integers in any length.
        ("1800", "0"),
        ("1b ffffffffffffffff", "18446744073709551615"),
        ("3b 7fffffffffffffff", "-9223372036854775808"),
        // Numbers of 16, 32 and 64 bits.
        ("f9 3e00", "1.5"),
        ("f9 c400", "-4"),
        ("f9 0001", "5.960464477539063e-8"),
        ("f9 7bff", "65504"),
        ("fa 47c35000", "100000"),
        ("fb 3ff199999999999a", "1.1"),
        ("fb 7e37e43c8800759c", "1e+300"),
        ("f9 8000", "-0"),
        // Simple values.
        ("f4", "false"),
        ("f5", "true"),
        ("f6", "null"),
        // Lengths that are not known in advance.
        ("9f 01 9f ff ff", "[1,[]]"),
        ("bf 41 61 9f 02 ff ff", r#"{"a":[2]}"#),
        ("9fff", "[]"),
        // Empty ones close what is around them.
        ("81 81 80", "[[[]]]"),
        ("a1 41 61 a1 41 62 a0", r#"{"a":{"b":{}}}"#),
    ] {
        let read = transcode(&bytes(cbor), 1).unwrap();
        assert_eq!(read, format!("{json}\n"), "{cbor}");
    }
}

#[test]
fn what_is_not_cbor_of_kubernetes_is_an_error() {
    for (cbor, problem) in [
        ("a1 01 02", "a key is not a string"),
        ("a1 80 02", "a key is not a string"),
        ("a1 f6 02", "a key is not a string"),
        ("1c", "reserved"),
        ("1f", "has no length"),
        ("5f", "has no length"),
        ("df", "has no length"),
        ("ff", "ends nothing"),
        ("81 ff", "ends nothing"),
        ("bf 41 61 ff", "ends nothing"),
        ("9f d6 ff", "ends nothing"),
        ("c2 41 01", "more than 64 bits"),
        ("f7", "simple value"),
        ("f8 14", "simple value"),
        ("f0", "simple value"),
        ("f9 7e00", "not finite"),
        ("f9 fc00", "not finite"),
        ("fa 7f800000", "not finite"),
        ("5a 7fffffff", "too long"),
        ("5b ffffffffffffffff", "too long"),
    ] {
        let error = transcode(&bytes(cbor), 1).unwrap_err();
        assert!(error.to_string().contains(problem), "{cbor}: {error}");
    }
}

#[test]
fn depth_is_limited() {
    let deep = |depth: usize| [vec![0x81; depth], vec![0x80]].concat();
    let json = transcode(&deep(DEEPEST - 1), 1000).unwrap();
    assert_eq!(json.len(), 2 * DEEPEST + 1);
    let error = transcode(&deep(DEEPEST), 1000).unwrap_err();
    assert!(error.to_string().contains("too deeply"), "{error}");
}

#[test]
fn arbitrary_bytes_never_panic() {
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..20_000 {
        let cbor: Vec<_> = (0..random.usize(1..40)).map(|_| random.u8(..)).collect();
        let size = random.usize(1..8);
        if let Ok(json) = transcode(&cbor, size) {
            for line in json.lines().take(json.matches('\n').count()) {
                serde_json::from_str::<serde::de::IgnoredAny>(line).unwrap();
            }
        }
    }
}
