//! The items of a real array and the entries of a real object behind erased ones: remembers index and key for paths, reads over what is left.
use super::super::Literal;
pub(super) use super::super::keys::NUMBER;
use super::Fault;
use super::key::Key;
use super::literals::OneLiteral;
use super::source::Pending;
use super::visit::Seed;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess};

/// The items of an array.
pub trait Sequence<'de> {
    /// Reads the next item; `false` at the end.
    ///
    /// # Errors
    /// What the seed says, or that the document cannot be read.
    fn next(&mut self, seed: &mut dyn Seed<'de>) -> Result<bool, Fault>;
}

/// The entries of an object.
pub trait Entrance<'de> {
    /// Reads the next key; `false` at the end.
    ///
    /// # Errors
    /// What the seed says, or that the document cannot be read.
    fn key(&mut self, seed: &mut dyn Seed<'de>) -> Result<bool, Fault>;
    /// Reads the value of the last key.
    ///
    /// # Errors
    /// What the seed says, or that the document cannot be read.
    fn value(&mut self, seed: &mut dyn Seed<'de>) -> Result<(), Fault>;
}

/// A value of an array or an object; what the seed objects to is set aside.
struct Plant<'p, 'de> {
    seed: &'p mut dyn Seed<'de>,
    fault: &'p mut Option<Fault>,
}

impl<'de> DeserializeSeed<'de> for Plant<'_, 'de> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        let mut pending = Pending::new(from);
        let result = self.seed.plant(&mut pending);
        *self.fault = pending.settle(result)?;
        Ok(())
    }
}

pub(super) struct Items<'de, A: SeqAccess<'de>> {
    seq: A,
    index: usize,
    failed: Option<A::Error>,
}

impl<'de, A: SeqAccess<'de>> Items<'de, A> {
    pub(super) fn new(seq: A) -> Self {
        Self {
            seq,
            index: 0,
            failed: None,
        }
    }

    /// As [`Pending::settle`].
    pub(super) fn settle(mut self, result: Result<(), Fault>) -> Result<Option<Fault>, A::Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if result.is_err() {
            while self.seq.next_element::<IgnoredAny>()?.is_some() {}
        }
        Ok(result.err())
    }
}

impl<'de, A: SeqAccess<'de>> Sequence<'de> for Items<'de, A> {
    fn next(&mut self, seed: &mut dyn Seed<'de>) -> Result<bool, Fault> {
        let mut fault = None;
        match self.seq.next_element_seed(Plant {
            seed,
            fault: &mut fault,
        }) {
            Ok(None) => Ok(false),
            Ok(Some(())) => {
                let index = self.index;
                self.index += 1;
                fault.map_or(Ok(true), |fault| Err(fault.in_item(index)))
            }
            Err(error) => {
                self.failed = Some(error);
                Err(Fault::outside())
            }
        }
    }
}

pub(super) struct Entries<'de, A: MapAccess<'de>> {
    map: A,
    /// The last key read.
    key: Key,
    /// The key was read ahead: the leaf has not seen it.
    ahead: bool,
    /// The value of the last key is still to be read.
    value_waits: bool,
    failed: Option<A::Error>,
}

impl<'de, A: MapAccess<'de>> Entries<'de, A> {
    /// Reads the first key ahead, since it tells whether this is an object at all.
    pub(super) fn new(mut map: A) -> Result<Self, A::Error> {
        let mut key = Key::default();
        let some = map.next_key_seed(&mut key)?.is_some();
        Ok(Self {
            map,
            key,
            ahead: some,
            value_waits: some,
            failed: None,
        })
    }

    pub(super) fn waiting_key(&self) -> Option<&str> {
        self.ahead.then(|| self.key.as_str())
    }

    /// The value of the waiting key.
    pub(super) fn into_value<T: Deserialize<'de>>(mut self) -> Result<T, A::Error> {
        let value = self.map.next_value()?;
        while self.map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(value)
    }

    /// As [`Pending::settle`].
    pub(super) fn settle(mut self, result: Result<(), Fault>) -> Result<Option<Fault>, A::Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.value_waits {
            self.map.next_value::<IgnoredAny>()?;
        }
        if result.is_err() {
            while self.map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        }
        Ok(result.err())
    }

    fn outside(&mut self, error: A::Error) -> Fault {
        self.failed = Some(error);
        Fault::outside()
    }
}

impl<'de, A: MapAccess<'de>> Entrance<'de> for Entries<'de, A> {
    fn key(&mut self, seed: &mut dyn Seed<'de>) -> Result<bool, Fault> {
        if !std::mem::take(&mut self.ahead) {
            match self.map.next_key_seed(&mut self.key) {
                Ok(Some(())) => self.value_waits = true,
                Ok(None) => return Ok(false),
                Err(error) => return Err(self.outside(error)),
            }
        }
        seed.plant(&mut OneLiteral::new(Literal::Str(self.key.as_str())))?;
        Ok(true)
    }
    fn value(&mut self, seed: &mut dyn Seed<'de>) -> Result<(), Fault> {
        let mut fault = None;
        match self.map.next_value_seed(Plant {
            seed,
            fault: &mut fault,
        }) {
            Ok(()) => {
                self.value_waits = false;
                fault.map_or(Ok(()), |fault| Err(fault.in_field(self.key.as_str())))
            }
            Err(error) => Err(self.outside(error)),
        }
    }
}
