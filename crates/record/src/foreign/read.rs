//! The erased source as a serde deserializer: what the serde code of a leaf calls.
use super::Fault;
use super::access::{Entrance, Sequence};
use super::adapt::{Adapted, Way, way_of};
use super::source::{Hint, Source};
use super::visit::Waiting;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};

/// Asks for an integer, whatever its width: the leaf knows.
macro_rules! integers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            let mut waiting = Waiting::new(visitor);
            let visitor = &mut waiting;
            self.read(Hint::Any, &mut Adapted { visitor, way: Way::Integer })?;
            waiting.result()
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut dyn Source<'de> {
    type Error = Fault;
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let mut waiting = Waiting::new(visitor);
        match way_of::<V::Value>() {
            None => self.read(Hint::Any, &mut waiting)?,
            Some(way) => self.read(
                Hint::Any,
                &mut Adapted {
                    visitor: &mut waiting,
                    way,
                },
            )?,
        }
        waiting.result()
    }
    integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let mut waiting = Waiting::new(visitor);
        self.read(Hint::Option, &mut waiting)?;
        waiting.result()
    }
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }
    /// Enums with data do not occur in Kubernetes types.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let text = String::deserialize(self)?;
        visitor.visit_enum(text.into_deserializer())
    }
    serde::forward_to_deserialize_any! {
        bool i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

impl<'de> SeqAccess<'de> for &mut dyn Sequence<'de> {
    type Error = Fault;
    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        let mut waiting = Waiting::new(seed);
        if self.next(&mut waiting)? {
            waiting.result().map(Some)
        } else {
            Ok(None)
        }
    }
}

impl<'de> MapAccess<'de> for &mut dyn Entrance<'de> {
    type Error = Fault;
    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        let mut waiting = Waiting::new(seed);
        if self.key(&mut waiting)? {
            waiting.result().map(Some)
        } else {
            Ok(None)
        }
    }
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let mut waiting = Waiting::new(seed);
        self.value(&mut waiting)?;
        waiting.result()
    }
}
