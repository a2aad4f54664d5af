//! Booleans, numbers, strings, and the scalar types of Kubernetes: a literal in, a value or a misfit out.
use super::bytes::bytes;
use super::{
    DateTime, Foreign, Literal, Misfit, Number, Scalar, Slot, Value, View, date_time, spelling,
};
use k8s_openapi::ByteString;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use k8s_openapi::jiff::Timestamp;
use std::mem;

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
    f32, 0.0, "f32", |v| shown(widen(*v)), single;
    f64, 0.0, "f64", |v| shown(*v), float;
    Number, Number::default(), "a 64-bit number", |v| v.shown(), number;
    String, String::new(), "a string", |v| View::Str(v), string;
    ByteString, ByteString::default(), "base64", |v| View::Foreign(v), bytes;
    DateTime, DateTime(String::new()), "a date-time", |v| View::Str(&v.0), date_time;
    Time, Time(Timestamp::UNIX_EPOCH), "an RFC 3339 time", |v| View::Display(&v.0), time;
    Quantity, Quantity(String::new()), "a quantity", |v| spelled(&v.0, v), quantity;
    IntOrString, IntOrString::Int(0), "an integer or a string", |v| match v {
        IntOrString::Int(number) => View::Int(i64::from(*number)),
        IntOrString::String(text) => spelled(text, v),
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

/// The integer that the digits of a float spell, as `3.0` or `1e3`; `None` for fractions and what no integer type here could hold.
///
/// The API server reads an integer of the digits it has written: `1234567890123456800`, and not the float's `1234567890123456768`.
pub(super) fn integral(value: f64) -> Option<i128> {
    const LIMIT: f64 = 36_893_488_147_419_103_232.0; // 2^65
    if value.fract() != 0.0 || value.abs() >= LIMIT {
        return None;
    }
    match exact(value) {
        Some(value) => Some(value.into()),
        None => value.to_string().parse().ok(),
    }
}

/// The integer that a float is, as far as each integer has a float of its own; `None` for fractions.
fn exact(value: f64) -> Option<i64> {
    const LIMIT: f64 = 9_007_199_254_740_992.0; // 2^53
    #[expect(
        clippy::cast_possible_truncation,
        reason = "within the integers that a float holds exactly"
    )]
    (value.fract() == 0.0 && value.abs() <= LIMIT).then_some(value as i64)
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
    reason = "a JSON number without a fraction is as good a float as the format has"
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
    reason = "rounded to the type asked for; what overflows is refused"
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

/// The number of double precision that has the same shortest digits: `0.1_f32` as it is would become 0.10000000149011612.
pub(super) fn widen(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| value.into())
}

/// A float does not tell whether it was an integer: one without a fraction is written as such, as the API server does. `1` comes back
/// as `1`, not as `1.0`.
fn shown(value: f64) -> View<'static> {
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
    date_time::moment(text).map(Time).map_err(|_| Misfit::Value)
}

/// What the text of a value stands for.
fn spelled<'a>(text: &'a str, whole: &'a dyn Foreign) -> View<'a> {
    match spelling::meant(text) {
        Literal::Str(text) => View::Str(text),
        Literal::Int(value) => View::Int(value),
        Literal::UInt(value) => View::UInt(value),
        Literal::Float(value) => View::Float(value),
        // A text that is not a part of the one that stands for it.
        Literal::Null | Literal::Bool(_) | Literal::String(_) => View::Foreign(whole),
    }
}

/// Kubernetes reads a bare number as a quantity, too.
fn quantity(literal: &mut Literal<'_>) -> Result<Quantity, Misfit> {
    let text = match spelling::digits(literal) {
        Some(digits) => spelling::of_number(&digits),
        None => spelling::of_text(string(literal)?),
    };
    Ok(Quantity(text))
}

/// An integer beyond 32 bits, which a custom resource may hold, is kept as text that stands for it.
fn int_or_string(literal: &mut Literal<'_>) -> Result<IntOrString, Misfit> {
    match literal {
        Literal::Str(_) | Literal::String(_) => {
            let text = spelling::of_text(string(literal)?);
            Ok(IntOrString::String(text))
        }
        number => {
            let wide: i128 = integer(number)?;
            Ok(i32::try_from(wide).map_or_else(
                |_| IntOrString::String(spelling::of_number(&wide.to_string())),
                IntOrString::Int,
            ))
        }
    }
}
