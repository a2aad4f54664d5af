//! Parses paths.
use std::str::FromStr;

use super::path::{Filter, Operand, Operator, Path, PathError, Step};

/// The limit of nested filters, since paths are untrusted.
const DEPTH: usize = 16;

struct PathParser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

type Parsed<T> = Result<T, PathError>;

impl Path {
    /// Parses a path, with or without the leading dot.
    ///
    /// # Errors
    /// The first syntax error, with its position.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        PathParser::new(text).parse()
    }
}

impl FromStr for Path {
    type Err = PathError;
    fn from_str(text: &str) -> Result<Self, PathError> {
        Self::parse(text)
    }
}

impl<'t> PathParser<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    /// Parses the whole text.
    fn parse(mut self) -> Parsed<Path> {
        self.take('$');
        let mut steps = Vec::new();
        if !matches!(self.peek(), Some('.' | '[') | None) {
            steps.push(self.field()?);
        }
        self.steps(&mut steps)?;
        if self.peek().is_some() {
            return self.error("expected `.` or `[`");
        }
        Ok(Path { steps })
    }

    fn steps(&mut self, steps: &mut Vec<Step>) -> Parsed<()> {
        loop {
            if self.take('.') {
                match self.peek() {
                    // As in client-go, an empty name.
                    None | Some('[') => steps.push(Step::Field(String::new())),
                    Some('.') => {
                        self.skip('.');
                        steps.push(Step::Descent);
                        match self.peek() {
                            None | Some('[') => {}
                            Some('*') => return self.error("expected a name"),
                            _ => steps.push(self.field()?),
                        }
                    }
                    _ => steps.push(self.field()?),
                }
            } else if self.take('[') {
                self.bracket(steps)?;
            } else {
                return Ok(());
            }
        }
    }

    /// Parses a name up to the next dot or bracket; a backslash escapes the next character.
    fn field(&mut self) -> Parsed<Step> {
        let mut name = String::new();
        while let Some(c) = self.peek() {
            match c {
                '\\' => {
                    self.skip(c);
                    match self.peek() {
                        Some(escaped) => {
                            name.push(escaped);
                            self.skip(escaped);
                        }
                        None => return self.error("nothing follows the backslash"),
                    }
                }
                '.' | '[' | ']' | ',' | '$' | '@' | '{' | '}' | '(' | ')' | '=' | '!' | '<'
                | '>' => break,
                c if c.is_whitespace() => break,
                c => {
                    name.push(c);
                    self.skip(c);
                }
            }
        }
        match name.as_str() {
            "" => self.error("expected a name"),
            "*" => Ok(Step::All),
            _ => Ok(Step::Field(name)),
        }
    }

    /// Parses the inside of brackets and the closing one.
    fn bracket(&mut self, steps: &mut Vec<Step>) -> Parsed<()> {
        if self.take('?') {
            let filter = self.filter()?;
            self.expect(']', "expected `]`")?;
            steps.push(Step::Filter(Box::new(filter)));
            return Ok(());
        }
        let mut all = Vec::new();
        loop {
            let mut alternative = Vec::new();
            self.element(&mut alternative)?;
            all.push(Path { steps: alternative });
            if !self.take_spaced(',') {
                break;
            }
            self.spaces();
        }
        if all.len() > 1 {
            self.spaces();
        }
        if !self.take(']') {
            return self.error("expected `]`");
        }
        match all.as_mut_slice() {
            [one] => steps.append(&mut one.steps),
            _ => steps.push(Step::Union(all)),
        }
        Ok(())
    }

    /// Parses one alternative in brackets.
    fn element(&mut self, steps: &mut Vec<Step>) -> Parsed<()> {
        match self.peek() {
            Some('*') => {
                self.skip('*');
                steps.push(Step::Slice(None, None, None));
            }
            Some('\'') => self.key(steps)?,
            Some(']' | ',') => steps.push(Step::Item(0)),
            _ => {
                let from = self.integer()?;
                if self.take(':') {
                    let to = self.integer()?;
                    let by = if self.take(':') {
                        self.integer()?
                    } else {
                        None
                    };
                    steps.push(Step::Slice(from, to, by));
                } else if let Some(index) = from {
                    steps.push(Step::Item(index));
                } else {
                    return self.error(
                        "expected an index, a slice, `*`, a name in single quotes or a filter",
                    );
                }
            }
        }
        Ok(())
    }

    /// Parses a quoted key, whose unescaped dots separate names.
    fn key(&mut self, steps: &mut Vec<Step>) -> Parsed<()> {
        self.skip('\'');
        let Some(end) = self.rest().find('\'') else {
            self.at = self.text.len();
            return self.error("unclosed quote");
        };
        let mut inside = Self {
            text: &self.text[..self.at + end],
            at: self.at,
            depth: self.depth,
        };
        if inside.peek().is_none() {
            steps.push(Step::Field(String::new()));
        } else {
            steps.push(inside.field()?);
            inside.steps(steps)?;
        }
        if inside.peek().is_some() {
            return inside.error("expected `.` or `[`");
        }
        self.at += end + 1;
        Ok(())
    }

    fn filter(&mut self) -> Parsed<Filter> {
        self.depth += 1;
        if self.depth > DEPTH {
            return self.error("too many nested filters");
        }
        self.expect('(', "expected `(`")?;
        let left = self.operand()?;
        self.spaces();
        let filter = if let Some(operator) = self.operator() {
            Filter::Compare(left, operator, self.operand()?)
        } else if let Operand::Path(path) = left {
            Filter::Exists(path)
        } else {
            return self.error("expected a comparison");
        };
        self.expect(')', "expected `)`")?;
        self.depth -= 1;
        Ok(filter)
    }

    fn operator(&mut self) -> Option<Operator> {
        const ALL: [(&str, Operator); 6] = [
            ("==", Operator::Equal),
            ("!=", Operator::NotEqual),
            ("<=", Operator::LessEqual),
            (">=", Operator::GreaterEqual),
            ("<", Operator::Less),
            (">", Operator::Greater),
        ];
        let (text, operator) = ALL
            .into_iter()
            .find(|(text, _)| self.rest().starts_with(text))?;
        self.at += text.len();
        Some(operator)
    }

    fn operand(&mut self) -> Parsed<Operand> {
        self.spaces();
        match self.peek() {
            Some('@') => {
                self.skip('@');
                let mut steps = Vec::new();
                self.steps(&mut steps)?;
                Ok(Operand::Path(Path { steps }))
            }
            Some(quote @ ('\'' | '"')) => self.quoted(quote).map(Operand::Text),
            _ => {
                let end = self
                    .rest()
                    .find(|c: char| !(c.is_alphanumeric() || matches!(c, '+' | '-' | '.')))
                    .unwrap_or(self.rest().len());
                let word = &self.rest()[..end];
                let operand = match word {
                    "true" => Operand::Bool(true),
                    "false" => Operand::Bool(false),
                    _ => match (word.parse(), word.parse()) {
                        (Ok(int), _) => Operand::Int(int),
                        (_, Ok(float)) => Operand::Float(float),
                        // client-go reads a word, and fails when it compares.
                        _ if word.starts_with(char::is_alphabetic) => Operand::Word,
                        _ => {
                            return self
                                .error("expected `@`, a quoted text, a number, `true` or `false`");
                        }
                    },
                };
                self.at += end;
                Ok(operand)
            }
        }
    }

    fn quoted(&mut self, quote: char) -> Parsed<String> {
        self.skip(quote);
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.skip(c);
            match c {
                c if c == quote => return Ok(text),
                '\\' => {
                    let Some(escaped) = self.peek() else { break };
                    self.skip(escaped);
                    text.push(match escaped {
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        'u' => self.unicode()?,
                        other => other,
                    });
                }
                c => text.push(c),
            }
        }
        self.error("unclosed quote")
    }

    /// Parses the four digits after `\u`.
    fn unicode(&mut self) -> Parsed<char> {
        let digits = self.rest().get(..4);
        // The parser of integers takes a sign, too.
        let digits = digits.filter(|it| it.bytes().all(|it| it.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let Some(found) = code.and_then(char::from_u32) else {
            return self.error("expected four hexadecimal digits");
        };
        self.at += 4;
        Ok(found)
    }

    /// Parses an integer, if there is one.
    fn integer(&mut self) -> Parsed<Option<isize>> {
        let end = self
            .rest()
            .find(|c: char| !(c.is_ascii_digit() || c == '-'))
            .unwrap_or(self.rest().len());
        if end == 0 {
            return Ok(None);
        }
        match self.rest()[..end].parse() {
            Ok(value) => {
                self.at += end;
                Ok(Some(value))
            }
            Err(_) => self.error("invalid index"),
        }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self, c: char) {
        self.at += c.len_utf8();
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.skip(c);
        }
        found
    }

    fn take_spaced(&mut self, c: char) -> bool {
        self.spaces();
        self.take(c)
    }

    fn spaces(&mut self) {
        while let Some(c) = self.peek().filter(|c| c.is_whitespace()) {
            self.skip(c);
        }
    }

    fn expect(&mut self, c: char, problem: &'static str) -> Parsed<()> {
        if self.take_spaced(c) {
            Ok(())
        } else {
            self.error(problem)
        }
    }

    fn error<T>(&self, problem: &'static str) -> Parsed<T> {
        Err(PathError {
            path: self.text.to_owned(),
            at: self.at,
            problem,
        })
    }
}
