//! A scalar on its way between a document and a value.

/// A scalar of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal<'a> {
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    UInt(u64),
    /// Any other number.
    Float(f64),
    /// A borrowed string.
    Str(&'a str),
    /// An owned string.
    String(String),
}

/// The reason why a literal does not fit a scalar.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Misfit {
    /// It has another type.
    Type,
    /// It has the right type, but is out of range or malformed.
    Value,
}

impl Literal<'_> {
    /// Parses a number as a JSON parser does.
    pub(super) fn number(digits: &str) -> Option<Self> {
        let unsigned = || digits.parse().ok().map(Literal::UInt);
        let signed = || digits.parse().ok().map(Literal::Int);
        let float = || {
            digits
                .parse()
                .ok()
                .filter(|f: &f64| f.is_finite())
                .map(Literal::Float)
        };
        unsigned().or_else(signed).or_else(float)
    }

    /// Returns the text of a string.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Literal::Str(text) => Some(text),
            Literal::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the name of the type for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Literal::Null => "null",
            Literal::Bool(_) => "boolean",
            Literal::Int(_) | Literal::UInt(_) => "integer",
            Literal::Float(_) => "number",
            Literal::Str(_) | Literal::String(_) => "string",
        }
    }

    /// Describes the literal for messages. Leaves out text, which may be long or secret.
    pub(super) fn describe(&self) -> String {
        match self {
            Literal::Bool(value) => format!("boolean {value}"),
            Literal::Int(value) => format!("integer {value}"),
            Literal::UInt(value) => format!("integer {value}"),
            Literal::Float(value) => format!("number {value}"),
            other => other.kind().to_owned(),
        }
    }
}

impl From<Literal<'_>> for serde_json::Value {
    fn from(literal: Literal<'_>) -> Self {
        match literal {
            Literal::Null => Self::Null,
            Literal::Bool(value) => value.into(),
            Literal::Int(value) => value.into(),
            Literal::UInt(value) => value.into(),
            Literal::Float(value) => value.into(),
            Literal::Str(text) => text.into(),
            Literal::String(text) => text.into(),
        }
    }
}
