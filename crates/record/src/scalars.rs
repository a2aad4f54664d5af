//! `Value` and `Scalar` for booleans, numbers, strings, and the scalar types of Kubernetes.
use std::mem;

use jiff::Timestamp;
use k8s_openapi::{
    ByteString,
    apimachinery::pkg::{api::resource::Quantity, apis::meta::v1::Time, util::intstr::IntOrString},
};

use crate::{
    bytes::bytes,
    date_time::{self, DateTime},
    floats::{exact, integral, widen},
    literal::{Literal, Misfit},
    number::Number,
    value::{Scalar, Slot, Value, View},
};

/// `type, blank value, name for messages, |value| view, |literal| Result<type, Misfit>;` for each scalar.
macro_rules! scalars {
    ($($type:ty, $blank:expr, $expects:literal, |$value:ident| $view:expr, $read:expr;)*) => {$(
        impl Value for $type {
            #[inline]
            fn blank() -> Self {
                $blank
            }
            #[inline]
            fn view(&self) -> View<'_> {
                let $value = self;
                $view
            }
            #[inline]
            fn slot(&mut self) -> Slot<'_> {
                Slot::Scalar(self)
            }
            #[inline]
            fn slot_of(optional: &mut Option<Self>) -> Slot<'_> {
                Slot::Scalar(optional)
            }
        }
        impl Scalar for $type {
            fn set(&mut self, literal: &mut Literal<'_>) -> Result<(), Misfit> {
                *self = $read(literal)?;
                Ok(())
            }
            fn clear(&mut self) {
                *self = $blank;
            }
            fn expects(&self) -> &'static str {
                $expects
            }
        }
        impl Scalar for Option<$type> {
            fn set(&mut self, literal: &mut Literal<'_>) -> Result<(), Misfit> {
                *self = Some($read(literal)?);
                Ok(())
            }
            fn clear(&mut self) {
                *self = None;
            }
            fn expects(&self) -> &'static str {
                $expects
            }
        }
    )*};
}

scalars! {
    bool, false, "a boolean", |v| View::Bool(*v), boolean;
    i8, 0, "i8", |v| View::Int(i64::from(*v)), integer;
    i16, 0, "i16", |v| View::Int(i64::from(*v)), integer;
    i32, 0, "i32", |v| View::Int(i64::from(*v)), integer;
    i64, 0, "i64", |v| View::Int(*v), integer;
    u8, 0, "u8", |v| View::UInt(u64::from(*v)), integer;
    u16, 0, "u16", |v| View::UInt(u64::from(*v)), integer;
    u32, 0, "u32", |v| View::UInt(u64::from(*v)), integer;
    u64, 0, "u64", |v| View::UInt(*v), integer;
    f32, 0.0, "f32", |v| float_view(widen(*v)), single;
    f64, 0.0, "f64", |v| float_view(*v), float;
    Number, Number::default(), "a 64-bit number", |v| v.to_view(), number;
    String, String::new(), "a string", |v| View::Str(v), string;
    ByteString, ByteString::default(), "base64", |v| View::Bytes(&v.0), bytes;
    DateTime, DateTime(String::new()), "a date-time", |v| View::Str(&v.0), date_time;
    Time, Time(Timestamp::UNIX_EPOCH), "an RFC 3339 time", |v| View::Display(&v.0), time;
    Quantity, Quantity("0".to_owned()), "a quantity", |v| View::Str(&v.0), quantity;
    IntOrString, IntOrString::Int(0), "an integer or a string", |v| match v {
        IntOrString::Int(number) => View::Int(i64::from(*number)),
        IntOrString::String(text) => View::Str(text),
    }, int_or_string;
}

fn boolean(literal: &mut Literal<'_>) -> Result<bool, Misfit> {
    match literal {
        Literal::Bool(value) => Ok(*value),
        _ => Err(Misfit::Type),
    }
}

pub(super) fn integer<T: TryFrom<i128>>(literal: &mut Literal<'_>) -> Result<T, Misfit> {
    let wide = match literal {
        Literal::Int(value) => i128::from(*value),
        Literal::UInt(value) => i128::from(*value),
        Literal::Float(value) => integral(*value).ok_or(if value.fract() == 0.0 {
            Misfit::Value
        } else {
            Misfit::Type
        })?,
        _ => return Err(Misfit::Type),
    };
    T::try_from(wide).map_err(|_| Misfit::Value)
}

fn number(literal: &mut Literal<'_>) -> Result<Number, Misfit> {
    match literal {
        Literal::Int(value) => Ok((*value).into()),
        Literal::UInt(value) => Ok((*value).into()),
        Literal::Float(value) => Ok((*value).into()),
        _ => Err(Misfit::Type),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "JSON does not distinguish integers from floats"
)]
fn float(literal: &mut Literal<'_>) -> Result<f64, Misfit> {
    match literal {
        Literal::Float(value) => Ok(*value),
        Literal::Int(value) => Ok(*value as f64),
        Literal::UInt(value) => Ok(*value as f64),
        _ => Err(Misfit::Type),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "rounding is intended, and overflow is checked"
)]
fn single(literal: &mut Literal<'_>) -> Result<f32, Misfit> {
    let wide = float(literal)?;
    let narrow = wide as f32;
    if narrow.is_finite() || !wide.is_finite() {
        Ok(narrow)
    } else {
        Err(Misfit::Value)
    }
}

/// Writes a float without a fraction as an integer, as the API server does: `1` stays `1`.
fn float_view(value: f64) -> View<'static> {
    match exact(value) {
        Some(0) if value.is_sign_negative() => View::Float(value),
        Some(value) => View::Int(value),
        None => View::Float(value),
    }
}

fn string(literal: &mut Literal<'_>) -> Result<String, Misfit> {
    match literal {
        Literal::Str(text) => Ok((*text).to_owned()),
        Literal::String(text) => Ok(mem::take(text)),
        _ => Err(Misfit::Type),
    }
}

fn date_time(literal: &mut Literal<'_>) -> Result<DateTime, Misfit> {
    string(literal).map(DateTime)
}

fn time(literal: &mut Literal<'_>) -> Result<Time, Misfit> {
    let text = literal.text().ok_or(Misfit::Type)?;
    date_time::nearest(text).map(Time).ok_or(Misfit::Value)
}

/// A bare number is a quantity, too: its digits.
fn quantity(literal: &mut Literal<'_>) -> Result<Quantity, Misfit> {
    match literal {
        Literal::Int(value) => Ok(Quantity(value.to_string())),
        Literal::UInt(value) => Ok(Quantity(value.to_string())),
        Literal::Float(value) if value.is_finite() => Ok(Quantity(value.to_string())),
        literal => string(literal).map(Quantity),
    }
}

/// An integer beyond 32 bits, which a custom resource may hold, is kept as text.
fn int_or_string(literal: &mut Literal<'_>) -> Result<IntOrString, Misfit> {
    match literal {
        Literal::Str(_) | Literal::String(_) => string(literal).map(IntOrString::String),
        number => {
            let wide: i128 = integer(number)?;
            Ok(i32::try_from(wide)
                .map_or_else(|_| IntOrString::String(wide.to_string()), IntOrString::Int))
        }
    }
}
