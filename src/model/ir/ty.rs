//! What a field holds.
use super::{Segment, TypeId};
use serde_json::Value;
use std::ops::RangeInclusive;

/// The type of a field, an item or a map value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// A type that contains no other one.
    Scalar(Scalar),
    /// `array`
    List(Box<Ty>),
    /// `object` with `additionalProperties`
    Map(Box<Ty>),
    /// An item or a map value that may be null. A field has its [`Presence`](super::Presence) instead.
    Nullable(Box<Ty>),
    /// A type of the model.
    Named(TypeId),
    /// A type of another crate, by its Rust path: one of `k8s-openapi`, or that of an override.
    External(String),
}

/// A type that contains no other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `boolean`
    Bool,
    /// `integer`
    Int(IntWidth),
    /// `number`: a 64-bit integer or a float, as it is on the wire
    Number,
    /// `string`
    Str,
    /// `string` of format `byte`: base64 on the wire
    Bytes,
    /// `string` of format `date-time`: the text on the wire is kept
    Time,
    /// `x-kubernetes-int-or-string`
    IntOrString,
    /// A string, or a number, with Kubernetes' pattern of quantities
    Quantity,
    /// Any JSON
    Json,
    /// `ObjectMeta` of Kubernetes
    ObjectMeta,
}

/// Width of an integer, from its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntWidth {
    /// `int8`
    I8,
    /// `int16`
    I16,
    /// `int32`
    I32,
    /// `int64`, or no format
    I64,
    /// `uint8`
    U8,
    /// `uint16`
    U16,
    /// `uint32`
    U32,
    /// `uint64`
    U64,
}

impl Ty {
    /// Raw JSON.
    pub const JSON: Self = Self::Scalar(Scalar::Json);
    /// A string.
    pub const STR: Self = Self::Scalar(Scalar::Str);
    /// The metadata of an object.
    pub const OBJECT_META: Self = Self::Scalar(Scalar::ObjectMeta);

    /// Returns the integer type of a width.
    pub const fn int(width: IntWidth) -> Self {
        Self::Scalar(Scalar::Int(width))
    }

    /// Returns the type of the model inside lists, maps and null.
    pub fn named(&self) -> Option<TypeId> {
        match self {
            Self::Named(id) => Some(*id),
            Self::List(inner) | Self::Map(inner) | Self::Nullable(inner) => inner.named(),
            Self::Scalar(_) | Self::External(_) => None,
        }
    }

    /// Returns the reference to a type of the model inside lists, maps and null, mutably.
    pub fn named_mut(&mut self) -> Option<&mut Self> {
        match self {
            Self::Named(_) => Some(self),
            Self::List(inner) | Self::Map(inner) | Self::Nullable(inner) => inner.named_mut(),
            Self::Scalar(_) | Self::External(_) => None,
        }
    }

    /// Returns what a list or a map holds, and the step of a schema path to it.
    pub fn element(&self) -> Option<(Segment, &Self)> {
        match self {
            Self::List(inner) => Some((Segment::Items, inner)),
            Self::Map(inner) => Some((Segment::Values, inner)),
            Self::Scalar(_) | Self::Nullable(_) | Self::Named(_) | Self::External(_) => None,
        }
    }

    /// Returns the type without null.
    pub fn not_null(&self) -> &Self {
        if let Self::Nullable(inner) = self {
            inner.not_null()
        } else {
            self
        }
    }

    /// Returns the type without null, mutably.
    pub fn not_null_mut(&mut self) -> &mut Self {
        if let Self::Nullable(inner) = self {
            inner.not_null_mut()
        } else {
            self
        }
    }
}

impl From<Scalar> for Ty {
    fn from(scalar: Scalar) -> Self {
        Self::Scalar(scalar)
    }
}

impl IntWidth {
    /// Returns the range of integers of this width.
    pub fn range(self) -> RangeInclusive<i128> {
        match self {
            Self::I8 => i8::MIN.into()..=i8::MAX.into(),
            Self::I16 => i16::MIN.into()..=i16::MAX.into(),
            Self::I32 => i32::MIN.into()..=i32::MAX.into(),
            Self::I64 => i64::MIN.into()..=i64::MAX.into(),
            Self::U8 => 0..=u8::MAX.into(),
            Self::U16 => 0..=u16::MAX.into(),
            Self::U32 => 0..=u32::MAX.into(),
            Self::U64 => 0..=u64::MAX.into(),
        }
    }

    /// Returns whether a JSON value is an integer of this width.
    pub fn holds(self, value: &Value) -> bool {
        integer(value).is_some_and(|it| self.range().contains(&it))
    }
}

/// Returns the integer that a JSON value is.
pub(super) fn integer(value: &Value) -> Option<i128> {
    let signed = value.as_i64().map(i128::from);
    signed.or_else(|| value.as_u64().map(i128::from))
}
