//! Reads JSON: values one after another, with positions.
use serde_json::Value;

use super::{
    Document, MAX_DEPTH, Problem,
    node::{Content, Entry, Map, Node, Span},
};
use crate::base::diag::Code;

/// What was read, and the error that ended it.
#[derive(Default)]
pub(super) struct Read {
    pub(super) documents: Vec<Document>,
    /// Each with the index of its document.
    pub(super) problems: Vec<(usize, Problem)>,
    pub(super) error: Option<Problem>,
}

pub(super) fn read(text: &str) -> Read {
    let mut read = Read::default();
    let mut parser = JsonParser {
        text,
        at: 0,
        depth: 0,
        problems: Vec::new(),
    };
    for index in 0.. {
        let value = parser.value();
        read.problems
            .extend(parser.problems.drain(..).map(|problem| (index, problem)));
        match value {
            Ok(root) if root.is_null() => {}
            Ok(root) => read.documents.push(Document {
                root,
                index,
                spellings: Vec::new(),
            }),
            Err(error) => {
                read.error = Some(error);
                break;
            }
        }
        parser.skip_space();
        if parser.at == text.len() {
            break;
        }
    }
    read
}

struct JsonParser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    problems: Vec<Problem>,
}

impl JsonParser<'_> {
    fn value(&mut self) -> Result<Node, Problem> {
        self.skip_space();
        let start = self.at;
        let content = match self.peek() {
            Some(open @ (b'{' | b'[')) => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(Problem::too_deep(Span::new(start, start + 1)));
                }
                self.at += 1;
                let content = if open == b'{' {
                    self.map()?
                } else {
                    self.list()?
                };
                self.depth -= 1;
                let span = Span::new(start, start + 1);
                return Ok(Node { span, content });
            }
            Some(b'"') => Value::String(self.string()?),
            _ => {
                let rest = &self.text[start..];
                let length =
                    rest.find(|next: char| !next.is_ascii_alphanumeric() && !"+-.".contains(next));
                let word = &rest[..length.unwrap_or(rest.len())];
                self.at += word.len();
                scalar(word, start)?
            }
        };
        Ok(Node {
            span: Span::new(start, self.at),
            content: Content::Scalar(content),
        })
    }

    fn map(&mut self) -> Result<Content, Problem> {
        let mut map = Map::new();
        let mut is_first = true;
        while self.goes_on(b'}', "expected `,` or `}`", is_first)? {
            is_first = false;
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.error("key must be a string"));
            }
            let name = self.string()?;
            let key = Span::new(start, self.at);
            if map.contains_key(&name) {
                self.problems.push(Problem::duplicate(key, &name));
            }
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.error("expected `:`"));
            }
            self.at += 1;
            let value = self.value()?;
            map.insert(
                name,
                Entry {
                    key,
                    value,
                    is_merged: false,
                },
            );
        }
        Ok(Content::Map(map))
    }

    fn list(&mut self) -> Result<Content, Problem> {
        let mut items = Vec::new();
        while self.goes_on(b']', "expected `,` or `]`", items.is_empty())? {
            items.push(self.value()?);
        }
        Ok(Content::List(items))
    }

    /// Steps to the next item of a list or map, or over its end.
    fn goes_on(&mut self, end: u8, expected: &str, is_first: bool) -> Result<bool, Problem> {
        self.skip_space();
        if self.peek() == Some(end) {
            self.at += 1;
            return Ok(false);
        }
        if !is_first {
            if self.peek() != Some(b',') {
                return Err(self.error(expected));
            }
            self.at += 1;
            self.skip_space();
            if self.peek() == Some(end) {
                return Err(self.error("trailing comma"));
            }
        }
        Ok(true)
    }

    fn string(&mut self) -> Result<String, Problem> {
        let start = self.at;
        let mut is_escaped = false;
        let inner = self.text[start + 1..].bytes();
        let length = inner.take_while(|byte| {
            let ends = *byte == b'"' && !is_escaped;
            is_escaped = *byte == b'\\' && !is_escaped;
            !ends
        });
        self.at = (start + length.count() + 2).min(self.text.len());
        scalar(&self.text[start..self.at], start)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn error(&self, message: &str) -> Problem {
        let message = if self.at == self.text.len() {
            "unexpected end of the text"
        } else {
            message
        };
        Problem::new(Code::Syntax, Span::new(self.at, self.at), message)
    }
}

/// Reads a literal, a number or a text in quotes.
fn scalar<'de, T: serde::Deserialize<'de>>(text: &'de str, start: usize) -> Result<T, Problem> {
    serde_json::from_str(text).map_err(|error| {
        let full = error.to_string();
        let message = full.split(" at line ").next().unwrap_or_default();
        let at = start
            + if text.starts_with('"') {
                0
            } else {
                error.column().saturating_sub(1)
            };
        Problem::new(Code::Syntax, Span::new(at, at), message)
    })
}
