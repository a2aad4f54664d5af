//! Parsers of values that are listed for the completion of shells, or written in several ways.
use std::{ffi::OsStr, marker::PhantomData, path::PathBuf, str::FromStr};

use clap::builder::{PossibleValue, TypedValueParser};
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor, value},
};

use crate::base::options::{Allow, Conversion, Deny, Emitter, InvalidValue, Kubernetes, Override};

/// Parses a value with `FromStr`; shells complete the listed values.
#[derive(Clone)]
pub(super) struct Values<T> {
    all: Vec<PossibleValue>,
    of: PhantomData<T>,
}

impl<T> Values<T> {
    /// Creates a parser that lists these values.
    pub(super) fn new(all: impl IntoIterator<Item = &'static str>) -> Self {
        Self {
            all: all.into_iter().map(PossibleValue::new).collect(),
            of: PhantomData,
        }
    }
}

impl<T: FromStr<Err = InvalidValue> + Clone + Send + Sync + 'static> TypedValueParser
    for Values<T>
{
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        let parse: fn(&str) -> Result<T, InvalidValue> = T::from_str;
        parse.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.all.iter().cloned()))
    }
}

/// The value of a key in the config file.
pub(super) trait ConfigValue: Sized {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

macro_rules! plain {
    ($($ty:ty),*) => {$(
        impl ConfigValue for $ty {
            fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::deserialize(deserializer)
            }
        }
    )*};
}

plain!(bool, PathBuf, Kubernetes);

/// An item of a list.
trait Item<'de>: Deserialize<'de> {}

impl Item<'_> for String {}
impl Item<'_> for PathBuf {}
impl Item<'_> for Emitter {}
impl Item<'_> for Allow {}
impl Item<'_> for Deny {}
impl Item<'_> for Override {}
impl Item<'_> for Conversion {}

/// A list, or its only item.
impl<T: for<'de> Item<'de>> ConfigValue for Vec<T> {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMany(PhantomData))
    }
}

struct OneOrMany<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMany<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vec<T>, E> {
        T::deserialize(value::StrDeserializer::new(text)).map(|it| vec![it])
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Vec<T>, A::Error> {
        T::deserialize(value::MapAccessDeserializer::new(map)).map(|it| vec![it])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element()? {
            all.push(item);
        }
        Ok(all)
    }
}

/// Reads the value of a key that is present.
pub(super) fn given<'de, D: Deserializer<'de>, T: ConfigValue>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::read(deserializer).map(Some)
}
