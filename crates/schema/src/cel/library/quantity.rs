//! `quantity('1Gi')` and its methods.

use std::cmp::Ordering;

use cel::{
    DeclarationError, Env, ExecutionError, add_member_overload, add_overload,
    common::types::{CelBool, CelDouble, CelInt, CelString},
};

use super::opaque;
use crate::cel::rule::error;

/// 10⁹: the parts of one.
const ONE: i128 = 1_000_000_000;

/// A quantity in billionths.
#[derive(Clone, Debug)]
struct Quantity {
    nanos: i128,
    /// The power of ten of which Go keeps the value as a multiple in 64 bits, `None` if it keeps a big decimal.
    scale: Option<i32>,
}

opaque!(Quantity, "kubernetes.Quantity");

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

pub(super) fn add(env: &mut Env) -> Result<(), DeclarationError> {
    add_overload!(env, fn quantity: (CelString) -> Result<Quantity>)?;
    add_overload!(env, fn is_quantity: (CelString) -> CelBool)?;
    add_overload!(env, fn sign: (Quantity) -> CelInt)?;
    add_member_overload!(env, fn is_greater_than: (Quantity, Quantity) -> CelBool)?;
    add_member_overload!(env, fn is_less_than: (Quantity, Quantity) -> CelBool)?;
    add_member_overload!(env, fn compare_to: (Quantity, Quantity) -> CelInt)?;
    add_member_overload!(env, fn as_approximate_float: (Quantity) -> CelDouble)?;
    add_member_overload!(env, fn as_integer: (Quantity) -> Result<CelInt>)?;
    add_member_overload!(env, fn is_integer: (Quantity) -> CelBool)?;
    add_member_overload!(env, fn plus: (Quantity, Quantity) -> Quantity, name = "add")?;
    add_member_overload!(env, fn plus_int: (Quantity, CelInt) -> Quantity, name = "add")?;
    add_member_overload!(env, fn minus: (Quantity, Quantity) -> Quantity, name = "sub")?;
    add_member_overload!(env, fn minus_int: (Quantity, CelInt) -> Quantity, name = "sub")
}

fn quantity(text: &CelString<'_>) -> Result<Quantity, ExecutionError> {
    parse(text.inner()).map_err(|why| error("quantity", why))
}

fn is_quantity(text: &CelString<'_>) -> CelBool {
    parse(text.inner()).is_ok().into()
}

fn sign(this: &Quantity) -> CelInt {
    i64::try_from(this.nanos.signum())
        .unwrap_or_default()
        .into()
}

fn is_greater_than(this: &Quantity, other: &Quantity) -> CelBool {
    (this.nanos > other.nanos).into()
}

fn is_less_than(this: &Quantity, other: &Quantity) -> CelBool {
    (this.nanos < other.nanos).into()
}

fn compare_to(this: &Quantity, other: &Quantity) -> CelInt {
    match this.nanos.cmp(&other.nanos) {
        Ordering::Less => CelInt::from(-1),
        Ordering::Equal => CelInt::from(0),
        Ordering::Greater => CelInt::from(1),
    }
}

#[expect(clippy::cast_precision_loss, reason = "approximate by its name")]
fn as_approximate_float(this: &Quantity) -> CelDouble {
    let float = match this.scale {
        Some(scale @ 0..) => {
            (this.nanos / ONE / 10i128.pow(scale.unsigned_abs())) as f64 * 10f64.powi(scale)
        }
        Some(scale) => {
            (this.nanos / 10i128.pow((9 + scale).unsigned_abs())) as f64 * 10f64.powi(scale)
        }
        None => this.nanos as f64 * 1e-9,
    };
    float.into()
}

/// As in Go, only a value without a decimal part in its text is an integer.
fn integer(this: &Quantity) -> Option<i64> {
    this.scale.filter(|scale| *scale >= 0)?;
    i64::try_from(this.nanos / ONE).ok()
}

fn as_integer(this: &Quantity) -> Result<CelInt, ExecutionError> {
    integer(this)
        .map(CelInt::from)
        .ok_or_else(|| error("asInteger", "cannot convert value to integer"))
}

fn is_integer(this: &Quantity) -> CelBool {
    integer(this).is_some().into()
}

