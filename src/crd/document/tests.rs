//! What `sigs.k8s.io/yaml` v1.6.0, the reader of kubectl and the API server, made of short texts, and what is made of them here.
use super::*;

/// A text and the JSON that it is read as, or `error`.
const READ_BY_GO: &str = include_str!("go.tsv");

/// Refused here, whatever Go makes of it: keys twice, which the API server refuses by default, and what no manifest needs.
const REFUSED: [&str; 8] = [
    "a:\tb\n",
    "a: 1\na: 2\n",
    "y: 1\ntrue: 2\n",
    "1: a\n1.0: b\n",
    "'1': a\n1: b\n",
    "a: !!binary aGk=",
    "!!binary aGk=: v\n",
    ".inf: v\n",
];

/// Read here, though Go refuses it: the tags of scalars that are what they say, as YAML has it.
const READ: [&str; 3] = [
    "a: !!float 18446744073709551615",
    "a: !!timestamp x",
    "%YAML 1.2\n---\na: y\n",
];

/// The value of the first document; none if there are findings against it.
fn value(text: &str) -> Option<Value> {
    let source = Source {
        name: "text.yaml".to_owned(),
        path: None,
        text: text.to_owned(),
    };
    let mut diagnostics = Diagnostics::new();
    let documents = read(&source, SourceId(0), &mut diagnostics);
    if diagnostics.iter().next().is_some() {
        return None;
    }
    let first = documents
        .into_iter()
        .next()
        .filter(|document| document.index == 0);
    Some(first.map_or(Value::Null, |document| document.value))
}

/// Go writes a negative zero as one.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
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
    for line in READ_BY_GO.lines() {
        let (text, expected) = line.split_once('\t').unwrap();
        let text: String = serde_json::from_str(text).unwrap();
        let expected = (expected != "error").then(|| serde_json::from_str::<Value>(expected));
        let expected = expected.transpose().unwrap();
        let found = value(&text);
        let right = match (&found, &expected) {
            (None, None) => true,
            (None, Some(_)) => REFUSED.contains(&text.as_str()),
            (Some(_), None) => READ.contains(&text.as_str()),
            (Some(found), Some(expected)) => equal(found, expected),
        };
        if !right {
            wrong.push(format!("{text:?}: {found:?}, in Go {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_alias_that_names_nothing_is_told_from_one_within_what_it_names() {
    for (text, expected) in [
        ("a: &x {b: *x}\n", "an alias stands within what it names"),
        (
            "a: &x 1\n---\nb: *x\n",
            "an alias names nothing of its document",
        ),
    ] {
        let source = Source {
            name: "text.yaml".to_owned(),
            path: None,
            text: text.to_owned(),
        };
        let mut diagnostics = Diagnostics::new();
        read(&source, SourceId(0), &mut diagnostics);
        let messages: Vec<&str> = diagnostics.iter().map(|it| it.message.as_str()).collect();
        assert_eq!(messages, [expected]);
    }
}
