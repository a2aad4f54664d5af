//! The value of a Kubernetes quantity: comparison, arithmetic and the canonical text, as in Go's `resource.Quantity`.
use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    iter::Sum,
    ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign},
    str::FromStr,
};

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

/// The value of a [`Quantity`]: `500m`, `1.5Gi` or `1e3`.
///
/// A `Quantity` field holds text. It is parsed to compare or to compute, and written back in canonical form, as Go's
/// [`resource.Quantity`] writes it. Values are compared as numbers: `1Gi` equals `1024Mi`.
///
/// ```
/// use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
/// use kube_codegen_record::ParsedQuantity;
///
/// let request = Quantity("1536Mi".into());
/// let limit = Quantity("2Gi".into());
/// let request = ParsedQuantity::try_from(&request)?;
/// let limit = ParsedQuantity::try_from(&limit)?;
/// assert!(request < limit);
/// assert_eq!(Quantity::from(limit - request), Quantity("512Mi".into()));
/// assert_eq!((request * 2).to_string(), "3Gi");
///
/// let cpu: ParsedQuantity = "1.5".parse()?;
/// assert_eq!(cpu.to_string(), "1500m");
/// assert_eq!((cpu.milli(), cpu.integer()), (Some(1500), Some(2)));
/// # Ok::<(), kube_codegen_record::ParseQuantityError>(())
/// ```
///
/// A value is a multiple of 10⁻⁹; a text of smaller parts is rounded up, away from zero. Its magnitude is below 1.7 × 10²⁹, beyond which
/// parsing fails and arithmetic saturates. As in Go, a text with a binary suffix (`Ki` to `Ei`) is at most 2⁶³ − 1.
///
/// [`resource.Quantity`]: https://pkg.go.dev/k8s.io/apimachinery/pkg/api/resource#Quantity
#[derive(Clone, Copy, Debug)]
pub struct ParsedQuantity {
    nanos: i128,
    format: QuantityFormat,
}

/// The suffixes that a [`ParsedQuantity`] is written with. It is that of the text, and of the first operand of a sum.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum QuantityFormat {
    /// Powers of 1,000: `n`, `u`, `m`, none, `k`, `M`, `G`, `T`, `P`, `E`.
    #[default]
    DecimalSi,
    /// Powers of 1,024: `Ki`, `Mi`, `Gi`, `Ti`, `Pi`, `Ei`. A fraction, or less than 1,024, is written as [`DecimalSi`](Self::DecimalSi).
    BinarySi,
    /// Powers of ten: `1e3`.
    DecimalExponent,
}

