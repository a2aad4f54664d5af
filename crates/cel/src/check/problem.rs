//! An error of the types in an expression.

use std::fmt;

/// An error of the types in an expression. Its text is cel-go's, with the place in the source.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Problem {
    /// The line of the wrong part, from 1.
    pub line: usize,
    /// Its first character, from 1.
    pub column: usize,
    pub message: String,
    text: String,
}

impl Problem {
    /// `at` is the byte at which the wrong part begins.
    pub(super) fn new(source: &str, at: usize, message: String) -> Self {
        let before = source.get(..at).unwrap_or(source);
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap_or_default();
        let text = source.lines().nth(line).unwrap_or_default();
        Self {
            line: line + 1,
            column: column.chars().count() + 1,
            message,
            text: text.replace('\t', " "),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            column,
            message,
            text,
        } = self;
        let dots = ".".repeat(column - 1);
        write!(
            f,
            "ERROR: <input>:{line}:{column}: {message}\n | {text}\n | {dots}^"
        )
    }
}
