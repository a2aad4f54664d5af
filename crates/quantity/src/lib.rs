//! Parses Kubernetes quantities: comparison, arithmetic and canonical text, as in Go's `resource.Quantity`.
//!
//! Of 3,871 strings whose values we recorded from Go, the crate `kube_quantity` rejects 885 and prints 1,748 differently.

mod number;
mod parse;

use std::{
    fmt,
    iter::Sum,
    ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign},
};

#[cfg(feature = "k8s-openapi")]
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

pub use parse::{ParseQuantityError, stored};

/// The value of a quantity such as `500m`, `1.5Gi` or `1e3`.
///
/// Fields of the type `Quantity` hold text. Parse it to compare or calculate, and convert the result back to text, which has the same
/// canonical form as Go's [`resource.Quantity`]. Values are compared as numbers: `1Gi` equals `1024Mi`.
///
/// ```
/// use kube_codegen_quantity::ParsedQuantity;
///
/// let request: ParsedQuantity = "1536Mi".parse()?;
/// let limit: ParsedQuantity = "2Gi".parse()?;
/// assert!(request < limit);
/// assert_eq!((limit - request).to_string(), "512Mi");
/// assert_eq!((request * 2).to_string(), "3Gi");
///
/// let cpu: ParsedQuantity = "1.5".parse()?;
/// assert_eq!(cpu.to_string(), "1500m");
/// assert_eq!((cpu.milli(), cpu.integer()), (Some(1500), Some(2)));
/// # Ok::<(), kube_codegen_quantity::ParseQuantityError>(())
/// ```
///
/// A value is a multiple of 10⁻⁹; smaller parts of a string are rounded up, away from zero. It holds 38 digits and a power of ten of any
/// size that occurs in strings; further digits are rounded, too. As in Go, a string with a binary suffix (`Ki` to `Ei`) is at most 2⁶³ −
/// 1, and a string without digits, such as `k`, is 0.
///
/// [`resource.Quantity`]: https://pkg.go.dev/k8s.io/apimachinery/pkg/api/resource#Quantity
#[derive(Clone, Copy, Debug)]
pub struct ParsedQuantity {
    mantissa: i128,
    /// The power of ten that the mantissa is multiplied by, at least -9.
    power: i32,
    format: QuantityFormat,
    /// Whether Go keeps it as a big decimal, and not in 64 bits.
    is_long: bool,
}

/// The suffixes used to write a [`ParsedQuantity`]: those of the parsed string, or of the first operand of a sum.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum QuantityFormat {
    /// Powers of 1,000: `n`, `u`, `m`, none, `k`, `M`, `G`, `T`, `P`, `E`.
    #[default]
    DecimalSi,
    /// Powers of 1,024: `Ki`, `Mi`, `Gi`, `Ti`, `Pi`, `Ei`. Fractions, and values below 1,024, are written as
    /// [`DecimalSi`](Self::DecimalSi).
    BinarySi,
    /// Powers of ten: `1e3`.
    DecimalExponent,
}

impl ParsedQuantity {
    /// Zero.
    pub const ZERO: Self = Self::from_nanos(0);

    /// Creates a value from a number of billionths (10⁻⁹).
    pub const fn from_nanos(nanos: i128) -> Self {
        Self {
            mantissa: nanos,
            power: -9,
            format: QuantityFormat::DecimalSi,
            is_long: true,
        }
    }

    /// Returns the value in billionths (10⁻⁹), limited to the range of 128 bits.
    pub fn nanos(self) -> i128 {
        self.at(-9).unwrap_or(if self.mantissa < 0 {
            i128::MIN
        } else {
            i128::MAX
        })
    }

    /// Returns the value as an integer, rounded up (away from zero) like Go's `Value`; `None` beyond 64 bits.
    pub fn integer(self) -> Option<i64> {
        self.at(0)?.try_into().ok()
    }

