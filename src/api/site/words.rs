//! Says in words what a simple CEL rule asks for, where its author gave no message.
use crate::{
    model::tokens::{self, Token as Written},
    output::emit,
};

/// Returns a sentence as Markdown; none for a rule that uses more than comparisons, `has` and logic.
pub(super) fn of(rule: &str) -> Option<String> {
    let tokens = tokens(rule)?;
    if matches!(tokens.as_slice(), [Token::Path(a), Token::Sign("=="), Token::Path(b)] if a != b && is_self(a) && is_self(b))
    {
        return Some("Cannot be changed.".to_owned());
    }
    let mut parser = Parser {
        tokens: &tokens,
        depth: 0,
    };
    let words = parser.any()?;
    if !parser.tokens.is_empty() {
        return None;
    }
    let mut letters = words.text.chars();
    let first = letters.next()?;
    Some(format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

fn is_self(path: &str) -> bool {
    matches!(path, "self" | "oldSelf")
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// `self`, `oldSelf`, or a field of one; a function is one, too.
    Path(String),
    /// A number, text or constant.
    Literal(String),
    Sign(&'static str),
}

fn tokens(rule: &str) -> Option<Vec<Token>> {
    const SIGNS: [&str; 15] = [
        "&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "(", ")", "[", "]", ",", "-",
    ];
    let mut found = Vec::new();
    let mut all = tokens::tokens(rule)?.into_iter().peekable();
    while let Some(token) = all.next() {
        found.push(match token {
            Written::Name(name) if matches!(&*name, "true" | "false" | "null") => {
                Token::Literal(name)
            }
            Written::Name(mut path) => {
                let is_dot = |token: &Written| *token == Written::Symbol(".".to_owned());
                while all.next_if(is_dot).is_some() {
                    let Some(Written::Name(field)) = all.next() else {
                        return None;
                    };
                    path.push('.');
                    path.push_str(&field);
                }
                Token::Path(path)
            }
            Written::Int(number) => Token::Literal(number.to_string()),
            Written::Other(number) if number.starts_with(|c: char| c.is_ascii_digit()) => {
                Token::Literal(number)
            }
            Written::Other(_) => return None,
            Written::Text(text) => Token::Literal(text),
            Written::Symbol(symbol) => Token::Sign(SIGNS.into_iter().find(|sign| *sign == symbol)?),
        });
    }
    Some(found)
}

/// A condition in words.
struct Words {
    text: String,
    /// The opposite, where it has words of its own.
    opposite: Option<String>,
    /// Whether it is one condition.
    simple: bool,
}

/// The deepest nesting that has words.
const MOST_DEPTH: usize = 32;

struct Parser<'t> {
    tokens: &'t [Token],
    depth: usize,
}

impl Parser<'_> {
    fn take(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.tokens.first(), Some(Token::Sign(next)) if *next == sign);
        if is_next {
            self.tokens = &self.tokens[1..];
        }
        is_next
    }

    /// Conditions of which one must hold.
    fn any(&mut self) -> Option<Words> {
        let mut all = vec![self.all()?];
        while self.take("||") {
            all.push(self.all()?);
        }
        if all.len() == 1 {
            return all.pop();
        }
        // `!a || b` is `b` if `a`.
        let text = match all.as_slice() {
            [when, then] if when.opposite.is_some() && when.text.contains(" not ") => {
                format!("if {}, {}", when.opposite.as_deref()?, then.text)
            }
            [one, other] if one.simple && other.simple => {
                format!("{}, or {}", one.text, other.text)
            }
            all if all.iter().all(|it| it.simple) => {
                let texts: Vec<&str> = all.iter().map(|it| it.text.as_str()).collect();
                format!("one of these holds: {}", texts.join("; "))
            }
            _ => return None,
        };
        Some(Words {
            text,
            opposite: None,
            simple: false,
        })
    }

    /// Conditions that must all hold.
    fn all(&mut self) -> Option<Words> {
        let mut all = vec![self.one()?];
        while self.take("&&") {
            all.push(self.one()?);
        }
        if all.len() == 1 {
            return all.pop();
        }
        if !all.iter().all(|it| it.simple) {
            return None;
        }
        let texts: Vec<String> = all.into_iter().map(|it| it.text).collect();
        Some(Words {
            text: texts.join(", and "),
            opposite: None,
            simple: true,
        })
    }

    fn one(&mut self) -> Option<Words> {
        self.depth += 1;
        let words = if self.depth > MOST_DEPTH {
            None
        } else {
            self.condition()
        };
        self.depth -= 1;
        words
    }

    fn condition(&mut self) -> Option<Words> {
        if self.take("!") {
            let inner = self.one()?;
            return Some(Words {
                text: inner.opposite?,
                opposite: Some(inner.text),
                simple: true,
            });
        }
        if self.take("(") {
            let inner = self.any()?;
            return self.take(")").then_some(inner);
        }
        if let [
            Token::Path(has),
            Token::Sign("("),
            Token::Path(path),
            Token::Sign(")"),
            rest @ ..,
        ] = self.tokens
            && has == "has"
        {
            self.tokens = rest;
            let name = value(path);
            return Some(simple(
                format!("{name} is set"),
                format!("{name} is not set"),
            ));
        }
        let left = self.operand()?;
        let (is, is_not) = match self.tokens.first() {
            Some(Token::Sign("==")) => ("is", "is not"),
            Some(Token::Sign("!=")) => ("is not", "is"),
            Some(Token::Sign("<=")) => ("is at most", "is more than"),
            Some(Token::Sign(">=")) => ("is at least", "is less than"),
            Some(Token::Sign("<")) => ("is less than", "is at least"),
            Some(Token::Sign(">")) => ("is more than", "is at most"),
            Some(Token::Path(word)) if word == "in" => ("is one of", "is not one of"),
            _ => return None,
        };
        self.tokens = &self.tokens[1..];
        let right = self.operand()?;
        Some(simple(
            format!("{left} {is} {right}"),
            format!("{left} {is_not} {right}"),
        ))
    }

    fn operand(&mut self) -> Option<String> {
        if self.take("[") {
            let mut items = vec![self.operand()?];
            while self.take(",") {
                items.push(self.operand()?);
            }
            return self.take("]").then(|| items.join(", "));
        }
        let minus = if self.take("-") { "-" } else { "" };
        let (token, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        match token {
            Token::Literal(text) => Some(emit::span(&format!("{minus}{text}"))),
            Token::Path(function) if function == "size" => {
                let [
                    Token::Sign("("),
                    Token::Path(path),
                    Token::Sign(")"),
                    rest @ ..,
                ] = self.tokens
                else {
                    return None;
                };
                self.tokens = rest;
                Some(format!("the size of {}", value(path)))
            }
            Token::Path(path) => {
                let Some(of) = path.strip_suffix(".size") else {
                    let is_value = !matches!(self.tokens.first(), Some(Token::Sign("(" | "[")));
                    return (is_value && is_ours(path)).then(|| value(path));
                };
                (self.take("(") && self.take(")") && is_ours(of))
                    .then(|| format!("the size of {}", value(of)))
            }
            Token::Sign(_) => None,
        }
    }
}

fn simple(text: String, opposite: String) -> Words {
    Words {
        text,
        opposite: Some(opposite),
        simple: true,
    }
}

fn is_ours(path: &str) -> bool {
    is_self(path.split('.').next().unwrap_or(path))
}

/// Returns a value by its path.
fn value(path: &str) -> String {
    match path.split_once('.') {
        None if path == "oldSelf" => "the old value".to_owned(),
        None => "the value".to_owned(),
        Some(("oldSelf", field)) => format!("the old {}", emit::span(field)),
        Some((_, field)) => emit::span(field),
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn simple_rules_have_words() {
        for (rule, words) in [
            ("self == oldSelf", "Cannot be changed."),
            ("self.min <= self.max", "`min` is at most `max`."),
            (
                "has(self.a) && !has(self.b)",
                "`a` is set, and `b` is not set.",
            ),
            (
                "!has(self.a) || self.b.size() > 3",
                "If `a` is set, the size of `b` is more than `3`.",
            ),
            ("has(self.a) || has(self.b)", "`a` is set, or `b` is set."),
            ("self.kind in ['A', 'B']", "`kind` is one of `A`, `B`."),
            (
                "!(self.a == 'x') || has(self.b)",
                "If `a` is `x`, `b` is set.",
            ),
            ("self.a >= oldSelf.a", "`a` is at least the old `a`."),
            ("size(self) < 4", "The size of the value is less than `4`."),
            ("self > -1", "The value is more than `-1`."),
        ] {
            assert_eq!(of(rule).as_deref(), Some(words), "{rule}");
        }
    }

    #[test]
    fn other_rules_have_none() {
        for rule in [
            "self.all(x, x > 1)",
            "self.a ? true : false",
            "self.a + 1 < 2",
            "quantity(self.a).isGreaterThan(1)",
            "(has(self.a) || has(self.b)) && has(self.c)",
            "'it\\'s' == self.a",
            "has(self.a",
            "",
            "é",
        ] {
            assert_eq!(of(rule), None, "{rule}");
        }
    }
}
