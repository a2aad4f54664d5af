//! The grammar of label selectors: text comes in, requirements or the place of the error go out.
use super::{Requirement, Selector};
use std::{collections::BTreeSet, str::FromStr};
use thiserror::Error;

/// A label selector that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unable to parse label selector at byte {position}: {message}")]
pub struct ParseSelectorError {
    /// Offset in bytes of what was not understood.
    pub position: usize,
    /// What was wrong with it.
    pub message: String,
}

impl ParseSelectorError {
    pub(super) fn operator(operator: &str) -> Self {
        Self {
            position: 0,
            message: format!("\"{operator}\" is not a valid label selector operator"),
        }
    }
}

/// Longest name part of a label key, and longest label value (Kubernetes: "Labels and Selectors").
const MAX_LABEL: usize = 63;
/// Longest prefix of a label key: a DNS subdomain.
const MAX_PREFIX: usize = 253;

impl FromStr for Selector {
    type Err = ParseSelectorError;

    /// Requirements divided by commas: `key`, `!key`, `key=value`, `key==value`, `key!=value`, `key in (a,b)`, `key notin (a,b)`, `key>1`, `key<1`.
    fn from_str(text: &str) -> Result<Self, ParseSelectorError> {
        let mut cursor = Cursor { text, at: 0 };
        if cursor.peek().is_none() {
            return Ok(Self::everything());
        }
        let mut requirements = Vec::new();
        loop {
            requirements.push(cursor.requirement()?);
            match cursor.next() {
                None => return Ok(requirements.into_iter().collect()),
                Some(",") => {}
                Some(other) => return Err(cursor.error(other, "expected ',' or the end")),
            }
        }
    }
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The token ahead and the position behind it: an operator, a bracket, a comma, or a word.
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

    fn requirement(&mut self) -> Result<Requirement, ParseSelectorError> {
        if self.peek().is_some_and(|(token, _)| token == "!") {
            self.next();
            return Ok(Requirement::DoesNotExist(self.key()?));
        }
        let key = self.key()?;
        let Some((operator, end)) = self.peek().filter(|(token, _)| *token != ",") else {
            return Ok(Requirement::Exists(key));
        };
        self.at = end;
        Ok(match operator {
            "=" | "==" => Requirement::Equals(key, self.value()?),
            "!=" => Requirement::NotEquals(key, self.value()?),
            "in" => Requirement::In(key, self.values()?),
            "notin" => Requirement::NotIn(key, self.values()?),
            ">" => Requirement::GreaterThan(key, self.number()?),
            "<" => Requirement::LessThan(key, self.number()?),
            other => {
                return Err(self.error(
                    other,
                    "expected one of '=', '==', '!=', 'in', 'notin', '>', '<'",
                ));
            }
        })
    }

    fn key(&mut self) -> Result<String, ParseSelectorError> {
        let token = self.next().unwrap_or_default();
        if is_qualified_name(token) {
            Ok(token.to_owned())
        } else {
            Err(self.error(token, "expected a label key"))
        }
    }

    /// A value, which may be empty: then the next thing is a comma or the end.
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

    fn number(&mut self) -> Result<i64, ParseSelectorError> {
        let token = self.next().unwrap_or_default();
        token
            .parse()
            .map_err(|_| self.error(token, "expected an integer"))
    }

    /// `(a, b)`; an empty place in it is an empty value.
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
                    return Err(self.error(
                        other.unwrap_or_default(),
                        "expected a label value, ',' or ')'",
                    ));
                }
            }
        }
    }

    /// An error about the token just taken.
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

/// `[prefix/]name`, the prefix a DNS subdomain.
fn is_qualified_name(text: &str) -> bool {
    let (prefix, name) = match text.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, text),
    };
    let label = |part: &str| {
        part.bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && !part.is_empty()
            && !part.starts_with('-')
            && !part.ends_with('-')
    };
    !name.is_empty()
        && is_label_value(name)
        && prefix.is_none_or(|prefix| prefix.len() <= MAX_PREFIX && prefix.split('.').all(label))
}

/// At most 63 letters, digits, `-`, `_` and `.`, a letter or digit at both ends; or nothing.
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
    use super::*;
    use std::collections::BTreeMap;

    fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    }

    /// Selector, labels, expected.
    type Case = (&'static str, &'static [(&'static str, &'static str)], bool);

    const CASES: &[Case] = &[
        ("", &[], true),
        ("  ", &[("a", "b")], true),
        ("x=y", &[("x", "y")], true),
        ("x = y", &[("x", "z")], false),
        ("x==y", &[("x", "y")], true),
        ("x=y,z=w", &[("x", "y"), ("z", "w")], true),
        ("x=y,z=w", &[("x", "y")], false),
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
        ("x>5", &[("x", "6")], true),
        ("x>5", &[("x", "5")], false),
        ("x<5", &[("x", "4")], true),
        ("x<5", &[("x", "four")], false),
        (
            "example.com/role=web,!legacy",
            &[("example.com/role", "web")],
            true,
        ),
    ];

    #[test]
    fn selects_as_apimachinery_does() {
        for (text, pairs, expected) in CASES {
            let selector: Selector = text
                .parse()
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(
                selector.matches(Some(&labels(pairs))),
                *expected,
                "{text} on {pairs:?}"
            );
            assert_eq!(
                selector.to_string().parse::<Selector>().as_ref(),
                Ok(&selector),
                "what is printed reads the same"
            );
        }
    }

    #[test]
    fn refuses_what_apimachinery_refuses() {
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
            "x y",
            "é=x",
            "X.com/=x",
        ] {
            assert!(text.parse::<Selector>().is_err(), "{text}");
        }
        let long = "a".repeat(64);
        assert!(long.parse::<Selector>().is_err());
        assert!(format!("x={long}").parse::<Selector>().is_err());
    }

    #[test]
    fn errors_tell_the_place() {
        let error = "app=web,tier ~ x".parse::<Selector>().unwrap_err();
        assert_eq!(
            (error.position, error.message.contains("\"~\"")),
            (13, true),
            "{error}"
        );
    }
}
