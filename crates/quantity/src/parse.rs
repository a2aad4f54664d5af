//! Reads a quantity as Go's `ParseQuantity` does, which keeps a short number in 64 bits and a long one as a big decimal.

use std::{fmt, str::FromStr};

use crate::{ParsedQuantity, QuantityFormat, number};

/// The error for text that is not a quantity.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ParseQuantityError {
    text: String,
    why: Why,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Why {
    Form,
    Suffix,
    Digits,
}

impl ParseQuantityError {
    /// Returns the error message of the Kubernetes API server.
    pub const fn message(&self) -> &'static str {
        match self.why {
            Why::Form => {
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            }
            Why::Suffix => "unable to parse quantity's suffix",
            Why::Digits => "unable to parse numeric part of quantity",
        }
    }
}

impl fmt::Display for ParseQuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.why {
            Why::Form => "expected a number and a suffix, such as 500m, 1.5Gi or 1e3",
            Why::Suffix => {
                "expected one of the suffixes n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei, or an exponent"
            }
            Why::Digits => "it has no digits",
        };
        write!(f, "`{}` is not a quantity: {why}", self.text)
    }
}

impl std::error::Error for ParseQuantityError {}

impl FromStr for ParsedQuantity {
    type Err = ParseQuantityError;

    fn from_str(text: &str) -> Result<Self, ParseQuantityError> {
        parse(text).map(|(quantity, _)| quantity)
    }
}

/// Returns the text that the API server stores for a quantity: usually the given text, and otherwise its canonical form.
///
/// ```
/// use kube_codegen_quantity::stored;
///
/// assert_eq!(stored("1.500").as_deref(), Ok("1.500"));
/// assert_eq!(stored("1.50").as_deref(), Ok("1500m"));
/// // As Go does, it loses a suffix beyond the largest one.
/// assert_eq!(stored("1000E").as_deref(), Ok("1"));
/// ```
pub fn stored(text: &str) -> Result<String, ParseQuantityError> {
    let (quantity, is_canonical) = parse(text)?;
    Ok(if is_canonical {
        text.to_owned()
    } else {
        quantity.written(false)
    })
}

/// Parses a text, and returns whether Go keeps it.
fn parse(text: &str) -> Result<(ParsedQuantity, bool), ParseQuantityError> {
    let read = || {
        let parts = scan(text)?;
        let (format, power) = meaning(parts.suffix).ok_or(Why::Suffix)?;
        match short(&parts, format, power) {
            Some(found) => Ok(found),
            None => long(&parts, format, power).map(|quantity| (quantity, false)),
        }
    };
    read().map_err(|why| ParseQuantityError {
        text: text.to_owned(),
        why,
    })
}

/// The parts of a text.
struct Parts<'a> {
    is_negative: bool,
    /// The digits before the point, without leading zeros, or `0`.
    whole: &'a str,
    /// The digits after the point.
    part: &'a str,
    has_digits: bool,
    suffix: &'a str,
}

fn scan(text: &str) -> Result<Parts<'_>, Why> {
    if text.is_empty() {
        return Err(Why::Form);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (given, rest) = digits(unsigned);
    let (part, suffix) = rest.strip_prefix('.').map_or(("", rest), digits);
    let letters = suffix.trim_start_matches(|letter| "eEinumkKMGTP".contains(letter));
    let exponent = letters.strip_prefix(['+', '-']).unwrap_or(letters);
    if !digits(exponent).1.is_empty() {
        return Err(Why::Form);
    }
    let whole = given.trim_start_matches('0');
    Ok(Parts {
        is_negative: text.starts_with('-'),
        whole: if whole.is_empty() { "0" } else { whole },
        part,
        has_digits: !given.is_empty() || !part.is_empty(),
        suffix,
    })
}

/// Splits a text after its digits.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

