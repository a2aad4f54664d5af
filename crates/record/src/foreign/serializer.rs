//! Implements `Serializer` for a sink: what the serde code of a leaf type calls.
use serde::ser::{
    Error, Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple,
    SerializeTupleStruct, Serializer,
};

use crate::{fault::Fault, floats::widen, literal::Literal, value::Sink};

/// The error for what the JSON of Kubernetes objects cannot hold.
#[cold]
fn unsupported<T>(what: &str) -> Result<T, Fault> {
    Err(Fault::custom(format_args!(
        "{what} cannot be part of a Kubernetes object"
    )))
}

macro_rules! numbers {
    ($($method:ident($type:ty) => $literal:ident)*) => {$(
        fn $method(self, value: $type) -> Result<(), Fault> {
            self.literal(Literal::$literal(value.into()))
        }
    )*};
}

impl Serializer for &mut dyn Sink {
    type Ok = ();
    type Error = Fault;
    type SerializeSeq = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Impossible<(), Fault>;
    type SerializeStructVariant = Impossible<(), Fault>;
    fn serialize_bool(self, value: bool) -> Result<(), Fault> {
        self.literal(Literal::Bool(value))
    }
    numbers! {
        serialize_i8(i8) => Int
        serialize_i16(i16) => Int
        serialize_i32(i32) => Int
        serialize_i64(i64) => Int
        serialize_u8(u8) => UInt
        serialize_u16(u16) => UInt
        serialize_u32(u32) => UInt
        serialize_u64(u64) => UInt
        serialize_f64(f64) => Float
    }
    fn serialize_f32(self, value: f32) -> Result<(), Fault> {
        self.literal(Literal::Float(widen(value)))
    }
    fn serialize_char(self, value: char) -> Result<(), Fault> {
        self.literal(Literal::Str(value.encode_utf8(&mut [0; 4])))
    }
    fn serialize_str(self, value: &str) -> Result<(), Fault> {
        self.literal(Literal::Str(value))
    }
    fn serialize_bytes(self, _: &[u8]) -> Result<(), Fault> {
        unsupported("bytes")
    }
    fn serialize_none(self) -> Result<(), Fault> {
        self.literal(Literal::Null)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Fault> {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Result<(), Fault> {
        self.literal(Literal::Null)
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Fault> {
        self.literal(Literal::Null)
    }
    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Fault> {
        self.literal(Literal::Str(variant))
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Fault> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Fault> {
        self.begin_map(Some(1))?;
        self.key(&variant)?;
        self.part(&value)?;
        self.end()
    }
    fn serialize_seq(self, len: Option<usize>) -> Result<Self, Fault> {
        self.begin_list(len)?;
        Ok(self)
    }
    fn serialize_tuple(self, len: usize) -> Result<Self, Fault> {
        self.serialize_seq(Some(len))
    }
    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<Self, Fault> {
        self.serialize_seq(Some(len))
    }
    fn serialize_map(self, len: Option<usize>) -> Result<Self, Fault> {
        self.begin_map(len)?;
        Ok(self)
    }
    /// Writes without a length, since fields may be skipped.
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Fault> {
        self.serialize_map(None)
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Fault> {
        unsupported("an enum with several values")
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Fault> {
        unsupported("an enum with fields")
    }
}

macro_rules! lists {
    ($($trait:ident: $method:ident)*) => {$(
        impl $trait for &mut dyn Sink {
            type Ok = ();
            type Error = Fault;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
                self.part(&value)
            }
            fn end(self) -> Result<(), Fault> {
                Sink::end(self)
            }
        }
    )*};
}

lists! {
    SerializeSeq: serialize_element
    SerializeTuple: serialize_element
    SerializeTupleStruct: serialize_field
}

impl SerializeMap for &mut dyn Sink {
    type Ok = ();
    type Error = Fault;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Fault> {
        self.key(&key)
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        self.part(&value)
    }
    fn end(self) -> Result<(), Fault> {
        Sink::end(self)
    }
}

impl SerializeStruct for &mut dyn Sink {
    type Ok = ();
    type Error = Fault;
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Fault> {
        self.key(&key)?;
        self.part(&value)
    }
    fn end(self) -> Result<(), Fault> {
        Sink::end(self)
    }
}
