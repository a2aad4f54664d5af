//! Compares what is read here with what kubectl's reader made of the same texts: `apimachinery` splits them, and
//! `sigs.k8s.io/yaml` v1.6.0 reads the first document.
#[path = "../../../tests/common.rs"]
mod common;

use std::{fmt::Write, fs, hash::Hasher as _};

use fnv::FnvHasher;

use super::*;
use crate::base::diag::Severity;

/// Texts, each with the JSON that it is read as, or `error`.
const TEXTS: &str = include_str!("go.tsv");

/// Folders of the corpus, each with the number of its files that can be read and a hash over all their values.
const CORPUS: &str = include_str!("go-corpus.tsv");

/// Read here, though Go refuses it: any text as a timestamp.
const TIMESTAMP: &str = "!!timestamp";

/// Refused here, though Go reads it: an infinite key, and an empty list or map as a key, which Go takes for the whole
/// document and drops the rest.
const STRICT: [&str; 5] = [".inf: v\n", "[]: 1", "{}: 1", "{}\t: 1", "{? a  b} :: b} :"];

/// Nested deeper than [`MAX_DEPTH`].
const DEEP: &str = "09-deep-130.yaml";

/// The value of the first document that is not empty; none if it or one before it has an error.
fn first(text: &str) -> Option<Value> {
    let source = Source::new("text.yaml", text);
    let mut diagnostics = Diagnostics::new();
    let documents = read(&source, SourceId(0), &mut diagnostics);
    let first = documents.into_iter().next();
    let last = first.as_ref().map_or(usize::MAX, |document| document.index);
    let mut errors = diagnostics
        .iter()
        .filter(|it| it.severity == Severity::Error);
    let has_error = errors.any(|it| it.place.document <= last);
    (!has_error).then(|| first.map_or(Value::Null, |document| document.root.into_value()))
}

/// Go writes a negative zero as one.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, value)| b.get(key).is_some_and(|other| equal(value, other)))
        }
        (a, b) => a == b,
    }
}

#[test]
fn texts_are_read_as_go_reads_them() {
    let mut wrong = Vec::new();
    for line in TEXTS.lines() {
        let (text, expected) = line.split_once('\t').unwrap();
        let text: String = serde_json::from_str(text).unwrap();
        let expected: Option<Value> =
            (expected != "error").then(|| serde_json::from_str(expected).unwrap());
        let found = first(&text);
        let right = match (&found, &expected) {
            (None, None) => true,
            (None, Some(_)) => STRICT.contains(&text.as_str()),
            (Some(_), None) => text.contains(TIMESTAMP),
            (Some(found), Some(expected)) => equal(found, expected),
        };
        if !right {
            wrong.push(format!("{text:?}: {found:?}, in Go {expected:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\n{} texts",
        wrong.join("\n"),
        wrong.len()
    );
}

/// Adds a value to a text that is the same in Go.
fn canonical(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for item in items {
                canonical(item, text);
            }
            text.push(']');
        }
        Value::Object(map) => {
            text.push('{');
            for (key, value) in map {
                _ = write!(text, "{}:{key}", key.len());
                canonical(value, text);
            }
            text.push('}');
        }
        Value::String(string) => _ = write!(text, "{}:{string}", string.len()),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => _ = write!(text, "i{integer}"),
            None => _ = write!(text, "f{:x}", number.as_f64().unwrap().to_bits()),
        },
        other => _ = write!(text, "{other}"),
    }
}

/// FNV-1a.
fn hash(text: &str) -> u64 {
    let mut hash = FnvHasher::default();
    hash.write(text.as_bytes());
    hash.finish()
}

#[test]
fn the_corpus_is_read_as_go_reads_it() {
    let Some(root) = common::corpus(".") else {
        return;
    };
    for line in CORPUS.lines() {
        let (folder, expected) = line.split_once('\t').unwrap();
        let entries = fs::read_dir(root.join(folder)).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let mut all = String::new();
        let mut count = 0;
        paths.retain(|path| !path.ends_with(DEEP));
        for path in paths {
            let text = fs::read_to_string(&path).unwrap();
            if let Some(value) = first(text.trim_start_matches('\u{feff}')) {
                count += 1;
                canonical(&value, &mut all);
            }
            all.push('\n');
        }
        assert_eq!(
            format!("{count}\t{:016x}", hash(&all)),
            expected,
            "{folder}"
        );
    }
}

#[test]
fn an_undefined_anchor_is_not_one_that_contains_its_alias() {
    for (text, expected) in [
        ("a: &x {b: *x}\n", "the value of anchor `x` contains itself"),
        (
            "a: &x 1\n---\nb: *x\n",
            "anchor `x` is not defined in this document",
        ),
    ] {
        let source = Source::new("text.yaml", text);
        let mut diagnostics = Diagnostics::new();
        read(&source, SourceId(0), &mut diagnostics);
        let messages: Vec<&str> = diagnostics.iter().map(|it| it.message.as_str()).collect();
        assert_eq!(messages, [expected]);
    }
}

#[test]
fn a_broken_document_does_not_hide_others() {
    let text = "a\n---\n[b\n---\nc\n---\n\td: [\n--- e\n...\n---\nf\n--- \"g\n---\nh\n";
    let source = Source::new("text.yaml", text);
    let mut diagnostics = Diagnostics::new();
    let documents = read(&source, SourceId(0), &mut diagnostics);
    let lines = Lines::new(text);
    let found: Vec<_> = documents
        .iter()
        .map(|it| {
            (
                it.root.clone().into_value(),
                it.index,
                lines.position(it.root.find("").value).line,
            )
        })
        .collect();
    let expected = [
        ("a", 0, 1),
        ("c", 2, 5),
        ("e", 4, 8),
        ("f", 5, 11),
        ("h", 7, 14),
    ];
    assert_eq!(
        found,
        expected.map(|(text, index, line)| (Value::from(text), index, line))
    );
    let broken: Vec<_> = diagnostics.iter().map(|it| it.place.document).collect();
    assert_eq!(broken, [1, 3, 6]);
}
