//! Leaf types: types with serde impls of their own, such as those of `k8s-openapi`.
//!
//! Their serde code is compiled once, whatever the format: it reads from a buffered `serde_json::Value` and writes to a [`Sink`](crate::value::Sink).
mod buffer;
mod serializer;
mod sink;

use serde::{
    de::DeserializeOwned,
    ser::{Serialize, Serializer},
};

use crate::{
    fault::Fault,
    report::Report,
    value::{Foreign, Sink, Value},
};

impl<T: Value + Serialize + DeserializeOwned> Foreign for T {
    fn read(&mut self, json: &serde_json::Value) -> Result<(), Fault> {
        *self = buffer::read(json)?;
        Ok(())
    }
    fn write(&self, to: &mut dyn Sink) -> Result<(), Fault> {
        self.serialize(to)
    }
    fn clear(&mut self) {
        *self = T::blank();
    }
}

/// Reads a leaf, and reports a value that does not fit.
pub(super) fn read(leaf: &mut dyn Foreign, json: &serde_json::Value, report: &mut Report) {
    if let Err(fault) = leaf.read(json) {
        report.add(fault.path, fault.message);
    }
}

/// Writes a leaf.
pub(super) fn write<S: Serializer>(leaf: &dyn Foreign, to: S) -> Result<S::Ok, S::Error> {
    let mut state = sink::State::Ready(to);
    let result = leaf.write(&mut state);
    state.finish(result)
}
