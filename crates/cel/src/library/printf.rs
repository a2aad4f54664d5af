//! `format` of strings, as version 2 of cel-go's library has it: with the separators and exponents of English texts.

use std::fmt::Write as _;

use cel::{
    ExecutionError,
    common::{
        types::{
            CelBool, CelBytes, CelDouble, CelDuration, CelInt, CelList, CelMap, CelNull, CelString,
            CelTimestamp, CelType, CelUInt,
        },
        value::{CowVal, Val},
    },
};

use kube_codegen_formats::go;

use crate::errors::error;

/// The digits after the point if a clause gives no precision.
const PRECISION: usize = 6;

/// Replaces the clauses of a text by the items of a list.
pub(crate) fn format<'e>(
    text: &str,
    items: &[Box<dyn Val>],
) -> Result<CowVal<'e, 'static>, ExecutionError> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut items = items.iter();
    let count = items.len();
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        if let Some(after) = after.strip_prefix('%') {
            out.push('%');
            rest = after;
            continue;
        }
        let Some(item) = items.next() else {
            return Err(error("format", format!("index {count} out of range")));
        };
        let (shown, after) = clause(after, &**item).map_err(|why| error("format", why))?;
        out.push_str(&shown);
        rest = after;
    }
    out.push_str(rest);
    Ok(CowVal::owned(CelString::from(out)))
}

/// Formats a value by the clause that a text starts with, and returns the rest of the text.
fn clause<'a>(text: &'a str, value: &dyn Val) -> Result<(String, &'a str), String> {
    let rejected = |why: &str| format!("could not parse formatting clause: {why}");
    let (precision, rest) = match text.strip_prefix('.') {
        None => (PRECISION, text),
        Some(rest) => {
            let end = rest.find(|letter: char| !letter.is_ascii_digit());
            let end = end.ok_or_else(|| {
                rejected("error while parsing precision: could not find end of precision specifier")
            })?;
            let digits = rest[..end].parse().map_err(|_| {
                rejected(
                    "error while parsing precision: error while converting precision to integer",
                )
            })?;
            (digits, &rest[end..])
        }
    };
    let mut letters = rest.chars();
    let shown = match letters.next() {
        None => return Err("unexpected end of string".to_owned()),
        Some('s') => string(value),
        Some('d') => decimal(value)
            .ok_or_else(|| wrong("decimal clause can only be used on integers", value)),
        Some('f') => double(value)
            .map(|value| fixed(value, precision))
            .ok_or_else(|| wrong("fixed-point clause can only be used on doubles", value)),
        Some('e') => double(value)
            .map(|value| scientific(value, precision))
            .ok_or_else(|| wrong("scientific clause can only be used on doubles", value)),
        Some('b') => match value.downcast_ref::<CelBool>() {
            Some(value) => Ok(u8::from(*value.inner()).to_string()),
            None => integer(value, |sign, value| format!("{sign}{value:b}"))
                .ok_or_else(|| wrong("only integers and bools can be formatted as binary", value)),
        },
        Some('o') => integer(value, |sign, value| format!("{sign}{value:o}"))
            .ok_or_else(|| wrong("octal clause can only be used on integers", value)),
        Some(letter @ ('x' | 'X')) => hex(value)
            .map(|text| {
                if letter == 'X' {
                    text.to_uppercase()
                } else {
                    text
                }
            })
            .ok_or_else(|| {
                wrong(
                    "only integers, byte buffers, and strings can be formatted as hex",
                    value,
                )
            }),
        Some(letter) => {
            let why = format!("unrecognized formatting clause \"{letter}\"");
            return Err(rejected(&why));
        }
    };
    match shown {
        Ok(shown) => Ok((shown, letters.as_str())),
        Err(why) => Err(format!("error during formatting: {why}")),
    }
}

fn wrong(why: &str, value: &dyn Val) -> String {
    format!("{why}, was given {}", value.get_type().name())
}

