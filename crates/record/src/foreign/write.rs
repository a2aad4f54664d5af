//! The erased sink as a serde serializer: what the serde code of a leaf calls.
use super::super::Literal;
use super::Fault;
use super::sink::Sink;
use serde::ser::{
    Error, Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple,
    SerializeTupleStruct, Serializer,
};

/// What has no place in the JSON of Kubernetes objects.
#[cold]
fn unsupported<T>(what: &str) -> Result<T, Fault> {
    Err(Fault::custom(format_args!(
        "{what} cannot be part of a Kubernetes object"
    )))
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
    fn serialize_i8(self, value: i8) -> Result<(), Fault> {
        self.literal(Literal::Int(value.into()))
    }
    fn serialize_i16(self, value: i16) -> Result<(), Fault> {
        self.literal(Literal::Int(value.into()))
    }
    fn serialize_i32(self, value: i32) -> Result<(), Fault> {
        self.literal(Literal::Int(value.into()))
    }
    fn serialize_i64(self, value: i64) -> Result<(), Fault> {
        self.literal(Literal::Int(value))
    }
    fn serialize_u8(self, value: u8) -> Result<(), Fault> {
        self.literal(Literal::UInt(value.into()))
    }
    fn serialize_u16(self, value: u16) -> Result<(), Fault> {
        self.literal(Literal::UInt(value.into()))
    }
    fn serialize_u32(self, value: u32) -> Result<(), Fault> {
        self.literal(Literal::UInt(value.into()))
    }
    fn serialize_u64(self, value: u64) -> Result<(), Fault> {
        self.literal(Literal::UInt(value))
    }
    fn serialize_f32(self, value: f32) -> Result<(), Fault> {
        self.literal(Literal::Float(super::super::scalars::widen(value)))
    }
    fn serialize_f64(self, value: f64) -> Result<(), Fault> {
        self.literal(Literal::Float(value))
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
    /// The number of fields is no promise that each is written.
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

impl SerializeSeq for &mut dyn Sink {
    type Ok = ();
    type Error = Fault;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        self.part(&value)
    }
    fn end(self) -> Result<(), Fault> {
        Sink::end(self)
    }
}

impl SerializeTuple for &mut dyn Sink {
    type Ok = ();
    type Error = Fault;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        self.part(&value)
    }
    fn end(self) -> Result<(), Fault> {
        Sink::end(self)
    }
}

impl SerializeTupleStruct for &mut dyn Sink {
    type Ok = ();
    type Error = Fault;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        self.part(&value)
    }
    fn end(self) -> Result<(), Fault> {
        Sink::end(self)
    }
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
