//! Reads a rule (CEL) as a condition on presence. Functions and values that say nothing about presence are unknown; a text that is
//! not understood gives no condition.
use super::combinators::Find;
use super::expression::{Comparison, Expr};
use crate::model::tokens::{Token, tokens};

/// The deepest nesting that is read.
const MOST_DEPTH: usize = 64;

/// The most parts that the macros of a rule expand to: each copies its body for each element of a list, and a short rule nests them.
const MOST_PARTS: usize = 20_000;

/// What becomes of a rule.
#[derive(Debug, PartialEq)]
pub(super) enum Read {
    Condition(Expr),
    /// It is not understood.
    Nothing,
    /// Its macros expand to too much.
    TooLarge,
}

/// Reads the condition of a rule.
pub(super) fn condition(rule: &str, find: Find<'_>) -> Read {
    let Some(tokens) = tokens(rule) else {
        return Read::Nothing;
    };
    let mut parser = RuleParser {
        tokens,
        at: 0,
        depth: 0,
        parts: Some(MOST_PARTS),
        find,
    };
    match parser.expression() {
        Some(expr) if parser.at == parser.tokens.len() => Read::Condition(expr),
        _ if parser.parts.is_none() => Read::TooLarge,
        _ => Read::Nothing,
    }
}

struct RuleParser<'a> {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// How many parts macros may still expand to; none if that was not enough.
    parts: Option<usize>,
    find: Find<'a>,
}

impl RuleParser<'_> {
    /// Takes what an expansion needs; none if there is not enough left.
    fn spend(&mut self, parts: usize) -> Option<()> {
        self.parts = self.parts?.checked_sub(parts);
        self.parts.map(|_| ())
    }

    fn symbol(&self) -> &str {
        match self.tokens.get(self.at) {
            Some(Token::Symbol(symbol)) => symbol,
            _ => "",
        }
    }

    fn take(&mut self, symbol: &str) -> bool {
        let is_next = self.symbol() == symbol;
        self.at += usize::from(is_next);
        is_next
    }

    fn name(&mut self) -> Option<String> {
        let Some(Token::Name(name)) = self.tokens.get(self.at) else {
            return None;
        };
        self.at += 1;
        Some(name.clone())
    }

    fn expression(&mut self) -> Option<Expr> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return None;
        }
        let condition = self.any()?;
        let expr = if self.take("?") {
            let then = self.any()?;
            if !self.take(":") {
                return None;
            }
            let other = self.expression()?;
            Expr::If(Box::new(condition), Box::new(then), Box::new(other))
        } else {
            condition
        };
        self.depth -= 1;
        Some(expr)
    }

    fn any(&mut self) -> Option<Expr> {
        let mut parts = vec![self.all()?];
        while self.take("||") {
            parts.push(self.all()?);
        }
        joined(parts, Expr::Any)
    }

    fn all(&mut self) -> Option<Expr> {
        let mut parts = vec![self.relation()?];
        while self.take("&&") {
            parts.push(self.relation()?);
        }
        joined(parts, Expr::All)
    }

    fn relation(&mut self) -> Option<Expr> {
        let mut left = self.sum()?;
        loop {
            let operator = match self.tokens.get(self.at) {
                Some(Token::Symbol(symbol)) => symbol.as_str(),
                Some(Token::Name(name)) if name == "in" => "in",
                _ => return Some(left),
            };
            let operator = match operator {
                "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" => operator.to_owned(),
                _ => return Some(left),
            };
            self.at += 1;
            let right = self.sum()?;
            let compare = |how, a, b| Expr::Compare(how, Box::new(a), Box::new(b));
            left = match operator.as_str() {
                "==" => left.equal(right),
                "!=" => left.equal(right).not(),
                "<" => compare(Comparison::Less, left, right),
                "<=" => compare(Comparison::LessOrEqual, left, right),
                ">" => compare(Comparison::Less, right, left),
                ">=" => compare(Comparison::LessOrEqual, right, left),
                _ => match right {
                    Expr::List(values) => {
                        self.spend(left.size().saturating_mul(values.len()))?;
                        let equal = values.into_iter().map(|value| left.clone().equal(value));
                        Expr::Any(equal.collect())
                    }
                    _ => Expr::Unknown,
                },
            };
        }
    }

    fn sum(&mut self) -> Option<Expr> {
        let mut parts = vec![self.product()?];
        let mut is_sum = true;
        loop {
            if self.take("-") {
                is_sum = false;
            } else if !self.take("+") {
                break;
            }
            parts.push(self.product()?);
        }
        if is_sum {
            joined(parts, Expr::Sum)
        } else {
            Some(Expr::Unknown)
        }
    }

    fn product(&mut self) -> Option<Expr> {
        let mut expr = self.unary()?;
        while self.take("*") || self.take("/") || self.take("%") {
            self.unary()?;
            expr = Expr::Unknown;
        }
        Some(expr)
    }

    fn unary(&mut self) -> Option<Expr> {
        if self.take("-") {
            return Some(match self.member()? {
                Expr::Int(value) => Expr::Int(value.checked_neg()?),
                _ => Expr::Unknown,
            });
        }
        let mut is_negated = false;
        while self.take("!") {
            is_negated = !is_negated;
        }
        let expr = self.member()?;
        Some(if is_negated { expr.not() } else { expr })
    }

    fn member(&mut self) -> Option<Expr> {
        let mut expr = self.primary()?;
        loop {
            if self.take(".") {
                let is_optional = self.take("?");
                let name = self.name()?;
                expr = if self.take("(") {
                    let arguments = self.list(")")?.0;
                    self.method(expr, &name, &arguments)?
                } else if expr == Expr::Object {
                    match (self.find)(&unescaped(&name)) {
                        Some(field) if is_optional => Expr::Optional(field),
                        Some(field) => Expr::Field(field),
                        None => Expr::Unknown,
                    }
                } else {
                    Expr::Unknown
                };
            } else if self.take("[") {
                self.take("?");
                self.expression()?;
                if !self.take("]") {
                    return None;
                }
                expr = Expr::Unknown;
            } else {
                return Some(expr);
            }
        }
    }

    fn primary(&mut self) -> Option<Expr> {
        let token = self.tokens.get(self.at)?.clone();
        self.at += 1;
        match token {
            Token::Int(value) => Some(Expr::Int(value)),
            Token::Text(text) => Some(Expr::Text(text)),
            Token::Other(_) => Some(Expr::Unknown),
            Token::Name(name) => Some(match name.as_str() {
                "true" => Expr::Bool(true),
                "false" => Expr::Bool(false),
                "null" => Expr::Unknown,
                _ if self.take("(") => {
                    let arguments = self.list(")")?.0;
                    function(&name, &arguments)
                }
                "self" => Expr::Object,
                _ => Expr::Variable(name),
            }),
            Token::Symbol(symbol) => match symbol.as_str() {
                "(" => {
                    let inner = self.expression()?;
                    self.take(")").then_some(inner)
                }
                "[" => {
                    let (values, optional) = self.list("]")?;
                    Some(if optional == 0 {
                        Expr::List(values)
                    } else if optional == values.len() {
                        Expr::Filtered(values.iter().map(present).collect())
                    } else {
                        Expr::Unknown
                    })
                }
                "{" => {
                    self.map()?;
                    Some(Expr::Unknown)
                }
                "." => self.name().map(|_| Expr::Unknown),
                _ => None,
            },
        }
    }

    fn method(&mut self, on: Expr, name: &str, arguments: &[Expr]) -> Option<Expr> {
        Some(match (&on, name, arguments) {
            (Expr::Optional(_), "hasValue", []) => present(&on),
            (list, "size", []) => size(list),
            (Expr::List(values), "sum", []) => Expr::Sum(values.clone()),
            (Expr::List(values), _, [Expr::Variable(variable), then]) => {
                let sizes: usize = values.iter().map(Expr::size).sum();
                self.spend(then.size().saturating_mul(sizes))?;
                let each = values.iter().map(|value| then.with(variable, value));
                let each: Vec<Expr> = each.map(settled).collect();
                match name {
                    "filter" => Expr::Filtered(each),
                    "exists_one" | "existsOne" => Expr::exactly_one(each),
                    "exists" => Expr::Any(each),
                    "all" => Expr::All(each),
                    "map" => Expr::List(each),
                    _ => Expr::Unknown,
                }
            }
            // A method of the variable of a macro: what it is called on is known once the variable is replaced.
            (Expr::Variable(_), "hasValue", []) => on,
            _ => Expr::Unknown,
        })
    }

    /// Reads expressions up to a symbol; also returns how many of them are optional.
    fn list(&mut self, end: &str) -> Option<(Vec<Expr>, usize)> {
        let mut values = Vec::new();
        let mut optional = 0;
        while !self.take(end) {
            optional += usize::from(self.take("?"));
            values.push(self.expression()?);
            if !self.take(",") && self.symbol() != end {
                return None;
            }
        }
        Some((values, optional))
    }

    /// Reads the entries of a map.
    fn map(&mut self) -> Option<()> {
        while !self.take("}") {
            self.take("?");
            self.expression()?;
            if !self.take(":") {
                return None;
            }
            self.expression()?;
            if !self.take(",") && self.symbol() != "}" {
                return None;
            }
        }
        Some(())
    }
}