/// Formats a value for `%s`.
fn string(value: &dyn Val) -> Result<String, String> {
    if let Some(text) = value.downcast_ref::<CelString>() {
        Ok(text.inner().to_owned())
    } else if let Some(bytes) = value.downcast_ref::<CelBytes>() {
        Ok(String::from_utf8_lossy(bytes.inner()).into_owned())
    } else if let Some(text) = plain(value) {
        Ok(text)
    } else if let Some(value) = value.downcast_ref::<CelDouble>() {
        Ok(go::float(*value.inner()))
    } else if let Some(time) = value.downcast_ref::<CelTimestamp>() {
        Ok(moment(time))
    } else if let Some(duration) = value.downcast_ref::<CelDuration>() {
        Ok(seconds(duration))
    } else if let Some(items) = value.downcast_ref::<CelList>() {
        let items = items.inner().iter().map(|item| literal(&**item));
        Ok(format!(
            "[{}]",
            items.collect::<Result<Vec<_>, _>>()?.join(", ")
        ))
    } else if let Some(entries) = value.downcast_ref::<CelMap>() {
        let mut shown = Vec::new();
        for (key, value) in entries.inner() {
            shown.push((literal(key.inner())?, literal(&**value)?));
        }
        shown.sort();
        let shown: Vec<_> = shown
            .iter()
            .map(|(key, value)| format!("{key}:{value}"))
            .collect();
        Ok(format!("{{{}}}", shown.join(", ")))
    } else {
        Err(wrong(
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
            value,
        ))
    }
}

/// Formats a value inside a list or a map, as in an expression.
fn literal(value: &dyn Val) -> Result<String, String> {
    if let Some(text) = value.downcast_ref::<CelString>() {
        Ok(go::quote(text.inner()))
    } else if let Some(bytes) = value.downcast_ref::<CelBytes>() {
        Ok(format!(
            "b{}",
            go::quote(&String::from_utf8_lossy(bytes.inner()))
        ))
    } else if let Some(value) = value.downcast_ref::<CelDouble>() {
        let value = *value.inner();
        Ok(if value.is_finite() {
            format!("{value:.PRECISION$}")
        } else {
            go::quote(&go::float(value))
        })
    } else if let Some(time) = value.downcast_ref::<CelTimestamp>() {
        Ok(format!("timestamp({})", go::quote(&moment(time))))
    } else if let Some(duration) = value.downcast_ref::<CelDuration>() {
        Ok(format!("duration({})", go::quote(&seconds(duration))))
    } else if is_container(value) || plain(value).is_some() {
        string(value)
    } else {
        Err(format!(
            "no formatting function for {}",
            value.get_type().name()
        ))
    }
}

fn is_container(value: &dyn Val) -> bool {
    value.downcast_ref::<CelList>().is_some() || value.downcast_ref::<CelMap>().is_some()
}

/// Formats the values that are the same everywhere.
fn plain(value: &dyn Val) -> Option<String> {
    if let Some(value) = value.downcast_ref::<CelBool>() {
        Some(value.inner().to_string())
    } else if value.downcast_ref::<CelNull>().is_some() {
        Some("null".to_owned())
    } else if let Some(type_) = value.downcast_ref::<CelType>() {
        Some(type_.name().to_owned())
    } else {
        decimal(value)
    }
}

fn decimal(value: &dyn Val) -> Option<String> {
    integer(value, |sign, value| format!("{sign}{value}"))
}

/// Formats an integer from its sign and its absolute value.
fn integer(value: &dyn Val, format: fn(&str, u64) -> String) -> Option<String> {
    if let Some(value) = value.downcast_ref::<CelInt>() {
        let value = *value.inner();
        let sign = if value < 0 { "-" } else { "" };
        return Some(format(sign, value.unsigned_abs()));
    }
    let value = value.downcast_ref::<CelUInt>()?;
    Some(format("", *value.inner()))
}

fn hex(value: &dyn Val) -> Option<String> {
    let digits = |bytes: &[u8]| {
        bytes.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    };
    if let Some(text) = value.downcast_ref::<CelString>() {
        return Some(digits(text.inner().as_bytes()));
    }
    if let Some(bytes) = value.downcast_ref::<CelBytes>() {
        return Some(digits(bytes.inner()));
    }
    integer(value, |sign, value| format!("{sign}{value:x}"))
}

