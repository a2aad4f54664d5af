//! A visitor behind one that adapts literals to what a leaf has room for; see [`spelling`] for the two types that hold numbers as text.
use super::super::{Literal, scalars, spelling};
use super::Fault;
use super::access::{Entrance, Sequence};
use super::sink::{Part, Sink};
use super::source::Source;
use super::visit::Visit;
use std::any::type_name;
use std::fmt;

/// What is done to literals on their way to a leaf.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Way {
    /// An integer is asked for: a float without a fraction is one.
    Integer,
    /// Numbers are held as text.
    Quantity,
    /// Integers beyond 32 bits are held as text.
    IntOrString,
}

/// The way for a type of k8s-openapi that holds numbers as text.
///
/// Serde tells no name of an untagged value, so the type itself is asked.
pub(super) fn way_of<T: ?Sized>() -> Option<Way> {
    let name = type_name::<T>().trim_start_matches('&');
    if !name.starts_with("k8s_openapi::") {
        None
    } else if name.ends_with("::Quantity") {
        Some(Way::Quantity)
    } else if name.ends_with("::IntOrString") {
        Some(Way::IntOrString)
    } else {
        None
    }
}

/// A visitor, and how literals are adapted for it.
pub(super) struct Adapted<'v, 'de> {
    pub(super) visitor: &'v mut dyn Visit<'de>,
    pub(super) way: Way,
}

impl Way {
    fn adapt(self, literal: Literal<'_>) -> Literal<'_> {
        match (self, literal) {
            (Self::Quantity | Self::IntOrString, Literal::Str(text)) => {
                Literal::String(spelling::of_text(text.to_owned()))
            }
            (Self::Quantity | Self::IntOrString, Literal::String(text)) => {
                Literal::String(spelling::of_text(text))
            }
            (Self::Quantity, literal) => spelled(literal),
            (Self::Integer, literal) => integral(literal),
            (Self::IntOrString, literal) => {
                let literal = integral(literal);
                let is_wide = match &literal {
                    Literal::Int(value) => i32::try_from(*value).is_err(),
                    Literal::UInt(value) => i32::try_from(*value).is_err(),
                    _ => false,
                };
                if is_wide { spelled(literal) } else { literal }
            }
        }
    }
}

/// A number as the text that stands for it.
fn spelled(literal: Literal<'_>) -> Literal<'_> {
    match spelling::digits(&literal) {
        Some(digits) => Literal::String(spelling::of_number(&digits)),
        None => literal,
    }
}

/// A float without a fraction as an integer.
fn integral(literal: Literal<'_>) -> Literal<'_> {
    match literal {
        Literal::Float(value) => scalars::integral(value)
            .and_then(|it| i64::try_from(it).ok())
            .map_or(Literal::Float(value), Literal::Int),
        literal => literal,
    }
}

impl<'de> Visit<'de> for Adapted<'_, 'de> {
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }
    fn literal(&mut self, literal: Literal<'_>) -> Result<(), Fault> {
        self.visitor.literal(self.way.adapt(literal))
    }
    fn some(&mut self, from: &mut dyn Source<'de>) -> Result<(), Fault> {
        self.visitor.some(from)
    }
    fn seq(&mut self, items: &mut dyn Sequence<'de>) -> Result<(), Fault> {
        self.visitor.seq(items)
    }
    fn map(&mut self, entries: &mut dyn Entrance<'de>) -> Result<(), Fault> {
        self.visitor.map(entries)
    }
}

/// A sink that writes what a text stands for.
pub(super) struct Meant<'s>(pub(super) &'s mut dyn Sink);

impl Sink for Meant<'_> {
    fn literal(&mut self, literal: Literal<'_>) -> Result<(), Fault> {
        match literal.text() {
            Some(text) => self.0.literal(spelling::meant(text)),
            None => self.0.literal(literal),
        }
    }
    fn begin_list(&mut self, len: Option<usize>) -> Result<(), Fault> {
        self.0.begin_list(len)
    }
    fn begin_map(&mut self, len: Option<usize>) -> Result<(), Fault> {
        self.0.begin_map(len)
    }
    fn key(&mut self, key: &dyn Part) -> Result<(), Fault> {
        self.0.key(key)
    }
    fn part(&mut self, part: &dyn Part) -> Result<(), Fault> {
        self.0.part(part)
    }
    fn end(&mut self) -> Result<(), Fault> {
        self.0.end()
    }
}
