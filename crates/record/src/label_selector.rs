//! Parses label selectors in the syntax of `kubectl -l`, like apimachinery's `ParseToLabelSelector`.
use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use thiserror::Error;

/// A label selector that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid label selector at byte {position}: {message}")]
pub struct ParseSelectorError {
    /// The byte offset of the unexpected token.
    pub position: usize,
    /// The problem: what was found, and what was expected.
    pub message: String,
}

/// Longest name part of a label key, and longest label value (Kubernetes: "Labels and Selectors").
const MAX_LABEL: usize = 63;
/// Longest prefix of a label key: a DNS subdomain.
const MAX_PREFIX: usize = 253;

/// Parses requirements separated by commas: `key`, `!key`, `key=value`, `key==value`, `key!=value`, `key in (a,b)`, `key notin (a,b)`.
///
/// An empty string selects everything. `key>1` and `key<1` are errors, because a `LabelSelector` cannot express them.
///
/// ```
/// let selector = kube_codegen_record::label_selector::parse("app=web,!legacy")?;
/// assert_eq!(selector.match_labels.unwrap()["app"], "web");
/// assert_eq!(selector.match_expressions.unwrap()[0].operator, "DoesNotExist");
/// # Ok::<(), kube_codegen_record::label_selector::ParseSelectorError>(())
/// ```
pub fn parse(text: &str) -> Result<LabelSelector, ParseSelectorError> {
    let mut cursor = Cursor { text, at: 0 };
    let mut selector = LabelSelector::default();
    if cursor.peek().is_none() {
        return Ok(selector);
    }
    loop {
        cursor.requirement(&mut selector)?;
        match cursor.next() {
            None => return Ok(selector),
            Some(",") => {}
            Some(other) => return Err(cursor.error(other, "expected ',' or the end")),
        }
    }
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Returns the next token and the position after it. A token is an operator, a bracket, a comma or a word.
    fn peek(&self) -> Option<(&'a str, usize)> {
        let rest = self.text[self.at..].trim_start();
        let start = self.text.len() - rest.len();
        let length = match rest.as_bytes() {
            [] => return None,
            [b'=' | b'!', b'=', ..] => 2,
            [b'=' | b'!' | b',' | b'(' | b')' | b'<' | b'>', ..] => 1,
            _ => rest
                .find(|c: char| c.is_whitespace() || "=!,()<>".contains(c))
                .unwrap_or(rest.len()),
        };
        Some((&rest[..length], start + length))
    }

    fn next(&mut self) -> Option<&'a str> {
        let (token, end) = self.peek()?;
        self.at = end;
        Some(token)
    }

    fn requirement(&mut self, selector: &mut LabelSelector) -> Result<(), ParseSelectorError> {
        if self.peek().is_some_and(|(token, _)| token == "!") {
            self.next();
            push(selector, self.key()?, "DoesNotExist", []);
            return Ok(());
        }
        let key = self.key()?;
        let Some((operator, end)) = self.peek().filter(|(token, _)| *token != ",") else {
            push(selector, key, "Exists", []);
            return Ok(());
        };
        self.at = end;
        match operator {
            "=" | "==" => equal(selector, key, self.value()?),
            "!=" => push(selector, key, "NotIn", [self.value()?]),
            "in" => push(selector, key, "In", self.values()?),
            "notin" => push(selector, key, "NotIn", self.values()?),
            ">" | "<" => return Err(self.error(operator, "which a LabelSelector does not support")),
            other => {
                return Err(self.error(other, "expected one of '=', '==', '!=', 'in', 'notin'"));
            }
        }
        Ok(())
    }

    fn key(&mut self) -> Result<String, ParseSelectorError> {
        let token = self.next().unwrap_or_default();
        if is_qualified_name(token) {
            Ok(token.to_owned())
        } else {
            Err(self.error(token, "expected a label key"))
        }
    }

    /// Parses a value. An empty one is followed by a comma or the end.
    fn value(&mut self) -> Result<String, ParseSelectorError> {
        let token = match self.peek() {
            None | Some((",", _)) => return Ok(String::new()),
            Some((token, end)) => {
                self.at = end;
                token
            }
        };
        if is_label_value(token) {
            Ok(token.to_owned())
        } else {
            Err(self.error(token, "expected a label value"))
        }
    }

    /// Parses `(a, b)`. Nothing between two commas is an empty value.
    fn values(&mut self) -> Result<BTreeSet<String>, ParseSelectorError> {
        match self.next() {
            Some("(") => {}
            other => return Err(self.error(other.unwrap_or_default(), "expected '('")),
        }
        let mut values = BTreeSet::new();
        let mut current = String::new();
        loop {
            match self.next() {
                Some(")") => {
                    values.insert(current);
                    return Ok(values);
                }
                Some(",") => drop(values.insert(std::mem::take(&mut current))),
                Some(token) if current.is_empty() && is_label_value(token) => {
                    token.clone_into(&mut current);
                }
                other => {
                    let token = other.unwrap_or_default();
                    return Err(self.error(token, "expected a label value, ',' or ')'"));
                }
            }
        }
    }

    /// Returns an error about the token just taken.
    fn error(&self, token: &str, expected: &str) -> ParseSelectorError {
        let found = if token.is_empty() {
            "the end".to_owned()
        } else {
            format!("\"{token}\"")
        };
        ParseSelectorError {
            position: self.at - token.len(),
            message: format!("found {found}, {expected}"),
        }
    }
}