    /// Returns the value in thousandths, rounded up (away from zero) like Go's `MilliValue`; `None` beyond 64 bits.
    pub fn milli(self) -> Option<i64> {
        self.at(-3)?.try_into().ok()
    }

    /// Rounds the value up (away from zero) to thousandths, as the API server does in resource lists.
    #[must_use]
    pub fn rounded_to_milli(self) -> Self {
        match self.at(-3) {
            Some(mantissa) if self.power < -3 => Self {
                mantissa,
                power: -3,
                ..self
            },
            _ => self,
        }
    }

    /// Returns the value if it is a 64-bit integer whose text has no fraction and few digits, like Go's `AsInt64`.
    pub fn as_i64(self) -> Option<i64> {
        if self.is_long || self.power < 0 {
            return None;
        }
        self.integer()
    }

    /// Returns the nearest float.
    pub fn as_f64(self) -> f64 {
        // Through its digits, the value is rounded once.
        let text = format!("{}e{}", self.mantissa, self.power);
        text.parse().unwrap_or(f64::NAN)
    }

    /// Returns the same float as Go's `AsApproximateFloat64`.
    pub fn as_approximate_f64(self) -> f64 {
        // Go keeps a big decimal as a multiple of 10⁻⁹.
        let (zeros, power) = if self.is_long && self.mantissa != 0 {
            (i64::from(self.power) + 9, -9)
        } else {
            (0, self.power)
        };
        let base = format!("{}e{zeros}", self.mantissa);
        let base: f64 = base.parse().unwrap_or(f64::NAN);
        if power == 0 {
            base
        } else {
            base * power_of_ten(power)
        }
    }

    /// Returns the suffixes used to write the value.
    pub const fn format(self) -> QuantityFormat {
        self.format
    }

    /// Returns the same value, written with other suffixes.
    #[must_use]
    pub const fn with_format(self, format: QuantityFormat) -> Self {
        Self { format, ..self }
    }
}

/// Returns a power of ten as Go's `math.Pow10` does, from two of its tables.
fn power_of_ten(power: i32) -> f64 {
    let table = |power: u32| format!("1e{power}").parse().unwrap_or(f64::NAN);
    let size = power.unsigned_abs();
    match power {
        0..=308 => table(size / 32 * 32) * table(size % 32),
        -323..0 => {
            let large: f64 = format!("1e-{}", size / 32 * 32).parse().unwrap_or(f64::NAN);
            large / table(size % 32)
        }
        309.. => f64::INFINITY,
        _ => 0.0,
    }
}

impl fmt::Display for ParsedQuantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.written(true))
    }
}

#[cfg(feature = "k8s-openapi")]
impl TryFrom<&Quantity> for ParsedQuantity {
    type Error = ParseQuantityError;

    fn try_from(quantity: &Quantity) -> Result<Self, ParseQuantityError> {
        quantity.0.parse()
    }
}

#[cfg(feature = "k8s-openapi")]
impl From<ParsedQuantity> for Quantity {
    fn from(value: ParsedQuantity) -> Self {
        Self(value.to_string())
    }
}

impl From<i64> for ParsedQuantity {
    fn from(value: i64) -> Self {
        Self {
            mantissa: value.into(),
            power: 0,
            format: QuantityFormat::DecimalSi,
            is_long: false,
        }
    }
}

impl Default for ParsedQuantity {
    fn default() -> Self {
        Self::ZERO
    }
}

impl Add for ParsedQuantity {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.sum(other)
    }
}

impl Sub for ParsedQuantity {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.sum(-other)
    }
}

impl Neg for ParsedQuantity {
    type Output = Self;

    fn neg(self) -> Self {
        let mantissa = self.mantissa.saturating_neg();
        Self { mantissa, ..self }
    }
}

impl Mul<i64> for ParsedQuantity {
    type Output = Self;

    fn mul(self, times: i64) -> Self {
        self.product(times)
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