/// Returns a double, also one that is written as `NaN` or `Infinity`.
fn double(value: &dyn Val) -> Option<f64> {
    if let Some(value) = value.downcast_ref::<CelDouble>() {
        return Some(*value.inner());
    }
    match value.downcast_ref::<CelString>()?.inner() {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

fn unusual(value: f64) -> Option<String> {
    if value.is_nan() {
        return Some("NaN".to_owned());
    }
    value
        .is_infinite()
        .then(|| if value > 0.0 { "∞" } else { "-∞" }.to_owned())
}

/// What Go writes for a number in a clause that is too long for it.
fn unreadable(precision: usize) -> Option<String> {
    (precision / 10 > 1_000_000).then(|| "%!(NOVERB)".to_owned())
}

/// Formats with a comma after each three digits.
///
/// As in Go, the least number of decimals has 8 bits, and the largest 16 with a sign; a negative one does not limit.
fn fixed(value: f64, precision: usize) -> String {
    /// No double has more decimals.
    const ALL: usize = 1074;
    if let Some(text) = unreadable(precision).or_else(|| unusual(value)) {
        return text;
    }
    let [least, high, ..] = precision.to_le_bytes();
    let most = i16::from_le_bytes([least, high]);
    let text = match usize::try_from(most) {
        Ok(most) => format!("{:.*}", most.min(ALL), value.abs()),
        Err(_) => value.abs().to_string(),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let least = usize::from(least);
    let fraction = format!("{:0<least$}", fraction.trim_end_matches('0'));
    let mut out = String::new();
    if value.is_sign_negative() {
        out.push('-');
    }
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(&fraction);
    }
    out
}

/// Formats as `2.500000 × 10⁰⁰`. Like cel-go, it takes the precision for a width, of 16 bits.
fn scientific(value: f64, precision: usize) -> String {
    if let Some(text) = unreadable(precision) {
        return text;
    }
    let [low, high, ..] = precision.to_le_bytes();
    let width = usize::from(u16::from_le_bytes([low, high]));
    let text = unusual(value).unwrap_or_else(|| exponential(value));
    // A width in a format has fewer bits.
    " ".repeat(width.saturating_sub(text.chars().count())) + &text
}

fn exponential(value: f64) -> String {
    let text = format!("{value:.PRECISION$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ("⁻", exponent),
        None => ("", exponent),
    };
    let raised = format!("{exponent:0>2}");
    let raised = raised.chars().map(|digit| match digit {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    });
    format!(
        "{digits}\u{202f}×\u{202f}10{sign}{}",
        raised.collect::<String>()
    )
}

fn moment(time: &CelTimestamp) -> String {
    let time = time.inner().to_utc();
    let text = time.format("%Y-%m-%dT%H:%M:%S").to_string();
    let nanos = format!("{:09}", time.timestamp_subsec_nanos());
    match nanos.trim_end_matches('0') {
        "" => format!("{text}Z"),
        fraction => format!("{text}.{fraction}Z"),
    }
}

fn seconds(duration: &CelDuration) -> String {
    let duration = duration.inner();
    let fraction = f64::from(duration.subsec_nanos()) / 1e9;
    #[expect(clippy::cast_precision_loss, reason = "as in Go")]
    let seconds = duration.num_seconds() as f64;
    format!("{}s", seconds + fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As on a server of Kubernetes 1.37.
    #[test]
    fn a_precision_has_the_bits_that_go_gives_it() {
        let tenth = "0.1000000000000000055511151231257827021181583404541015625";
        for (value, precision, expected) in [
            (1.0, 65_535, format!("1.{}", "0".repeat(255))),
            (1.0, 65_536, "1".to_owned()),
            (0.15, 65_537, "0.1".to_owned()),
            (0.15, 32_769, "0.15".to_owned()),
            (0.1, 300, tenth.to_owned()),
            (1.0, 10_000_000, format!("1.{}", "0".repeat(128))),
            (1.0, 10_000_010, "%!(NOVERB)".to_owned()),
            (1.0, usize::MAX, "%!(NOVERB)".to_owned()),
        ] {
            assert_eq!(fixed(value, precision), expected, "{value} {precision}");
        }
        for (precision, width) in [(20, 20), (65_560, 24), (65_536, 15), (99_999_999, 10)] {
            let text = scientific(1.5, precision);
            assert_eq!(text.chars().count(), width, "{text}");
        }
    }
}