/// Joins several parts; a single one is itself.
fn joined(mut parts: Vec<Expr>, join: fn(Vec<Expr>) -> Expr) -> Option<Expr> {
    if parts.len() > 1 {
        return Some(join(parts));
    }
    parts.pop()
}

fn function(name: &str, arguments: &[Expr]) -> Expr {
    match (name, arguments) {
        ("has", [Expr::Field(field)]) => Expr::Has(*field),
        ("size", [list]) => size(list),
        _ => Expr::Unknown,
    }
}

/// Takes `x.hasValue()` of an optional value for its presence.
fn settled(expr: Expr) -> Expr {
    match expr {
        Expr::Optional(_) => present(&expr),
        Expr::Not(inner) => settled(*inner).not(),
        other => other,
    }
}

fn size(list: &Expr) -> Expr {
    match list {
        Expr::Filtered(conditions) => Expr::Count(conditions.clone()),
        Expr::List(values) => i64::try_from(values.len()).map_or(Expr::Unknown, Expr::Int),
        _ => Expr::Unknown,
    }
}

fn present(value: &Expr) -> Expr {
    match value {
        Expr::Optional(field) => Expr::Has(*field),
        _ => Expr::Unknown,
    }
}

/// Returns the name of a property, which a rule writes with escapes where CEL does not allow it.
fn unescaped(name: &str) -> String {
    let mut plain = String::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once("__") {
        plain.push_str(before);
        let Some((word, next)) = after.split_once("__") else {
            return plain + "__" + after;
        };
        match word {
            "underscores" => plain.push_str("__"),
            "dot" => plain.push('.'),
            "dash" => plain.push('-'),
            "slash" => plain.push('/'),
            keyword => plain.push_str(keyword),
        }
        rest = next;
    }
    plain + rest
}
