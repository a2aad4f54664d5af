//! Decodes an object without its `metadata.managedFields`, which few programs read, and which often are half of the object. They are skipped
//! in the text: nothing is allocated for them.
use std::{borrow::Cow, fmt};

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, MapAccess,
    SeqAccess, Visitor,
    value::{BorrowedStrDeserializer, CowStrDeserializer},
};

/// Decodes an object.
pub(super) fn without_managed_fields<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    object: D,
) -> Result<T, D::Error> {
    T::deserialize(At(Place::Object, object))
}

/// Where a value is in the object.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Object,
    Metadata,
}

/// A deserializer, a visitor or a seed of the value at a place.
struct At<T>(Place, T);

macro_rules! wrap_visitor {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {
        $(fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, Self::Error> {
            self.1.$method($($argument,)* At(self.0, visitor))
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for At<D> {
    type Error = D::Error;

    wrap_visitor! {
        deserialize_any() deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64() deserialize_i128()
        deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64() deserialize_u128() deserialize_f32() deserialize_f64()
        deserialize_char() deserialize_str() deserialize_string() deserialize_bytes() deserialize_byte_buf() deserialize_option()
        deserialize_unit() deserialize_unit_struct(name: &'static str) deserialize_newtype_struct(name: &'static str) deserialize_seq()
        deserialize_tuple(len: usize) deserialize_tuple_struct(name: &'static str, len: usize) deserialize_map()
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str]) deserialize_identifier() deserialize_ignored_any()
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

impl<'de, V: Visitor<'de>> Visitor<'de> for At<V> {
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
        self.1.visit_seq(items)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.1.visit_map(Entries {
            map,
            place: self.0,
            in_metadata: false,
        })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<V::Value, A::Error> {
        self.1.visit_enum(variant)
    }
}

/// The entries of the object, or of its metadata.
struct Entries<A> {
    map: A,
    place: Place,
    /// The next value is the metadata of the object.
    in_metadata: bool,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Entries<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.map.next_key_seed(Key)? {
            match self.place {
                Place::Metadata if key == "managedFields" => {
                    self.map.next_value::<IgnoredAny>()?;
                    continue;
                }
                Place::Metadata => {}
                Place::Object => self.in_metadata = key == "metadata",
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
        if self.in_metadata {
            self.map.next_value_seed(At(Place::Metadata, seed))
        } else {
            self.map.next_value_seed(seed)
        }
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for At<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<S::Value, D::Error> {
        self.1.deserialize(At(self.0, value))
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
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::{Resource, api::DynamicObject, core::PartialObjectMeta};
    use serde::Serialize;
    use serde_json::{Deserializer, Value, json};

    use super::*;

    fn decode<T: for<'de> Deserialize<'de>>(json: &str) -> Result<T, serde_json::Error> {
        without_managed_fields(&mut Deserializer::from_str(json))
    }

    fn decodes_like_the_object_without<T>()
    where
        T: Resource + Serialize + for<'de> Deserialize<'de>,
    {
        let managed = r#""managedFields":[{"manager":"m","fieldsV1":{"f:data":{".":{}}}}]"#;
        for (json, expected) in [
            (
                format!(r#"{{"metadata":{{{managed},"name":"a","labels":{{"x":"y"}}}}}}"#),
                r#"{"metadata":{"name":"a","labels":{"x":"y"}}}"#,
            ),
            (
                format!(r#"{{"metadata":{{"name":"a",{managed}}},"data":{{"managedFields":"1","metadata":"2"}}}}"#),
                r#"{"metadata":{"name":"a"},"data":{"managedFields":"1","metadata":"2"}}"#,
            ),
            (
                r#"{"meta\u0064ata":{"managed\u0046ields":3,"n\u0061me":"a","annotations":{"managedFields":"kept"}}}"#.to_owned(),
                r#"{"metadata":{"name":"a","annotations":{"managedFields":"kept"}}}"#,
            ),
            (format!(r#"{{"metadata":{{{managed}}}}}"#), r#"{"metadata":{}}"#),
            (r#"{"metadata":{}}"#.to_owned(), r#"{"metadata":{}}"#),
        ] {
            let decoded: T = decode(&json).unwrap();
            let plain: T = serde_json::from_str(expected).unwrap();
            let as_json = |object: &T| serde_json::to_value(object).unwrap();
            assert_eq!(as_json(&decoded), as_json(&plain), "{json}");
            assert!(decoded.meta().managed_fields.is_none());
        }
    }

    #[test]
    fn managed_fields_are_skipped_and_nothing_else() {
        decodes_like_the_object_without::<ConfigMap>();
        decodes_like_the_object_without::<DynamicObject>();
        decodes_like_the_object_without::<PartialObjectMeta<ConfigMap>>();
        let json = r#"{"metadata":{"managedFields":[],"a":[1,null,{"managedFields":true}]},"managedFields":1.5}"#;
        assert_eq!(
            decode::<Value>(json).unwrap(),
            json!({"metadata": {"a": [1, null, {"managedFields": true}]}, "managedFields": 1.5})
        );
    }

    #[test]
    fn what_is_not_an_object_is_decoded_as_before() {
        for json in [
            "null",
            "3",
            r#""text""#,
            "[{}]",
            r#"{"metadata":null}"#,
            r#"{"metadata":[1]}"#,
            r#"{"metadata":3,"data":{}}"#,
            r#"{"metadata":{"managedFields":[}}"#,
        ] {
            let plain = serde_json::from_str::<ConfigMap>(json);
            let decoded = decode::<ConfigMap>(json);
            assert_eq!(
                decoded.map_err(|error| error.to_string()).ok(),
                plain.ok(),
                "{json}"
            );
        }
    }
}
