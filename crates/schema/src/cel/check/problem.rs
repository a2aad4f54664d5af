//! An error of the types in an expression.

use cel::Program;

/// An error in an expression.
pub(super) struct Problem {
    /// The byte at which the wrong part begins.
    pub(super) at: usize,
    pub(super) why: String,
}

impl Problem {
    /// Writes line, column and the place, as cel-go does.
    pub(super) fn shown(&self, program: &Program) -> String {
        let source = &program.source_info().source;
        let before = source.get(..self.at).unwrap_or(source);
        let line = before.matches('\n').count();
        let column = before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count();
        let text = source
            .lines()
            .nth(line)
            .unwrap_or_default()
            .replace('\t', " ");
        format!(
            "ERROR: <input>:{}:{}: {}\n | {text}\n | {}^",
            line + 1,
            column + 1,
            self.why,
            ".".repeat(column)
        )
    }
}
