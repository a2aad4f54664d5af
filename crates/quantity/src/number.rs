//! Arithmetic with a mantissa and a power of ten, which never overflows.

use std::{
    cmp::Ordering,
    hash::{Hash, Hasher},
};

use crate::{ParsedQuantity, QuantityFormat};

/// 10⁹: the parts of one.
pub(crate) const ONE: i128 = 1_000_000_000;
/// The decimal suffixes, each with its power of ten.
pub(crate) const DECIMAL: [(&str, i32); 10] = [
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
pub(crate) const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

impl ParsedQuantity {
    /// Returns the mantissa at a power of ten, rounded up (away from zero); `None` if it has too many digits.
    pub(crate) fn at(self, power: i32) -> Option<i128> {
        let distance = i64::from(self.power) - i64::from(power);
        let ten = u32::try_from(distance.unsigned_abs())
            .ok()
            .and_then(|distance| 10_i128.checked_pow(distance));
        match ten {
            _ if self.mantissa == 0 => Some(0),
            Some(ten) if distance >= 0 => self.mantissa.checked_mul(ten),
            None if distance >= 0 => None,
            Some(ten) => {
                let rest = (self.mantissa % ten).signum();
                Some(self.mantissa / ten + rest)
            }
            None => Some(self.mantissa.signum()),
        }
    }

    /// Returns the value with another mantissa and power.
    fn with(self, mantissa: i128, power: i32, is_long: bool) -> Self {
        Self {
            mantissa,
            power,
            is_long,
            ..self
        }
    }

    /// Returns the sum; a zero takes the format of the other operand, as in Go.
    pub(crate) fn sum(self, other: Self) -> Self {
        let is_long = self.is_long || other.is_long;
        let format = if self.mantissa == 0 {
            other.format
        } else {
            self.format
        };
        let this = self.with_format(format);
        if other.mantissa == 0 {
            return this.with(self.mantissa, self.power, is_long);
        }
        if self.mantissa == 0 {
            return this.with(other.mantissa, other.power, is_long);
        }
        let mut power = self.power.min(other.power);
        let aligned = |power| Some((self.at(power)?, other.at(power)?));
        let fits = |value| i64::try_from(value).is_ok();
        loop {
            let parts = aligned(power);
            if let Some((one, two)) = parts
                && let Some(sum) = one.checked_add(two)
            {
                let is_long = is_long || !(fits(one) && fits(two) && fits(sum));
                return this.with(sum, power, is_long);
            }
            // What is too small beside a number of 38 digits is rounded.
            let top = self.power.max(other.power);
            power = power.max(top.saturating_sub(39)).saturating_add(1);
        }
    }

    /// Returns the product, rounded to as many digits as fit.
    pub(crate) fn product(self, times: i64) -> Self {
        let mut power = self.power;
        loop {
            let mantissa = self.at(power).and_then(|it| it.checked_mul(times.into()));
            if let Some(mantissa) = mantissa {
                let found = self.with(mantissa, power, self.is_long);
                let fits = found.at(power.min(0)).map(i64::try_from);
                let is_long = self.is_long || !matches!(fits, Some(Ok(_)));
                return self.with(mantissa, power, is_long);
            }
            power = power.saturating_add(1);
        }
    }

    /// Returns the mantissa without trailing zeros, and its power.
    pub(crate) fn reduced(self) -> (i128, i32) {
        let (mut mantissa, mut power) = (self.mantissa, self.power);
        if mantissa == 0 {
            return (0, 0);
        }
        while mantissa % 10 == 0 && power < i32::MAX {
            mantissa /= 10;
            power += 1;
        }
        (mantissa, power)
    }

    /// Writes the canonical text: without a fraction, and with the largest suffix that loses nothing.
    ///
    /// `is_safe`: beyond the largest suffix, that one is kept, where Go drops it.
    pub(crate) fn written(self, is_safe: bool) -> String {
        if self.mantissa == 0 {
            return "0".to_owned();
        }
        if self.format == QuantityFormat::BinarySi
            && let Some(text) = self.binary()
        {
            return text;
        }
        let (mantissa, power) = self.reduced();
        let zeros = power.rem_euclid(3);
        let power = power.saturating_sub(zeros);
        let mut digits = mantissa.to_string();
        digits.extend((0..zeros).map(|_| '0'));
        let suffix = DECIMAL.iter().find(|(_, of)| *of == power);
        match suffix {
            Some((suffix, _)) if self.format != QuantityFormat::DecimalExponent || power == 0 => {
                digits + suffix
            }
            _ if self.format == QuantityFormat::DecimalExponent => format!("{digits}e{power}"),
            _ if !is_safe => digits,
            // So long that an exponent is easier to read.
            _ if power > 60 => format!("{digits}e{power}"),
            _ => {
                digits.extend((18..power).map(|_| '0'));
                digits + "E"
            }
        }
    }

    /// Writes an integer of at least 1,024 with a binary suffix.
    fn binary(self) -> Option<String> {
        let (mantissa, power) = self.reduced();
        if power < 0 {
            return None;
        }
        let mut value = self.with(mantissa, power, false).at(0)?;
        if value.abs() < 1024 {
            return None;
        }
        let mut power = 0;
        while value % 1024 == 0 && power + 1 < BINARY.len() {
            value /= 1024;
            power += 1;
        }
        Some(format!("{value}{}", BINARY[power]))
    }
}

impl PartialEq for ParsedQuantity {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
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
        let signs = self.mantissa.signum().cmp(&other.mantissa.signum());
        if signs != Ordering::Equal {
            return signs;
        }
        let power = self.power.min(other.power);
        // The number that is too long for the smaller power is the larger one.
        let sizes = match (self.at(power), other.at(power)) {
            (Some(one), Some(two)) => return one.cmp(&two),
            (None, _) => Ordering::Greater,
            (_, None) => Ordering::Less,
        };
        if self.mantissa < 0 {
            sizes.reverse()
        } else {
            sizes
        }
    }
}

impl Hash for ParsedQuantity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.reduced().hash(state);
    }
}
