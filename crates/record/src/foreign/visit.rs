//! A real visitor or seed in front of the erased ones (instantiated per leaf type): erased events in, the leaf's value out.
use super::super::Literal;
use super::Fault;
use super::access::{Entrance, Sequence};
use super::source::Source;
use serde::de::{DeserializeSeed, Visitor};
use std::fmt;

/// Takes the one value that a document has at this place.
pub trait Visit<'de> {
    /// Says what fits.
    ///
    /// # Errors
    /// Those of the formatter.
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    /// A literal.
    ///
    /// # Errors
    /// That it does not fit.
    fn literal(&mut self, literal: Literal<'_>) -> Result<(), Fault>;
    /// A value that could have been `null`.
    ///
    /// # Errors
    /// That it does not fit.
    fn some(&mut self, from: &mut dyn Source<'de>) -> Result<(), Fault>;
    /// An array.
    ///
    /// # Errors
    /// That it does not fit.
    fn seq(&mut self, items: &mut dyn Sequence<'de>) -> Result<(), Fault>;
    /// An object.
    ///
    /// # Errors
    /// That it does not fit.
    fn map(&mut self, entries: &mut dyn Entrance<'de>) -> Result<(), Fault>;
}

/// Reads one value in a way known to the leaf.
pub trait Seed<'de> {
    /// Reads it.
    ///
    /// # Errors
    /// That it does not fit, or cannot be read.
    fn plant(&mut self, from: &mut dyn Source<'de>) -> Result<(), Fault>;
}

/// What serde hands over by value, and what comes out of it.
pub(super) struct Waiting<T, O> {
    input: Option<T>,
    output: Option<O>,
}

impl<T, O> Waiting<T, O> {
    pub(super) fn new(input: T) -> Self {
        Self {
            input: Some(input),
            output: None,
        }
    }
    fn take(&mut self) -> Result<T, Fault> {
        self.input.take().ok_or_else(Fault::protocol)
    }
    pub(super) fn result(self) -> Result<O, Fault> {
        self.output.ok_or_else(Fault::protocol)
    }
}

impl<'de, V: Visitor<'de>> Visit<'de> for Waiting<V, V::Value> {
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.input
            .as_ref()
            .map_or(Ok(()), |visitor| visitor.expecting(f))
    }
    fn literal(&mut self, literal: Literal<'_>) -> Result<(), Fault> {
        let visitor = self.take()?;
        self.output = Some(match literal {
            Literal::Null => visitor.visit_unit(),
            Literal::Bool(value) => visitor.visit_bool(value),
            Literal::Int(value) => visitor.visit_i64(value),
            Literal::UInt(value) => visitor.visit_u64(value),
            Literal::Float(value) => visitor.visit_f64(value),
            Literal::Str(value) => visitor.visit_str(value),
            Literal::String(value) => visitor.visit_string(value),
        }?);
        Ok(())
    }
    fn some(&mut self, from: &mut dyn Source<'de>) -> Result<(), Fault> {
        self.output = Some(self.take()?.visit_some(from)?);
        Ok(())
    }
    fn seq(&mut self, items: &mut dyn Sequence<'de>) -> Result<(), Fault> {
        self.output = Some(self.take()?.visit_seq(items)?);
        Ok(())
    }
    fn map(&mut self, entries: &mut dyn Entrance<'de>) -> Result<(), Fault> {
        self.output = Some(self.take()?.visit_map(entries)?);
        Ok(())
    }
}

impl<'de, S: DeserializeSeed<'de>> Seed<'de> for Waiting<S, S::Value> {
    fn plant(&mut self, from: &mut dyn Source<'de>) -> Result<(), Fault> {
        self.output = Some(self.take()?.deserialize(from)?);
        Ok(())
    }
}