/// Returns the format of a suffix, and its power of ten or of two.
fn meaning(suffix: &str) -> Option<(QuantityFormat, i32)> {
    if let Some((_, power)) = number::DECIMAL.iter().find(|(name, _)| *name == suffix) {
        return Some((QuantityFormat::DecimalSi, *power));
    }
    if let Some(power) = number::BINARY.iter().position(|name| *name == suffix) {
        return Some((QuantityFormat::BinarySi, 10 * i32::try_from(power).ok()?));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?;
    match exponent.parse::<i64>() {
        // As in Go, the upper half is lost.
        #[expect(clippy::cast_possible_truncation, reason = "as in Go")]
        Ok(power) => Some((QuantityFormat::DecimalExponent, power as i32)),
        Err(_) => None,
    }
}

/// Returns a number of so few digits that Go keeps it in 64 bits, and whether Go keeps its text.
fn short(parts: &Parts<'_>, format: QuantityFormat, power: i32) -> Option<(ParsedQuantity, bool)> {
    let length = |text: &str| i32::try_from(text.len()).ok();
    let (whole, part) = (length(parts.whole)?, length(parts.part)?);
    let is_binary = format == QuantityFormat::BinarySi;
    let (left, factor, scale) = if !is_binary {
        (18 - whole - part, 1, power)
    } else if parts.part.is_empty() {
        (14 - whole - power * 3 / 10, 1_i64 << power, 0)
    } else {
        return None;
    };
    let scale = scale.wrapping_sub(part);
    if left < 0 || scale < -9 {
        return None;
    }
    let digits = [parts.whole, parts.part].concat();
    let value: i64 = digits.parse().ok()?;
    let result = value.checked_mul(factor)?;
    let quantity = ParsedQuantity {
        mantissa: i128::from(if parts.is_negative { -result } else { result }),
        power: scale,
        format,
        is_long: false,
    };
    let is_canonical = if is_binary {
        value & 7 != 0
    } else {
        scale % 3 == 0 && !digits.ends_with("000") && !digits.starts_with('0')
    };
    Some((quantity, is_canonical))
}

/// Returns a number that Go keeps as a big decimal, rounded up to 10⁻⁹.
fn long(parts: &Parts<'_>, format: QuantityFormat, power: i32) -> Result<ParsedQuantity, Why> {
    if !parts.has_digits {
        return Err(Why::Digits);
    }
    let (mantissa, power) = if format == QuantityFormat::BinarySi {
        (binary(parts, power), -9)
    } else {
        let places = i32::try_from(parts.part.len()).unwrap_or(i32::MAX);
        let digits = [parts.whole, parts.part].concat();
        decimal(digits.trim_start_matches('0'), power.wrapping_sub(places))
    };
    let is_part = (1..number::ONE).contains(&mantissa) && power == -9;
    Ok(ParsedQuantity {
        mantissa: if parts.is_negative {
            -mantissa
        } else {
            mantissa
        },
        power,
        format: match format {
            QuantityFormat::BinarySi if is_part => QuantityFormat::DecimalSi,
            format => format,
        },
        is_long: true,
    })
}

/// Returns the 10⁻⁹ of a number times a power of two, at most the largest integer of 64 bits.
fn binary(parts: &Parts<'_>, power: i32) -> i128 {
    const MOST: i128 = i64::MAX as i128 * number::ONE;
    let unit = number::ONE << power;
    let whole = parts.whole.bytes().try_fold(0_i128, |value, byte| {
        value.checked_mul(10)?.checked_add(digit(byte))
    });
    let mut part = 0;
    let mut is_rounded = false;
    for byte in parts.part.bytes().rev() {
        part += digit(byte) * unit;
        is_rounded |= part % 10 != 0;
        part /= 10;
    }
    let part = part + i128::from(is_rounded);
    let sum = whole.and_then(|whole| whole.checked_mul(unit)?.checked_add(part));
    sum.unwrap_or(MOST).min(MOST)
}

/// Returns digits times a power of ten as a mantissa of at most 38 digits and a power of at least -9, rounded up.
fn decimal(digits: &str, power: i32) -> (i128, i32) {
    const MOST: usize = 38;
    let below = usize::try_from((-9_i64).saturating_sub(power.into())).unwrap_or(0);
    let dropped = below.max(digits.len().saturating_sub(MOST));
    let kept = digits.len().saturating_sub(dropped);
    let (kept, rest) = digits.split_at(kept);
    let mantissa = kept.bytes().fold(0, |value, byte| value * 10 + digit(byte));
    let is_rounded = rest.bytes().any(|byte| byte != b'0');
    let dropped = i32::try_from(dropped).unwrap_or(i32::MAX);
    let power = if digits.is_empty() {
        0
    } else {
        power.saturating_add(dropped)
    };
    (mantissa + i128::from(is_rounded), power)
}

fn digit(byte: u8) -> i128 {
    i128::from(byte.wrapping_sub(b'0'))
}
