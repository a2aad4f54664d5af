//! Decodes the objects of caches: from the server, and from the compact form. Usually without their `metadata.managedFields`, which few programs read, and which often are half of the object: they are skipped
//! in the text, and nothing is allocated for them. Lists get their final size at once.
use std::{borrow::Cow, cell::Cell, fmt, ops::Range, sync::Arc};

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess,
    VariantAccess, Visitor,
    value::{BorrowedStrDeserializer, CowStrDeserializer},
};
use serde_json::value::RawValue;

use super::Shared;
use super::lengths::Lengths;
use crate::Object;

/// The [`Read`](super::Read) of a kind.
pub(crate) fn read<K: Object>(
    text: &str,
    managed_fields: bool,
) -> serde_json::Result<(Shared, Range<usize>)> {
    let (object, skipped): (K, _) = object(text, managed_fields)?;
    Ok((Arc::new(object), skipped))
}

/// Decodes an object, with its managed fields or without. Returns where they are, if they were skipped.
pub(super) fn object<'de, T: Deserialize<'de>>(
    text: &'de str,
    managed_fields: bool,
) -> Result<(T, Range<usize>), serde_json::Error> {
    let (lengths, skipped) = (Lengths::of(text), Cell::default());
    let context = Context {
        lengths: &lengths,
        skipped: &skipped,
        section: if managed_fields {
            Section::Inside
        } else {
            Section::Object
        },
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let object = T::deserialize(At(context, &mut deserializer))?;
    deserializer.end()?;
    let (address, length) = skipped.get();
    let start = address.saturating_sub(text.as_ptr().addr());
    Ok((object, start..start + length))
}

/// Where a value is in the object.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    Object,
    Metadata,
    /// Anywhere else.
    Inside,
}

#[derive(Clone, Copy)]
struct Context<'c> {
    lengths: &'c Lengths,
    /// Address and length of the managed fields that were skipped.
    skipped: &'c Cell<(usize, usize)>,
    section: Section,
}

impl Context<'_> {
    /// Returns the context of the parts of a value.
    fn inside(self) -> Self {
        Self {
            section: Section::Inside,
            ..self
        }
    }
}

/// A deserializer, a visitor, a seed or a part of a value.
struct At<'c, T>(Context<'c>, T);

/// The name by which `serde_json` recognises [`RawValue`].
const RAW: &str = "$serde_json::private::RawValue";

macro_rules! wrap_visitor {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {
        $(fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, Self::Error> {
            self.1.$method($($argument,)* At(self.0, visitor))
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for At<'_, D> {
    type Error = D::Error;

    wrap_visitor! {
        deserialize_any() deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64() deserialize_i128()
        deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64() deserialize_u128() deserialize_f32() deserialize_f64()
        deserialize_char() deserialize_str() deserialize_string() deserialize_bytes() deserialize_byte_buf() deserialize_option()
        deserialize_unit() deserialize_unit_struct(name: &'static str) deserialize_seq()
        deserialize_tuple(len: usize) deserialize_tuple_struct(name: &'static str, len: usize) deserialize_map()
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str]) deserialize_identifier()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        if name != RAW {
            return self.1.deserialize_newtype_struct(name, At(self.0, visitor));
        }
        let raw = <&RawValue>::deserialize(self.1)?;
        self.0.lengths.pass(raw.get());
        raw.deserialize_newtype_struct(name, visitor)
            .map_err(Error::custom)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let raw = <&RawValue>::deserialize(self.1)?;
        self.0.lengths.pass(raw.get());
        visitor.visit_unit()
    }

    fn is_human_readable(&self) -> bool {
        self.1.is_human_readable()
    }
}

macro_rules! forward {
    ($($method:ident($type:ty))*) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.1.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for At<'_, V> {
    type Value = V::Value;

    forward! {
        visit_bool(bool) visit_i64(i64) visit_i128(i128) visit_u64(u64) visit_u128(u128) visit_f64(f64) visit_char(char) visit_str(&str)
        visit_borrowed_str(&'de str) visit_string(String) visit_bytes(&[u8]) visit_borrowed_bytes(&'de [u8]) visit_byte_buf(Vec<u8>)
    }

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.1.expecting(f)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.1.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.1.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        self.1.visit_some(At(self.0, value))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        self.1.visit_newtype_struct(At(self.0, value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        let remaining = self.0.lengths.take();
        self.1.visit_seq(Items {
            inner: items,
            remaining,
            context: self.0.inside(),
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.1.visit_map(Entries {
            map,
            context: self.0,
            in_metadata: false,
        })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<V::Value, A::Error> {
        self.1.visit_enum(At(self.0.inside(), variant))
    }
}

/// The items of a list of known length.
struct Items<'c, A> {
    inner: A,
    remaining: Option<usize>,
    context: Context<'c>,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Items<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.remaining = self.remaining.map(|remaining| remaining.saturating_sub(1));
        self.inner.next_element_seed(At(self.context, seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.remaining
    }
}

/// The entries of the object, of its metadata, or of another map.
struct Entries<'c, A> {
    map: A,
    context: Context<'c>,
    /// The next value is the metadata of the object.
    in_metadata: bool,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Entries<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        if self.context.section == Section::Inside {
            return self.map.next_key_seed(seed);
        }
        while let Some(key) = self.map.next_key_seed(Key)? {
            match self.context.section {
                Section::Metadata if key == "managedFields" => {
                    let raw = self.map.next_value::<&RawValue>()?;
                    let text = raw.get();
                    self.context.lengths.pass(text);
                    self.context.skipped.set((text.as_ptr().addr(), text.len()));
                    continue;
                }
                Section::Object => self.in_metadata = key == "metadata",
                Section::Metadata | Section::Inside => {}
            }
            return match key {
                Cow::Borrowed(key) => seed.deserialize(BorrowedStrDeserializer::new(key)),
                key @ Cow::Owned(_) => seed.deserialize(CowStrDeserializer::new(key)),
            }
            .map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let section = if self.in_metadata {
            Section::Metadata
        } else {
            Section::Inside
        };
        let context = Context {
            section,
            ..self.context
        };
        self.map.next_value_seed(At(context, seed))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for At<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<S::Value, D::Error> {
        self.1.deserialize(At(self.0, value))
    }
}

impl<'c, 'de, A: EnumAccess<'de>> EnumAccess<'de> for At<'c, A> {
    type Error = A::Error;
    type Variant = At<'c, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let (value, variant) = self.1.variant_seed(seed)?;
        Ok((value, At(self.0, variant)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for At<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.1.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.1.newtype_variant_seed(At(self.0, seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.1.tuple_variant(len, At(self.0, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.1.struct_variant(fields, At(self.0, visitor))
    }
}

/// Reads a key, without a copy if it has no escapes.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Self::Value, D::Error> {
        key.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

#[cfg(test)]
#[path = "skip_tests.rs"]
mod tests;