fn push(
    selector: &mut LabelSelector,
    key: String,
    operator: &str,
    values: impl IntoIterator<Item = String>,
) {
    let values: Vec<_> = values.into_iter().collect();
    selector
        .match_expressions
        .get_or_insert_default()
        .push(LabelSelectorRequirement {
            key,
            operator: operator.to_owned(),
            values: (!values.is_empty()).then_some(values),
        });
}

/// Adds to `matchLabels`. A second value for the same key becomes an expression, since both must hold.
fn equal(selector: &mut LabelSelector, key: String, value: String) {
    let labels: &mut BTreeMap<_, _> = selector.match_labels.get_or_insert_default();
    if labels.get(&key).is_some_and(|first| *first != value) {
        push(selector, key, "In", [value]);
    } else {
        labels.insert(key, value);
    }
}

/// Whether `text` is `[prefix/]name`, the prefix a DNS subdomain.
fn is_qualified_name(text: &str) -> bool {
    let (prefix, name) = match text.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, text),
    };
    let is_dns_label = |part: &str| {
        part.bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && !part.is_empty()
            && !part.starts_with('-')
            && !part.ends_with('-')
    };
    !name.is_empty()
        && is_label_value(name)
        && prefix
            .is_none_or(|prefix| prefix.len() <= MAX_PREFIX && prefix.split('.').all(is_dns_label))
}

/// Whether `text` is empty or at most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends.
fn is_label_value(text: &str) -> bool {
    let bytes = text.as_bytes();
    let ends = bytes
        .first()
        .into_iter()
        .chain(bytes.last())
        .all(u8::is_ascii_alphanumeric);
    text.len() <= MAX_LABEL
        && ends
        && bytes
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(b))
}

#[cfg(test)]
mod tests {
    use kube::core::{Selector, SelectorExt};

    use super::*;

    /// Selector, labels, whether they match.
    type Case = (&'static str, &'static [(&'static str, &'static str)], bool);

    const CASES: &[Case] = &[
        ("", &[], true),
        ("  ", &[("a", "b")], true),
        ("x=y", &[("x", "y")], true),
        ("x = y", &[("x", "z")], false),
        ("x==y", &[("x", "y")], true),
        ("x=y,z=w", &[("x", "y"), ("z", "w")], true),
        ("x=y,z=w", &[("x", "y")], false),
        ("x=y,x=z", &[("x", "y")], false),
        ("x=y,x=z", &[("x", "z")], false),
        ("x!=y", &[], true),
        ("x!=y", &[("x", "y")], false),
        ("x=", &[("x", "")], true),
        ("x=", &[], false),
        ("x", &[("x", "anything")], true),
        ("x", &[], false),
        ("!x", &[], true),
        ("!x", &[("x", "")], false),
        ("x in (a,b)", &[("x", "b")], true),
        ("x in ( a , b )", &[("x", "c")], false),
        ("x in (a,b)", &[], false),
        ("x in (a,)", &[("x", "")], true),
        ("x notin (a,b)", &[], true),
        ("x notin (a,b)", &[("x", "a")], false),
        (
            "example.com/role=web,!legacy",
            &[("example.com/role", "web")],
            true,
        ),
    ];

    #[test]
    fn selects_as_apimachinery_does() {
        for (text, labels, expected) in CASES {
            let parsed = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let selector = Selector::try_from(parsed).unwrap();
            let labels = labels
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect();
            assert_eq!(selector.matches(&labels), *expected, "{text} on {labels:?}");
            let printed = parse(&selector.to_string()).unwrap();
            assert_eq!(
                Selector::try_from(printed).unwrap(),
                selector,
                "{text} reads the same after printing"
            );
        }
    }

    #[test]
    fn rejects_what_apimachinery_rejects() {
        for text in [
            "x=y=z",
            "x in a",
            "x in (a",
            "x in (a b)",
            ",x",
            "x,,y",
            "x=y,",
            "!x=y",
            "x||y",
            "a/b/c=d",
            "-x",
            "x=-",
            "x>y",
            "x>5",
            "x y",
            "é=x",
            "X.com/=x",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let long = "a".repeat(64);
        assert!(parse(&long).is_err());
        assert!(parse(&format!("x={long}")).is_err());
    }

    #[test]
    fn errors_have_the_position_of_the_token() {
        let error = parse("app=web,tier ~ x").unwrap_err();
        assert_eq!(error.position, 13);
        assert!(error.message.contains("\"~\""), "{error}");
    }
}
