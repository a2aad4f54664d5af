//! Deserializes leaf types from buffered JSON; errors carry the path within the value.
use std::{iter::Enumerate, slice};

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, Visitor, value::BorrowedStrDeserializer,
};
use serde_json::{Number, Value};

use crate::{fault::Fault, floats::integral};

/// Reads a `T`; a second time for `IntOrString`, which rejects some numbers that the API server accepts.
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
        match self.json {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => visit_number(number, visitor),
            Value::String(_) => self.text(visitor),
            Value::Array(_) => self.items(visitor),
            Value::Object(_) => self.entries(visitor),
        }
    }

    fn text<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.json {
            Value::String(text) => visitor.visit_borrowed_str(text),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn items<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.json {
            Value::Array(items) => visitor.visit_seq(Items {
                items: items.iter().enumerate(),
                lenient: self.lenient,
            }),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn entries<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.json {
            Value::Object(entries) => visitor.visit_map(Entries {
                rest: entries.iter(),
                entry: None,
                lenient: self.lenient,
            }),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn integer<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.whole().map(i64::try_from) {
            Some(Ok(value)) => visitor.visit_i64(value),
            _ => self.visit(visitor),
        }
    }

    /// The integer that a number without a fraction is.
    fn whole(self) -> Option<i128> {
        let number = self.json.as_number()?;
        let whole = number.as_i64().map(i128::from);
        let whole = whole.or_else(|| number.as_u64().map(i128::from));
        whole.or_else(|| integral(number.as_f64()?))
    }

    #[cold]
    fn unexpected(self, expected: &dyn Expected) -> Fault {
        let found = match self.json {
            Value::Null => Unexpected::Unit,
            Value::Bool(value) => Unexpected::Bool(*value),
            Value::Number(number) => {
                let signed = number.as_i64().map(Unexpected::Signed);
                let whole = signed.or_else(|| number.as_u64().map(Unexpected::Unsigned));
                whole.unwrap_or_else(|| Unexpected::Float(number.as_f64().unwrap_or_default()))
            }
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        };
        Error::invalid_type(found, expected)
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

/// Lists the methods that pass the value on in one way. Where a type asks for one form, others are an error: code for them would be
/// compiled once more with each type.
macro_rules! by {
    ($($by:ident: $($method:ident($($argument:ty),*))*;)*) => {$($(
        fn $method<V: Visitor<'v>>(self, $(_: $argument,)* visitor: V) -> Result<V::Value, Fault> {
            self.$by(visitor)
        }
    )*)*};
}

impl<'v> Deserializer<'v> for Buffer<'v> {
    type Error = Fault;
    by! {
        integer:
            deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
            deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64();
        text: deserialize_char() deserialize_str() deserialize_string() deserialize_identifier();
        items: deserialize_seq() deserialize_tuple(usize) deserialize_tuple_struct(&'static str, usize);
        entries: deserialize_map() deserialize_struct(&'static str, &'static [&'static str]);
        visit:
            deserialize_bool() deserialize_i128() deserialize_u128() deserialize_f32() deserialize_f64()
            deserialize_bytes() deserialize_byte_buf() deserialize_unit() deserialize_unit_struct(&'static str);
    }
    fn deserialize_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.whole().filter(|_| self.lenient) {
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
