//! Where a leaf type writes to: a sink in front of a serializer.
use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::{
    fault::Fault,
    literal::Literal,
    value::{Part, Sink},
};

impl<T: Serialize + ?Sized> Part for &T {
    fn put(&self, to: &mut dyn Sink) -> Result<(), Fault> {
        self.serialize(to)
    }
}

/// The progress of a serializer.
pub(super) enum State<S: Serializer> {
    Ready(S),
    List(S::SerializeSeq),
    Map(S::SerializeMap),
    Done(S::Ok),
    Failed(S::Error),
    /// Placeholder between two states.
    Taken,
}

impl<S: Serializer> State<S> {
    fn take(&mut self) -> Self {
        std::mem::replace(self, Self::Taken)
    }

    fn advance(&mut self, next: Result<Self, S::Error>) -> Result<(), Fault> {
        match next {
            Ok(state) => {
                *self = state;
                Ok(())
            }
            Err(error) => {
                *self = Self::Failed(error);
                Err(Fault::outside())
            }
        }
    }

    fn keep(&mut self, result: Result<(), S::Error>) -> Result<(), Fault> {
        result.map_err(|error| {
            *self = Self::Failed(error);
            Fault::outside()
        })
    }

    /// Returns the result of the serializer, or its own error if it failed.
    pub(super) fn finish(self, result: Result<(), Fault>) -> Result<S::Ok, S::Error> {
        match (self, result) {
            (Self::Failed(error), _) => Err(error),
            (Self::Done(ok), Ok(())) => Ok(ok),
            (_, Err(fault)) => Err(S::Error::custom(fault)),
            (_, Ok(())) => Err(S::Error::custom(Fault::protocol())),
        }
    }
}

impl<S: Serializer> Sink for State<S> {
    fn literal(&mut self, literal: Literal<'_>) -> Result<(), Fault> {
        let Self::Ready(to) = self.take() else {
            return Err(Fault::protocol());
        };
        let result = match literal {
            Literal::Null => to.serialize_unit(),
            Literal::Bool(value) => to.serialize_bool(value),
            Literal::Int(value) => to.serialize_i64(value),
            Literal::UInt(value) => to.serialize_u64(value),
            Literal::Float(value) => to.serialize_f64(value),
            Literal::Str(value) => to.serialize_str(value),
            Literal::String(value) => to.serialize_str(&value),
        };
        self.advance(result.map(Self::Done))
    }
    fn begin_list(&mut self, len: Option<usize>) -> Result<(), Fault> {
        let Self::Ready(to) = self.take() else {
            return Err(Fault::protocol());
        };
        self.advance(to.serialize_seq(len).map(Self::List))
    }
    fn begin_map(&mut self, len: Option<usize>) -> Result<(), Fault> {
        let Self::Ready(to) = self.take() else {
            return Err(Fault::protocol());
        };
        self.advance(to.serialize_map(len).map(Self::Map))
    }
    fn key(&mut self, key: &dyn Part) -> Result<(), Fault> {
        let Self::Map(map) = self else {
            return Err(Fault::protocol());
        };
        let result = map.serialize_key(&Erased(key));
        self.keep(result)
    }
    fn part(&mut self, part: &dyn Part) -> Result<(), Fault> {
        let result = match self {
            Self::Map(map) => map.serialize_value(&Erased(part)),
            Self::List(list) => list.serialize_element(&Erased(part)),
            _ => return Err(Fault::protocol()),
        };
        self.keep(result)
    }
    fn end(&mut self) -> Result<(), Fault> {
        let result = match self.take() {
            Self::Map(map) => map.end(),
            Self::List(list) => list.end(),
            _ => return Err(Fault::protocol()),
        };
        self.advance(result.map(Self::Done))
    }
}

/// Implements `Serialize` for a part.
pub(super) struct Erased<'a>(pub(super) &'a dyn Part);

impl Serialize for Erased<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut state = State::Ready(to);
        let result = self.0.put(&mut state);
        state.finish(result)
    }
}
