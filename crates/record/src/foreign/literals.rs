//! One literal as a source for a leaf.
use super::super::Literal;
use super::Fault;
use super::source::{Hint, Source};
use super::visit::Visit;

pub(super) struct OneLiteral<'a> {
    literal: Option<Literal<'a>>,
}

impl<'a> OneLiteral<'a> {
    pub(super) fn new(literal: Literal<'a>) -> Self {
        Self {
            literal: Some(literal),
        }
    }
}

impl<'de> Source<'de> for OneLiteral<'_> {
    fn read(&mut self, hint: Hint, visitor: &mut dyn Visit<'de>) -> Result<(), Fault> {
        if hint == Hint::Option && !matches!(self.literal, Some(Literal::Null)) {
            return visitor.some(self);
        }
        visitor.literal(self.literal.take().ok_or_else(Fault::protocol)?)
    }
}
