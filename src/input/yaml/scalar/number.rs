//! Reads plain scalars as numbers, as Go's yaml.v2 does.
use std::borrow::Cow;

use serde_json::{Number, Value};

use super::Scalar;

/// Reads a text as a number; none if it is text.
pub(super) fn read(text: &str) -> Option<Result<Scalar, String>> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(Err(format!("JSON has no number {text}")));
    }
    // After a sign or a digit, underscores are dropped everywhere; after a dot, they separate digits.
    let dotted = text.starts_with('.');
    if dotted && !separates_digits(text) {
        return None;
    }
    let digits: Cow<'_, str> = if text.contains('_') {
        text.replace('_', "").into()
    } else {
        text.into()
    };
    let surprising =
        digits.len() != text.len() || (unsigned.len() > 1 && unsigned.starts_with('0'));
    if let Some(value) = integer(&digits) {
        let surprising = surprising.then(|| text.to_owned());
        return Some(Ok(Scalar {
            value,
            surprising,
            float: None,
        }));
    }
    if !is_float(&digits) {
        return None;
    }
    let value: f64 = digits.parse().ok()?;
    // What no float can hold stays text.
    let number = Number::from_f64(value)?;
    Some(Ok(Scalar {
        value: whole(value).map_or(Value::Number(number), Value::from),
        surprising: (digits.len() != text.len()).then(|| text.to_owned()),
        float: Some(value),
    }))
}

/// Whether each underscore has a digit on either side.
fn separates_digits(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_digit)
    };
    (0..bytes.len())
        .all(|at| bytes[at] != b'_' || (digit(at.checked_sub(1)) && digit(Some(at + 1))))
}

/// Go's `strconv.ParseInt(text, 0, 64)`, then `ParseUint`: the prefix gives the base.
fn integer(text: &str) -> Option<Value> {
    let (negative, rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (base, digits) = match rest.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &rest[2..]),
        [b'0', b'o' | b'O', ..] => (8, &rest[2..]),
        [b'0', b'b' | b'B', ..] => (2, &rest[2..]),
        [b'0', _, ..] => (8, &rest[1..]),
        _ => (10, rest),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let size = u64::from_str_radix(digits, base).ok()?;
    if negative {
        0_i64.checked_sub_unsigned(size).map(Value::from)
    } else {
        Some(size.into())
    }
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn is_float(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    all_digits(whole)
        && all_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| {
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            !digits.is_empty() && all_digits(digits)
        })
}

/// Go writes a float without a fraction as an integer.
fn whole(value: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "within the integers that a float holds exactly"
    )]
    (value.fract() == 0.0 && value.abs() <= EXACT).then_some(value as i64)
}

/// The text of a float as a key, as Go writes it there: the shortest digits of single precision, an exponent from a million on.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a float as a key has single precision"
)]
pub(super) fn key(value: f64) -> String {
    let single = value as f32;
    let scientific = format!("{single:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        // Beyond single precision.
        return format!("{}.inf", if value < 0.0 { "-" } else { "" });
    };
    match exponent.parse::<i32>() {
        Ok(power) if !(-4..6).contains(&power) => {
            let sign = if power < 0 { '-' } else { '+' };
            format!("{mantissa}e{sign}{:02}", power.unsigned_abs())
        }
        _ => single.to_string(),
    }
}
