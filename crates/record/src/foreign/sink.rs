//! What a leaf writes to, and what it writes: both without types.
use super::super::Literal;
use super::Fault;
use super::adapt::{Meant, way_of};
use serde::ser::{Serialize, Serializer};

/// Takes one value: a literal, or the parts of an array or object between a begin and the end.
pub trait Sink {
    /// A literal.
    ///
    /// # Errors
    /// That it cannot be written; so for all here.
    fn literal(&mut self, literal: Literal<'_>) -> Result<(), Fault>;
    /// Begins an array.
    ///
    /// # Errors
    /// As [`Sink::literal`].
    fn begin_list(&mut self, len: Option<usize>) -> Result<(), Fault>;
    /// Begins an object.
    ///
    /// # Errors
    /// As [`Sink::literal`].
    fn begin_map(&mut self, len: Option<usize>) -> Result<(), Fault>;
    /// The next key of the object.
    ///
    /// # Errors
    /// As [`Sink::literal`].
    fn key(&mut self, key: &dyn Part) -> Result<(), Fault>;
    /// The value of the last key, or the next item.
    ///
    /// # Errors
    /// As [`Sink::literal`].
    fn part(&mut self, part: &dyn Part) -> Result<(), Fault>;
    /// Ends the array or object.
    ///
    /// # Errors
    /// As [`Sink::literal`].
    fn end(&mut self) -> Result<(), Fault>;
}

/// Anything that can be written to a sink.
pub trait Part {
    /// Writes it.
    ///
    /// # Errors
    /// As [`Sink::literal`].
    fn put(&self, to: &mut dyn Sink) -> Result<(), Fault>;
}

impl<T: Serialize + ?Sized> Part for &T {
    fn put(&self, to: &mut dyn Sink) -> Result<(), Fault> {
        put(*self, to)
    }
}

/// Writes a value of any type.
pub(super) fn put<T: Serialize + ?Sized>(value: &T, to: &mut dyn Sink) -> Result<(), Fault> {
    if way_of::<T>().is_some() {
        value.serialize(&mut Meant(to) as &mut dyn Sink)
    } else {
        value.serialize(to)
    }
}

/// A part as a value of serde.
pub(super) struct Erased<'a>(pub(super) &'a dyn Part);

impl Serialize for Erased<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut state = super::State::Ready(to);
        let result = self.0.put(&mut state);
        state.finish(result)
    }
}
