//! What is wrong with an expression: its syntax or its types.

use std::fmt;

/// What is wrong with an expression. Its text is cel-go's, with the place in the source.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Problem {
    /// The line of the wrong part, from 1; 0 if the whole expression is too long or too deep.
    pub line: usize,
    /// Its first character, from 1; 0 if the whole expression is too long or too deep.
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
        Self::located(source, line + 1, column.chars().count() + 1, message)
    }

    /// A problem whose line and column are known.
    pub(crate) fn located(source: &str, line: usize, column: usize, message: String) -> Self {
        let text = source.lines().nth(line.saturating_sub(1));
        Self {
            line,
            column,
            message,
            text: text.unwrap_or_default().replace('\t', " "),
        }
    }

    /// A problem of the whole expression.
    pub(crate) fn whole(message: String) -> Self {
        Self {
            line: 0,
            column: 0,
            message,
            text: String::new(),
        }
    }

    /// The text without the line of the source.
    pub fn brief(&self) -> String {
        let Self {
            line,
            column,
            message,
            ..
        } = self;
        if *line == 0 {
            return format!("ERROR: <input>:-1:0: {message}");
        }
        format!("ERROR: <input>:{line}:{column}: {message}")
    }
}

/// Writes each problem as cel-go does.
pub(crate) fn write_all(problems: &[Problem], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, problem) in problems.iter().enumerate() {
        if index > 0 {
            f.write_str("\n")?;
        }
        write!(f, "{problem}")?;
    }
    Ok(())
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.brief())?;
        if self.line == 0 {
            return Ok(());
        }
        let dots = ".".repeat(self.column.saturating_sub(1));
        write!(f, "\n | {}\n | {dots}^", self.text)
    }
}
