//! Deserializes leaf types from buffered JSON; errors carry the path within the value.
use std::{iter::Enumerate, slice};

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
    Visitor, value::BorrowedStrDeserializer,
};
use serde_json::{Number, Value};

use super::Fault;
use crate::scalars::integral;

/// Reads a `T`; a second time for `IntOrString`, which refuses some numbers that the API server accepts.
pub(super) fn read<T: DeserializeOwned>(json: &Value) -> Result<T, Fault> {
    let from = |lenient| T::deserialize(Buffer { json, lenient });
    from(false).or_else(|_| from(true))
}

#[derive(Clone, Copy)]
struct Buffer<'v> {
    json: &'v Value,
    /// Where any type fits, float `3.0` is the integer 3, and an integer beyond 32 bits is text.
    lenient: bool,
}

impl<'v> Buffer<'v> {
    fn visit<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Fault> {
        let Self { json, lenient } = self;
        match json {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => visit_number(number, visitor),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visitor.visit_seq(Items {
                items: items.iter().enumerate(),
                lenient,
            }),
            Value::Object(entries) => visitor.visit_map(Entries {
                rest: entries.iter(),
                entry: None,
                lenient,
            }),
        }
    }

    /// The integer that a number without a fraction is.
    fn integer(self) -> Option<i128> {
        let number = self.json.as_number()?;
        let whole = number.as_i64().map(i128::from);
        let whole = whole.or_else(|| number.as_u64().map(i128::from));
        whole.or_else(|| integral(number.as_f64()?))
    }
}

fn visit_number<'v, V: Visitor<'v>>(number: &Number, visitor: V) -> Result<V::Value, Fault> {
    if let Some(value) = number.as_i64() {
        visitor.visit_i64(value)
    } else if let Some(value) = number.as_u64() {
        visitor.visit_u64(value)
    } else {
        visitor.visit_f64(number.as_f64().unwrap_or_default())
    }
}

macro_rules! integers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Fault> {
            match self.integer().map(i64::try_from) {
                Some(Ok(value)) => visitor.visit_i64(value),
                _ => self.visit(visitor),
            }
        }
    )*};
}

macro_rules! as_they_are {
    ($($method:ident($($argument:ty),*))*) => {$(
        fn $method<V: Visitor<'v>>(self, $(_: $argument,)* visitor: V) -> Result<V::Value, Fault> {
            self.visit(visitor)
        }
    )*};
}

impl<'v> Deserializer<'v> for Buffer<'v> {
    type Error = Fault;
    integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }
    as_they_are! {
        deserialize_bool() deserialize_i128() deserialize_u128() deserialize_f32() deserialize_f64() deserialize_char()
        deserialize_str() deserialize_string() deserialize_bytes() deserialize_byte_buf() deserialize_identifier()
        deserialize_unit() deserialize_unit_struct(&'static str) deserialize_seq() deserialize_tuple(usize)
        deserialize_tuple_struct(&'static str, usize) deserialize_map()
        deserialize_struct(&'static str, &'static [&'static str])
    }
    fn deserialize_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.integer().filter(|_| self.lenient) {
            Some(value) => match i32::try_from(value) {
                Ok(value) => visitor.visit_i32(value),
                Err(_) => visitor.visit_string(value.to_string()),
            },
            None => self.visit(visitor),
        }
    }
    fn deserialize_ignored_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }
    fn deserialize_option<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.json {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }
    fn deserialize_newtype_struct<V: Visitor<'v>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }
    /// Kubernetes types have no enums with data.
    fn deserialize_enum<V: Visitor<'v>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let text: String = serde::Deserialize::deserialize(self)?;
        visitor.visit_enum(text.into_deserializer())
    }
}

struct Items<'v> {
    items: Enumerate<slice::Iter<'v, Value>>,
    lenient: bool,
}

impl<'v> SeqAccess<'v> for Items<'v> {
    type Error = Fault;
    fn next_element_seed<S: DeserializeSeed<'v>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        let Some((index, json)) = self.items.next() else {
            return Ok(None);
        };
        let lenient = self.lenient;
        let value = seed.deserialize(Buffer { json, lenient });
        value.map(Some).map_err(|fault| fault.in_item(index))
    }
    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Entries<'v> {
    rest: serde_json::map::Iter<'v>,
    /// The entry whose key was read last.
    entry: Option<(&'v str, &'v Value)>,
    lenient: bool,
}

impl<'v> MapAccess<'v> for Entries<'v> {
    type Error = Fault;
    fn next_key_seed<S: DeserializeSeed<'v>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        let Some((key, json)) = self.rest.next() else {
            return Ok(None);
        };
        self.entry = Some((key, json));
        seed.deserialize(BorrowedStrDeserializer::new(key))
            .map(Some)
    }
    fn next_value_seed<S: DeserializeSeed<'v>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let (key, json) = self.entry.take().ok_or_else(Fault::protocol)?;
        let lenient = self.lenient;
        let value = seed.deserialize(Buffer { json, lenient });
        value.map_err(|fault| fault.in_field(key))
    }
}
