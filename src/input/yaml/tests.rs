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

/// Texts that are read otherwise here, in the order in which they are recorded. The documentation of the module has the reasons.
const DIFFERENT: [&str; 16] = [
    "a: !!timestamp x",
    ".inf: v\n",
    "[]: 1",
    "{}: 1",
    "[!!str, 1]",
    "[!a, b]",
    "a: >\n  x\u{2028}  y\n",
    "[a]]",
    "t 1: v\n!!fa]t 1: v\n",
    "a: !!timestamp 2!!time024-01-01T00:00:Z",
    "a: \u{2028}>",
    "{? a  b} :: b} :",
    "a: !1''f[",
    "%TAG !! !foo\n---\na: !!str] 1",
    "a: >\n  x\u{2028}\n  y\n\n  z\n",
    "{}\t: 1",
];

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
    let mut different = Vec::new();
    for line in TEXTS.lines() {
        let (text, expected) = line.split_once('\t').unwrap();
        let text: String = serde_json::from_str(text).unwrap();
        let expected: Option<Value> =
            (expected != "error").then(|| serde_json::from_str(expected).unwrap());
        let found = first(&text);
        let right = match (&found, &expected) {
            (Some(found), Some(expected)) => equal(found, expected),
            (found, expected) => found.is_none() && expected.is_none(),
        };
        if !right {
            different.push((text, found, expected));
        }
    }
    let listed: Vec<&str> = different.iter().map(|(text, ..)| text.as_str()).collect();
    assert_eq!(listed, DIFFERENT, "{different:#?}");
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
fn spellings_of_yaml_1_1_keep_their_places() {
    // Each is respelled before the key `d`, whose place is that in the text as it is written.
    for (before, value) in [
        ("a: \"don\\'t, won\\'t\"\n", "don't, won't"),
        ("a: [-, b] #c\n", "-"),
        ("a: {b: c}#c\n", "c"),
        ("a: 'b'#c\n", "b"),
        ("a: |#c\n  b\n", "b\n"),
        ("a: b\u{85}  c\u{85}", "b c"),
        ("a: b\u{2028}  c\n", "b\u{2028}c"),
        ("a: |\n  b\u{2028}  c\n", "b\u{2028}c\n"),
        ("a: \"don\\'t\"#c\u{85}", "don't"),
    ] {
        let text = format!("{before}d: é\n");
        let source = Source::new("text.yaml", text.as_str());
        let mut diagnostics = Diagnostics::new();
        let documents = read(&source, SourceId(0), &mut diagnostics);
        assert!(
            diagnostics.iter().next().is_none(),
            "{text:?}: {diagnostics:?}"
        );
        let root = &documents[0].root;
        let mut found = root.clone().into_value()["a"].take();
        for inner in ["/0", "/b"] {
            found = found.pointer(inner).cloned().unwrap_or(found);
        }
        assert_eq!(found, value, "{text:?}");
        let key = root.find("/d").key.unwrap();
        assert_eq!(key, Span::new(before.len(), before.len() + 1), "{text:?}");
        let end = text.len() - 1;
        assert_eq!(root.find("/d").value, Span::new(end - 2, end), "{text:?}");
    }
}

#[test]
fn what_yaml_1_1_lacks_is_rejected_where_it_is() {
    for (text, line, column) in [
        ("- a\n-\tb\n", 2, 2),
        ("-\ta", 1, 2),
        ("a: 'b'\n \t\nc: d", 2, 2),
        ("a: [b?c]", 1, 6),
        ("a: {:b: c}", 1, 5),
        ("a: [b, :c]", 1, 8),
        ("a: {b\n : c}", 2, 2),
        ("a: &b.c d", 1, 4),
        ("a: \"b\\/\"", 1, 6),
        ("a: \"\\ud83d\\ude00\"", 1, 5),
        ("%YAML 1.2\n---\na", 2, 1),
        ("%FOO\n---\na", 1, 1),
        ("...\na", 1, 1),
        ("a\n...\nb", 3, 1),
        ("a: [!b, c]", 1, 5),
        ("{a: !!str, b: 1}", 1, 5),
    ] {
        let source = Source::new("text.yaml", text);
        let mut diagnostics = Diagnostics::new();
        read(&source, SourceId(0), &mut diagnostics);
        let places: Vec<_> = diagnostics
            .iter()
            .map(|it| it.place.position.map(|at| (at.line, at.column)))
            .collect();
        assert_eq!(places, [Some((line, column))], "{text:?}: {diagnostics:?}");
    }
    // A tab where the text before it may go on.
    assert_eq!(first("a: b\n  \t\nc: d"), first("a: b\nc: d"));
}

#[test]
fn a_text_has_one_budget_whatever_number_of_documents_it_has() {
    let read = |text: &str| {
        let mut diagnostics = Diagnostics::new();
        let source = Source::new("text.yaml", text);
        let documents = read(&source, SourceId(0), &mut diagnostics).len();
        let codes: Vec<Code> = diagnostics.iter().map(|it| it.code).collect();
        (documents, codes)
    };
    // A document copies 10 MiB, with the first one; the limit is 32 MiB.
    let copied = format!("a: &a {}\nb: [{}]\n", "x".repeat(1 << 20), "*a, ".repeat(9));
    assert_eq!(read(&copied), (1, vec![]));
    let (documents, codes) = read(&[&*copied; 4].join("---\n"));
    assert_eq!((documents, codes), (3, vec![Code::AliasLimit]));
    // Each spelling costs one more reading.
    let respelled = format!("a: [{}]\n", "[-], ".repeat(60));
    assert_eq!(read(&respelled), (1, vec![]));
    let respelled = format!("a: [{}]\n", "[-], ".repeat(3000));
    assert_eq!(read(&respelled), (0, vec![Code::Syntax]));
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
