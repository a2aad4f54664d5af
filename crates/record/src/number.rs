//! A JSON number: an integer or a float, never rounded.
use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    str::FromStr,
};

use crate::{__value_serde, floats, value::View};

/// A value of `type: number`: a 64-bit integer or a double, as in the JSON.
///
/// The API server holds numbers in the same two forms, so everything that it stores is written as it was read; a plain `f64` would round
/// integers beyond 2^53. Numbers are compared by value: `1` equals `1.0`, but 2^53 does not equal 2^53 + 1. The value of a float is the
/// number that its digits spell, because the API server reads integers from them.
///
/// ```
/// use kube_codegen_record::Number;
///
/// let ratio: Option<Number> = Some(0.5.into());
/// assert_eq!(ratio.map(f64::from), Some(0.5));
/// assert_eq!(Number::from(3).as_i64(), Some(3));
/// assert!("1e3".parse::<Number>()? > Number::from(999.5));
///
/// let exact: Number = serde_json::from_str("9007199254740993")?;
/// assert_eq!(serde_json::to_string(&exact)?, "9007199254740993");
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// Infinities and `NaN` are written as `null`, as `serde_json` does. A `NaN` equals itself and is greater than all other numbers.
#[derive(Clone, Copy)]
pub struct Number(Form);

#[derive(Clone, Copy)]
enum Form {
    Int(i64),
    /// Beyond `i64`.
    UInt(u64),
    Float(f64),
}

/// The value of a number, whatever its form.
#[derive(Eq, Hash, PartialEq)]
enum Exact {
    Whole(i128),
    /// The bits of a float with a fraction, or beyond all integers.
    Other(u64),
}

impl Number {
    /// Returns the nearest float.
    #[expect(
        clippy::cast_precision_loss,
        reason = "rounding to the nearest float is intended"
    )]
    pub const fn as_f64(self) -> f64 {
        match self.0 {
            Form::Int(value) => value as f64,
            Form::UInt(value) => value as f64,
            Form::Float(value) => value,
        }
    }

    /// Returns the number as an integer; `None` if it has a fraction or is out of range.
    pub fn as_i64(self) -> Option<i64> {
        self.whole()?.try_into().ok()
    }

    /// Returns the number as an integer; `None` if it has a fraction or is out of range.
    pub fn as_u64(self) -> Option<u64> {
        self.whole()?.try_into().ok()
    }

    fn whole(self) -> Option<i128> {
        match self.0 {
            Form::Int(value) => Some(value.into()),
            Form::UInt(value) => Some(value.into()),
            Form::Float(value) => floats::integral(value),
        }
    }

    fn exact(self) -> Exact {
        self.whole()
            .map_or_else(|| Exact::Other(self.as_f64().to_bits()), Exact::Whole)
    }

    pub(super) fn to_view(self) -> View<'static> {
        match self.0 {
            Form::Int(value) => View::Int(value),
            Form::UInt(value) => View::UInt(value),
            Form::Float(value) => View::Float(value),
        }
    }
}

impl Default for Number {
    fn default() -> Self {
        Self(Form::Int(0))
    }
}

/// `From` for integers.
macro_rules! integers {
    ($($type:ty)*) => {$(
        impl From<$type> for Number {
            fn from(value: $type) -> Self {
                Self(Form::Int(value.into()))
            }
        }
    )*};
}

integers! { i8 i16 i32 i64 u8 u16 u32 }

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self(i64::try_from(value).map_or(Form::UInt(value), Form::Int))
    }
}

impl From<&serde_json::Number> for Number {
    fn from(number: &serde_json::Number) -> Self {
        let integer = number.as_i64().map(Self::from);
        let integer = integer.or_else(|| number.as_u64().map(Self::from));
        integer.unwrap_or_else(|| number.as_f64().unwrap_or_default().into())
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        // A single `NaN`, so that all are equal.
        Self(Form::Float(if value.is_nan() { f64::NAN } else { value }))
    }
}

/// The number with the same shortest digits: `0.1_f32` becomes 0.1, not 0.10000000149011612.
impl From<f32> for Number {
    fn from(value: f32) -> Self {
        floats::widen(value).into()
    }
}

/// The nearest float.
impl From<Number> for f64 {
    fn from(number: Number) -> Self {
        number.as_f64()
    }
}

