//! A real deserializer behind the erased one (instantiated per deserializer): what the leaf asks for in, the events of the document out.
use super::super::Literal;
use super::Fault;
use super::access::{Entries, Items, NUMBER};
use super::visit::Visit;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// What a leaf asks for. All else is taken as it comes: the leaf, not the deserializer, finds what does not fit, so that reading goes on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Hint {
    /// Whatever comes.
    Any,
    /// A value or `null`.
    Option,
}

/// One value, still to be read.
pub trait Source<'de> {
    /// Reads it; at most once.
    ///
    /// # Errors
    /// What the visitor says, or that the document cannot be read.
    fn read(&mut self, hint: Hint, visitor: &mut dyn Visit<'de>) -> Result<(), Fault>;
}

/// A deserializer that waits to be asked.
pub(super) struct Pending<'de, D: Deserializer<'de>> {
    from: Option<D>,
    failed: Option<D::Error>,
    /// It is known to hold a value and not `null`.
    present: bool,
}

impl<'de, D: Deserializer<'de>> Pending<'de, D> {
    pub(super) fn new(from: D) -> Self {
        Self {
            from: Some(from),
            failed: None,
            present: false,
        }
    }

    pub(super) fn present(from: D) -> Self {
        Self {
            present: true,
            ..Self::new(from)
        }
    }

    /// Tells errors of the deserializer from what the leaf objected to, and reads over what nobody asked for.
    pub(super) fn settle(self, result: Result<(), Fault>) -> Result<Option<Fault>, D::Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if let Some(from) = self.from {
            from.deserialize_ignored_any(IgnoredAny)?;
        }
        Ok(result.err())
    }
}

impl<'de, D: Deserializer<'de>> Source<'de> for Pending<'de, D> {
    fn read(&mut self, hint: Hint, visitor: &mut dyn Visit<'de>) -> Result<(), Fault> {
        if self.present && hint == Hint::Option {
            self.present = false;
            return visitor.some(self);
        }
        let from = self.from.take().ok_or_else(Fault::protocol)?;
        let mut fault = None;
        let events = Events {
            visitor,
            fault: &mut fault,
        };
        let result = match hint {
            Hint::Any => from.deserialize_any(events),
            Hint::Option => from.deserialize_option(events),
        };
        if let Err(error) = result {
            self.failed = Some(error);
            return Err(Fault::outside());
        }
        fault.map_or(Ok(()), Err)
    }
}

/// Passes events on. What the visitor objects to is set aside and its input read over, so that the deserializer goes on in good order.
struct Events<'e, 'de> {
    visitor: &'e mut dyn Visit<'de>,
    fault: &'e mut Option<Fault>,
}

impl Events<'_, '_> {
    fn literal(self, literal: Literal<'_>) {
        *self.fault = self.visitor.literal(literal).err();
    }
}

impl<'de> Visitor<'de> for Events<'_, 'de> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }
    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.literal(Literal::Bool(value));
        Ok(())
    }
    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.literal(Literal::Int(value));
        Ok(())
    }
    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.literal(Literal::UInt(value));
        Ok(())
    }
    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.literal(Literal::Float(value));
        Ok(())
    }
    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.literal(Literal::Str(value));
        Ok(())
    }
    fn visit_string<E>(self, value: String) -> Result<(), E> {
        self.literal(Literal::String(value));
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        self.literal(Literal::Null);
        Ok(())
    }
    fn visit_none<E>(self) -> Result<(), E> {
        self.literal(Literal::Null);
        Ok(())
    }
    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        let mut pending = Pending::new(from);
        let result = self.visitor.some(&mut pending);
        *self.fault = pending.settle(result)?;
        Ok(())
    }
    fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        let mut items = Items::new(seq);
        let result = self.visitor.seq(&mut items);
        *self.fault = items.settle(result)?;
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let mut entries = Entries::new(map)?;
        if entries.waiting_key() == Some(NUMBER) {
            let digits: String = entries.into_value()?;
            let number = Literal::number(&digits)
                .ok_or_else(|| A::Error::custom("a number out of all range"))?;
            self.literal(number);
            return Ok(());
        }
        let result = self.visitor.map(&mut entries);
        *self.fault = entries.settle(result)?;
        Ok(())
    }
}