/// A text that is not a quantity, or is beyond the range of [`ParsedQuantity`].
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{text}` is not a quantity: {why}")]
pub struct ParseQuantityError {
    text: String,
    why: &'static str,
}

/// 10⁹: the parts of one.
const ONE: i128 = 1_000_000_000;
/// The decimal suffixes, each with its power of ten.
const DECIMAL: [(&str, i32); 10] = [
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("", 0),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
];
/// The binary suffixes, each 1,024 times the one before.
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

impl ParsedQuantity {
    /// Zero.
    pub const ZERO: Self = Self::from_nanos(0);

    /// Creates a value from a number of 10⁻⁹.
    pub const fn from_nanos(nanos: i128) -> Self {
        Self {
            nanos,
            format: QuantityFormat::DecimalSi,
        }
    }

    /// Returns the value in 10⁻⁹: exact, whatever the text was.
    pub const fn nanos(self) -> i128 {
        self.nanos
    }

    /// Returns the value as an integer, rounded up (away from zero) as by Go's `Value`; `None` beyond 64 bits.
    pub fn integer(self) -> Option<i64> {
        self.scaled(ONE)
    }

    /// Returns the value in thousandths, rounded up (away from zero) as by Go's `MilliValue`; `None` beyond 64 bits.
    pub fn milli(self) -> Option<i64> {
        self.scaled(ONE / 1000)
    }

    fn scaled(self, unit: i128) -> Option<i64> {
        let rest = (self.nanos % unit).signum();
        (self.nanos / unit + rest).try_into().ok()
    }

    /// Returns the nearest float.
    pub fn as_f64(self) -> f64 {
        let (whole, part) = (self.nanos / ONE, (self.nanos % ONE).abs());
        let sign = if self.nanos < 0 && whole == 0 {
            "-"
        } else {
            ""
        };
        // Through its digits, the value is rounded once.
        let digits = format!("{sign}{whole}.{part:09}");
        digits.parse().unwrap_or(f64::NAN)
    }

    /// Returns the suffixes that the value is written with.
    pub const fn format(self) -> QuantityFormat {
        self.format
    }

    /// Returns the same value, to be written with other suffixes.
    #[must_use]
    pub const fn with_format(self, format: QuantityFormat) -> Self {
        Self { format, ..self }
    }

    /// Adds or subtracts; a zero takes the format of the other operand, as in Go.
    fn combine(self, other: Self, nanos: i128) -> Self {
        let format = if self.nanos == 0 {
            other.format
        } else {
            self.format
        };
        Self { nanos, format }
    }
}

impl FromStr for ParsedQuantity {
    type Err = ParseQuantityError;

    fn from_str(text: &str) -> Result<Self, ParseQuantityError> {
        parse(text).map_err(|why| ParseQuantityError {
            text: text.to_owned(),
            why,
        })
    }
}

/// Parses what Go's `ParseQuantity` accepts, except texts without digits, some of which are 0 there.
fn parse(text: &str) -> Result<ParsedQuantity, &'static str> {
    let negative = text.starts_with('-');
    let rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, rest) = digits(rest);
    let (part, suffix) = rest.strip_prefix('.').map_or(("", rest), digits);
    if whole.is_empty() && part.is_empty() {
        return Err("it has no digits");
    }
    let (format, power) = meaning(suffix).ok_or(
        "expected one of the suffixes n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei, or an exponent",
    )?;
    let is_binary = format == QuantityFormat::BinarySi;
    let (number, unit) = if is_binary {
        let unit = ONE << (10 * power);
        ((whole.to_owned(), part.to_owned()), unit)
    } else {
        (shift(whole, part, power)?, ONE)
    };
    let nanos = match value(&number.0, &number.1, unit) {
        // Go caps binary quantities alone.
        Some(nanos) if is_binary => nanos.min(i128::from(i64::MAX) * ONE),
        None if is_binary => i128::from(i64::MAX) * ONE,
        nanos => nanos.ok_or(RANGE)?,
    };
    let is_part = (1..ONE).contains(&nanos);
    Ok(ParsedQuantity {
        nanos: if negative { -nanos } else { nanos },
        format: if is_binary && is_part {
            QuantityFormat::DecimalSi
        } else {
            format
        },
    })
}

const RANGE: &str = "it is out of range";

/// Splits a text after its digits.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

/// Returns the format of a suffix, and its power of ten or of 1,024.
fn meaning(suffix: &str) -> Option<(QuantityFormat, i32)> {
    if let Some((_, power)) = DECIMAL.iter().find(|(name, _)| *name == suffix) {
        return Some((QuantityFormat::DecimalSi, *power));
    }
    if let Some(power) = BINARY.iter().position(|name| *name == suffix) {
        return Some((QuantityFormat::BinarySi, i32::try_from(power).ok()?));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?;
    let power = exponent.parse().ok()?;
    Some((QuantityFormat::DecimalExponent, power))
}

/// Moves the decimal point; returns the digits before and after it.
fn shift(whole: &str, part: &str, power: i32) -> Result<(String, String), &'static str> {
    /// Beyond the range on both sides.
    const FAR: usize = 64;
    let all = [whole.trim_start_matches('0'), part].concat();
    let point = whole.trim_start_matches('0').len();
    if all.bytes().all(|digit| digit == b'0') {
        return Ok((String::new(), String::new()));
    }
    let distance = usize::try_from(power.unsigned_abs()).unwrap_or(usize::MAX);
    if power < 0 {
        let zeros = distance.saturating_sub(point).min(FAR);
        let (whole, part) = all.split_at(point.saturating_sub(distance));
        return Ok((whole.to_owned(), "0".repeat(zeros) + part));
    }
    let point = point.saturating_add(distance);
    match point.checked_sub(all.len()) {
        None => {
            let (whole, part) = all.split_at(point);
            Ok((whole.to_owned(), part.to_owned()))
        }
        Some(zeros) if zeros <= FAR => Ok((all + &"0".repeat(zeros), String::new())),
        Some(_) => Err(RANGE),
    }
}

/// Returns a decimal number in `1 / unit`, rounded up; `None` if it is out of range.
fn value(whole: &str, part: &str, unit: i128) -> Option<i128> {
    let digit = |byte: u8| i128::from(byte - b'0');
    let whole = whole.bytes().try_fold(0_i128, |value, byte| {
        value.checked_mul(10)?.checked_add(digit(byte))
    })?;
    let mut sum = 0;
    let mut is_rounded = false;
    for byte in part.bytes().rev() {
        sum += digit(byte) * unit;
        is_rounded |= sum % 10 != 0;
        sum /= 10;
    }
    let part = sum + i128::from(is_rounded);
    whole.checked_mul(unit)?.checked_add(part)
}

/// The canonical text: without a fraction, and with the largest suffix that loses nothing.
impl fmt::Display for ParsedQuantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mut nanos, format } = *self;
        if nanos == 0 {
            return f.pad("0");
        }
        let is_binary = format == QuantityFormat::BinarySi;
        if is_binary && nanos % ONE == 0 && nanos.abs() >= 1024 * ONE {
            nanos /= ONE;
            let mut suffixes = BINARY.iter();
            let mut suffix = suffixes.next();
            while nanos % 1024 == 0
                && let Some(next) = suffixes.next()
            {
                nanos /= 1024;
                suffix = Some(next);
            }
            return f.pad(&format!("{nanos}{}", suffix.unwrap_or(&"")));
        }
        let mut power = -9;
        while nanos % 1000 == 0 && (power < 18 || format == QuantityFormat::DecimalExponent) {
            nanos /= 1000;
            power += 3;
        }
        let suffix = DECIMAL.iter().find(|(_, of)| *of == power);
        match suffix {
            Some((suffix, _)) if format != QuantityFormat::DecimalExponent || power == 0 => {
                f.pad(&format!("{nanos}{suffix}"))
            }
            _ => f.pad(&format!("{nanos}e{power}")),
        }
    }
}

impl TryFrom<&Quantity> for ParsedQuantity {
    type Error = ParseQuantityError;

    fn try_from(quantity: &Quantity) -> Result<Self, ParseQuantityError> {
        quantity.0.parse()
    }
}

impl From<ParsedQuantity> for Quantity {
    fn from(value: ParsedQuantity) -> Self {
        Self(value.to_string())
    }
}

impl From<i64> for ParsedQuantity {
    fn from(value: i64) -> Self {
        Self::from_nanos(i128::from(value) * ONE)
    }
}

impl Default for ParsedQuantity {
    fn default() -> Self {
        Self::ZERO
    }
}

impl PartialEq for ParsedQuantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

impl Eq for ParsedQuantity {}

impl PartialOrd for ParsedQuantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ParsedQuantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }
}

impl Hash for ParsedQuantity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.nanos.hash(state);
    }
}

impl Add for ParsedQuantity {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.combine(other, self.nanos.saturating_add(other.nanos))
    }
}

impl Sub for ParsedQuantity {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.combine(other, self.nanos.saturating_sub(other.nanos))
    }
}

impl Neg for ParsedQuantity {
    type Output = Self;

    fn neg(self) -> Self {
        let nanos = self.nanos.saturating_neg();
        Self { nanos, ..self }
    }
}

impl Mul<i64> for ParsedQuantity {
    type Output = Self;

    fn mul(self, times: i64) -> Self {
        let nanos = self.nanos.saturating_mul(times.into());
        Self { nanos, ..self }
    }
}

impl AddAssign for ParsedQuantity {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for ParsedQuantity {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for ParsedQuantity {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Add::add)
    }
}
