//! Leaves with serde impls of their own, as the types of `k8s-openapi`: their generic code is instantiated once, over an erased (de)serializer that allocates nothing.
//!
//! The real (de)serializer is behind [`Source`] and [`Sink`]. What serde hands over by value (deserializers, visitors, seeds) waits in an
//! `Option` until the other side takes it.
mod access;
mod adapt;
mod fault;
mod key;
mod literals;
mod read;
mod sink;
mod source;
mod state;
mod visit;
mod write;

pub use fault::Fault;
pub use sink::Sink;
pub use source::Source;

use super::report::Report;
use super::{Literal, Value};
use literals::OneLiteral;
use serde::de::{DeserializeOwned, Deserializer};
use serde::ser::{Serialize, Serializer};
use source::Pending;
use state::State;

/// A value with serde impls of its own. Implemented for all that is [`Value`], `Serialize` and `DeserializeOwned`.
pub trait Foreign {
    /// Reads the value.
    ///
    /// # Errors
    /// What the type says of a document that does not fit, or that the document cannot be read.
    fn read(&mut self, from: &mut dyn Source<'_>) -> Result<(), Fault>;
    /// Writes the value.
    ///
    /// # Errors
    /// What the type says, or that it cannot be written.
    fn write(&self, to: &mut dyn Sink) -> Result<(), Fault>;
    /// Takes what stands for an absent value.
    fn clear(&mut self);
}

impl<T: Value + Serialize + DeserializeOwned> Foreign for T {
    fn read(&mut self, from: &mut dyn Source<'_>) -> Result<(), Fault> {
        *self = T::deserialize(from)?;
        Ok(())
    }
    fn write(&self, to: &mut dyn Sink) -> Result<(), Fault> {
        sink::put(self, to)
    }
    fn clear(&mut self) {
        *self = T::blank();
    }
}

/// Reads a leaf that is an array or an object. What it objects to goes to the report, the rest of its input is read over: only errors of the deserializer are errors.
pub(super) fn read<'de, D: Deserializer<'de>>(
    leaf: &mut dyn Foreign,
    from: D,
    report: &mut Report,
) -> Result<(), D::Error> {
    let mut pending = Pending::present(from);
    let result = leaf.read(&mut pending);
    if let Some(fault) = pending.settle(result)? {
        report.add(fault.path, fault.message);
    }
    Ok(())
}

/// Reads a leaf that is one literal.
pub(super) fn read_literal(leaf: &mut dyn Foreign, literal: Literal<'_>, report: &mut Report) {
    if let Err(fault) = leaf.read(&mut OneLiteral::new(literal)) {
        report.add(fault.path, fault.message);
    }
}

/// Writes a leaf.
pub(super) fn write<S: Serializer>(leaf: &dyn Foreign, to: S) -> Result<S::Ok, S::Error> {
    let mut state = State::Ready(to);
    let result = leaf.write(&mut state);
    state.finish(result)
}
