//! The canonical form of quantities (<https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/>).

const WRONG_FORM: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_SUFFIX: &str = "unable to parse quantity's suffix";

const BINARY: &[&str] = &["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const DECIMAL: &[&str] = &["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    Binary,
    Decimal,
    Exponent,
}

/// A quantity in billionths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quantity {
    nano: i128,
    format: Format,
}

impl Quantity {
    /// Parses a quantity. The error is Go's.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let end = unsigned
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(unsigned.len());
        let (number, suffix) = unsigned.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.len() + fraction.len() == 0 || fraction.contains('.') {
            return Err(WRONG_FORM);
        }
        let (scale, format) = scale(suffix).ok_or(WRONG_SUFFIX)?;
        let mut nano: i128 = format!("{whole}{fraction}")
            .parse()
            .map_err(|_| WRONG_FORM)?;
        let mut factor: i128 = 1;
        let mut decimals = 9 - i64::try_from(fraction.len()).unwrap_or(i64::MAX);
        match scale {
            Scale::Binary(power) => factor = 1024_i128.pow(power),
            Scale::Decimal(exponent) => decimals += exponent,
        }
        nano = nano.checked_mul(factor).ok_or(WRONG_FORM)?;
        let ten = 10_i128.checked_pow(u32::try_from(decimals.abs()).unwrap_or(u32::MAX));
        nano = match (ten, decimals >= 0) {
            (Some(ten), true) => nano.checked_mul(ten).ok_or(WRONG_FORM)?,
            // What is finer than a billionth is rounded up.
            (Some(ten), false) => nano / ten + i128::from(nano % ten != 0),
            (None, _) => return Err(WRONG_FORM),
        };
        if text.starts_with('-') {
            nano = -nano;
        }
        Ok(Self { nano, format })
    }

    /// Rounds up to thousandths, as the server does in lists of resources.
    pub(crate) fn round_up_to_milli(&mut self) {
        let rest = self.nano % 1_000_000;
        if rest != 0 {
            self.nano += 1_000_000 * rest.signum() - rest;
        }
    }

    /// Adds another amount; the sum has the form of this one.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            nano: self.nano.saturating_add(other.nano),
            format: self.format,
        }
    }

    pub(crate) fn nano(&self) -> i128 {
        self.nano
    }
}

impl std::fmt::Display for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const ONE: i128 = 1_000_000_000;
        if self.nano == 0 {
            return f.write_str("0");
        }
        let mut power = 0;
        if self.format == Format::Binary && self.nano.abs() >= 1024 * ONE {
            let mut value = self.nano / ONE + (self.nano % ONE).signum();
            while value % 1024 == 0 && power + 1 < BINARY.len() {
                value /= 1024;
                power += 1;
            }
            return write!(f, "{value}{}", BINARY[power]);
        }
        let mut value = self.nano;
        while value % 1000 == 0 && power + 1 < DECIMAL.len() {
            value /= 1000;
            power += 1;
        }
        if self.format == Format::Exponent && !DECIMAL[power].is_empty() {
            let exponent = i64::try_from(power).unwrap_or_default() * 3 - 9;
            return write!(f, "{value}e{exponent}");
        }
        write!(f, "{value}{}", DECIMAL[power])
    }
}

enum Scale {
    Binary(u32),
    Decimal(i64),
}

fn scale(suffix: &str) -> Option<(Scale, Format)> {
    if let Some(power) = DECIMAL.iter().position(|it| *it == suffix) {
        let exponent = i64::try_from(power).unwrap_or_default() * 3 - 9;
        return Some((Scale::Decimal(exponent), Format::Decimal));
    }
    if let Some(power) = BINARY.iter().position(|it| *it == suffix) {
        let power = u32::try_from(power).unwrap_or_default();
        return Some((Scale::Binary(power), Format::Binary));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    Some((Scale::Decimal(exponent), Format::Exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_the_canonical_form_of_the_server() {
        for (given, expected) in [
            ("0.1", "100m"),
            ("1000m", "1"),
            ("1.5", "1500m"),
            ("1000", "1k"),
            ("1024Ki", "1Mi"),
            ("1.5Gi", "1536Mi"),
            ("0.5Ki", "512"),
            ("1536", "1536"),
            ("1e3", "1e3"),
            ("1E", "1E"),
            ("0Gi", "0"),
            ("-5", "-5"),
            ("1n", "1n"),
            ("0.0000000001", "1n"),
        ] {
            let found = Quantity::parse(given).map(|it| it.to_string());
            assert_eq!(found.as_deref(), Ok(expected), "{given}");
        }
        assert_eq!(Quantity::parse("").err(), Some(WRONG_FORM));
        assert_eq!(Quantity::parse("1x").err(), Some(WRONG_SUFFIX));
    }
}