/// Parses what JSON accepts as a number.
impl FromStr for Number {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Int(value) => fmt::Display::fmt(value, f),
            Form::UInt(value) => fmt::Display::fmt(value, f),
            Form::Float(value) => fmt::Display::fmt(value, f),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Int(value) => fmt::Debug::fmt(value, f),
            Form::UInt(value) => fmt::Debug::fmt(value, f),
            Form::Float(value) => fmt::Debug::fmt(value, f),
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.exact() == other.exact()
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.exact().hash(state);
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.whole(), other.whole()) {
            (Some(one), Some(other)) => one.cmp(&other),
            // Rounding an integer cannot make it a fraction or put it beyond all integers, so the nearest floats keep the order.
            _ => self.as_f64().total_cmp(&other.as_f64()),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

__value_serde! { Number }

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::{BuildHasher, RandomState};

    fn number(text: &str) -> Number {
        text.parse().unwrap()
    }

    #[test]
    fn a_number_is_written_as_it_was_read() {
        for text in [
            "0",
            "-0.0",
            "1",
            "1.0",
            "9007199254740993",
            "-9223372036854775808",
            "9223372036854775807",
            "9223372036854775808",
            "18446744073709551615",
            "0.1",
            "0.30000000000000004",
            "5e-324",
            "3.4e+38",
            "1.7976931348623157e+308",
            "1e+20",
        ] {
            assert_eq!(serde_json::to_string(&number(text)).unwrap(), text);
        }
        for text in ["1e400", "-", "x", "\"1\"", "null", "true", ".5", "NaN"] {
            assert!(text.parse::<Number>().is_err(), "{text}");
        }
    }

    #[test]
    fn single_precision_keeps_its_digits() {
        for value in [0.1_f32, 3.4e38, -1.5, 16_777_217.0] {
            let text = serde_json::to_string(&Number::from(value)).unwrap();
            let wide: f64 = value.to_string().parse().unwrap();
            assert_eq!(text.parse(), Ok(wide), "{value}");
        }
        assert_eq!(Number::from(0.1_f32).to_string(), "0.1");
    }

    #[test]
    fn numbers_are_compared_by_value() {
        let ascending: Vec<Number> = [
            "-1e300",
            "-9223372036854775808",
            "-1.5",
            "-1",
            "0",
            "5e-324",
            "0.5",
            "1",
            "9007199254740992",
            "9007199254740993",
            "9223372036854775807",
            "9223372036854775808",
            "18446744073709551615",
            "18446744073709551616",
            "1e300",
        ]
        .map(number)
        .into_iter()
        .chain([f64::INFINITY.into(), f64::NAN.into()])
        .collect();
        for (at, one) in ascending.iter().enumerate() {
            for (other_at, other) in ascending.iter().enumerate() {
                assert_eq!(one.cmp(other), at.cmp(&other_at), "{one} and {other}");
                assert_eq!(one == other, at == other_at, "{one} and {other}");
            }
        }
        let hash = RandomState::new();
        for (one, other) in [
            ("1", "1.0"),
            ("0", "-0.0"),
            ("1e3", "1000"),
            ("1.2345678901234568e18", "1234567890123456800"),
        ] {
            assert_eq!(number(one), number(other));
            assert_eq!(hash.hash_one(number(one)), hash.hash_one(number(other)));
        }
        assert_eq!(Number::from(-f64::NAN), Number::from(f64::NAN));
    }

    #[test]
    fn conversions_to_integers_and_floats() {
        assert_eq!(number("5.0").as_i64(), Some(5));
        assert_eq!(number("5.5").as_i64(), None);
        assert_eq!(number("-5").as_u64(), None);
        assert_eq!(number("18446744073709551615").as_u64(), Some(u64::MAX));
        assert_eq!(number("18446744073709551615").as_i64(), None);
        assert_eq!(number("1e300").as_u64(), None);
        let nearest = f64::from(Number::from(u64::MAX));
        assert_eq!(nearest.to_string(), "18446744073709552000");
        assert_eq!(Number::default(), Number::from(0_u64));
        assert_eq!(
            format!("{:5.2}|{:?}", Number::from(0.126), Number::from(7)),
            " 0.13|7"
        );
    }

    #[test]
    fn nan_and_infinity_are_written_as_null() {
        for value in [f64::NAN, f64::INFINITY] {
            assert_eq!(serde_json::to_string(&Number::from(value)).unwrap(), "null");
        }
    }
}