fn sum(left: &Quantity, right: &Quantity, nanos: i128) -> Quantity {
    let scale = match (left.nanos, right.nanos) {
        (_, 0) => left.scale,
        (0, _) => right.scale,
        _ => left
            .scale
            .zip(right.scale)
            .map(|(left, right)| left.min(right)),
    };
    Quantity {
        nanos,
        scale: scale.filter(|scale| fits(nanos, *scale)),
    }
}

/// Returns whether 64 bits hold a value as a multiple of a power of ten.
fn fits(nanos: i128, scale: i32) -> bool {
    u32::try_from(9 + scale).is_ok_and(|power| i64::try_from(nanos / 10i128.pow(power)).is_ok())
}

fn whole(int: &CelInt) -> Quantity {
    Quantity {
        nanos: i128::from(*int.inner()) * ONE,
        scale: Some(0),
    }
}

fn plus(this: &Quantity, other: &Quantity) -> Quantity {
    sum(this, other, this.nanos.saturating_add(other.nanos))
}

fn plus_int(this: &Quantity, other: &CelInt) -> Quantity {
    plus(this, &whole(other))
}

fn minus(this: &Quantity, other: &Quantity) -> Quantity {
    sum(this, other, this.nanos.saturating_sub(other.nanos))
}

fn minus_int(this: &Quantity, other: &CelInt) -> Quantity {
    minus(this, &whole(other))
}

fn parse(text: &str) -> Result<Quantity, &'static str> {
    const FORMAT: &str = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    const SUFFIX: &str = "unable to parse quantity's suffix";
    const NUMERIC: &str = "unable to parse numeric part of quantity";
    let is_negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let end = unsigned
        .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .unwrap_or(unsigned.len());
    let (number, suffix) = unsigned.split_at(end);
    if !number.contains(|letter: char| letter.is_ascii_digit()) {
        return Err(FORMAT);
    }
    let letters = suffix.trim_start_matches(|letter| "eEinumkKMGTP".contains(letter));
    let digits = letters.strip_prefix(['+', '-']).unwrap_or(letters);
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(FORMAT);
    }
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if part.contains('.') {
        return Err(FORMAT);
    }
    let (whole, decimals) = (whole.trim_start_matches('0'), part);
    let (is_binary, power) = unit(suffix).ok_or(SUFFIX)?;
    let places = i32::try_from(decimals.len()).map_err(|_| NUMERIC)?;
    let digits: i128 = match format!("{whole}{decimals}").as_str() {
        "" => 0,
        digits => digits.parse().map_err(|_| NUMERIC)?,
    };
    let length = i32::try_from(whole.len()).unwrap_or(i32::MAX);
    let (nanos, scale) = if is_binary {
        let value = digits << power;
        let is_short = places == 0 && 15 - length - power * 3 / 10 > 0;
        let nanos = scaled(value, 9 - places).ok_or(NUMERIC)?;
        // The largest value of a binary suffix.
        (nanos.min(i128::from(i64::MAX) * ONE), is_short.then_some(0))
    } else {
        let scale = power - places;
        let is_short = length + places <= 18 && scale >= -9;
        let nanos = scaled(digits, 9 + scale).ok_or(NUMERIC)?;
        (nanos, is_short.then_some(scale))
    };
    Ok(Quantity {
        nanos: if is_negative { -nanos } else { nanos },
        scale: scale.filter(|scale| fits(nanos, *scale)),
    })
}

/// Multiplies by a power of ten; what is less than 1 is rounded up.
fn scaled(value: i128, power: i32) -> Option<i128> {
    let factor = 10i128.checked_pow(power.unsigned_abs());
    if power >= 0 {
        if value == 0 {
            Some(0)
        } else {
            value.checked_mul(factor?)
        }
    } else {
        Some(factor.map_or_else(
            || value.signum(),
            |factor| value / factor + i128::from(value % factor != 0),
        ))
    }
}

/// Returns whether a suffix is binary, and its power of two or ten.
fn unit(suffix: &str) -> Option<(bool, i32)> {
    let decimal = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
    let binary = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let at = |list: &[&str]| list.iter().position(|known| *known == suffix);
    if let Some(index) = at(&decimal) {
        return Some((false, i32::try_from(index).ok()? * 3 - 9));
    }
    if let Some(index) = at(&binary) {
        return Some((true, i32::try_from(index + 1).ok()? * 10));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?;
    Some((false, exponent.parse().ok()?))
}
