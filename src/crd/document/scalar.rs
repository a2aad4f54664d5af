//! A YAML scalar comes in, the JSON value that the API server sees goes out.
//!
//! kubectl and the API server read YAML 1.1 in the way of Go's yaml.v2 (`sigs.k8s.io/yaml`): plain `on` is a boolean,
//! plain `0755` is octal, `1_000` is a number, timestamps are text.
use saphyr_parser::{ScalarStyle, Tag};
use serde_json::{Number, Value};
use std::borrow::Cow;

/// What a scalar is.
pub(super) struct Scalar {
    /// Its value.
    pub(super) value: Value,
    /// The text, where YAML 1.2 would see text or another number.
    pub(super) surprising: Option<String>,
}

impl Scalar {
    fn plain(value: impl Into<Value>) -> Self {
        Self {
            value: value.into(),
            surprising: None,
        }
    }
}

/// Reads a scalar; fails with the reason where JSON has no such value.
pub(super) fn read(
    text: Cow<'_, str>,
    style: ScalarStyle,
    tag: Option<&Tag>,
) -> Result<Scalar, String> {
    let core = tag.filter(|tag| tag.is_yaml_core_schema());
    match core.map(|tag| tag.suffix.as_str()) {
        None if tag.is_none() && style == ScalarStyle::Plain => resolve(text),
        // A tag of somebody's own says nothing that JSON could.
        None | Some("str" | "timestamp") => Ok(Scalar::plain(text.into_owned())),
        Some(kind @ ("bool" | "int" | "float" | "null")) => {
            let scalar = resolve(Cow::Borrowed(&text))?;
            let fits = match kind {
                "bool" => scalar.value.is_boolean(),
                "int" => scalar.value.is_i64() || scalar.value.is_u64(),
                "float" => scalar.value.is_number(),
                _ => scalar.value.is_null(),
            };
            if fits {
                Ok(Scalar::plain(scalar.value))
            } else {
                Err(format!("{text:?} is no {kind}"))
            }
        }
        Some(kind) => Err(format!("the tag !!{kind} has no meaning in JSON")),
    }
}

/// What a plain scalar without a tag stands for.
fn resolve(text: Cow<'_, str>) -> Result<Scalar, String> {
    match text.as_bytes().first() {
        None => return Ok(Scalar::plain(Value::Null)),
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            if let Some((value, surprising)) = word(&text) {
                let surprising = surprising.then(|| text.into_owned());
                return Ok(Scalar { value, surprising });
            }
        }
        Some(b'+' | b'-' | b'.' | b'0'..=b'9') => {
            if let Some(number) = number(&text) {
                return number;
            }
        }
        Some(_) => {}
    }
    Ok(Scalar::plain(text.into_owned()))
}

fn word(text: &str) -> Option<(Value, bool)> {
    Some(match text {
        "true" | "True" | "TRUE" => (true.into(), false),
        "false" | "False" | "FALSE" => (false.into(), false),
        "~" | "null" | "Null" | "NULL" => (Value::Null, false),
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => (true.into(), true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => (false.into(), true),
        _ => return None,
    })
}

/// The number a text stands for; none if it is no number.
fn number(text: &str) -> Option<Result<Scalar, String>> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(Err(format!("JSON has no number {text}")));
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
        return Some(Ok(Scalar { value, surprising }));
    }
    if !is_float(&digits) {
        return None;
    }
    let value: f64 = digits.parse().ok()?;
    Some(match Number::from_f64(value) {
        Some(number) => Ok(Scalar {
            value: whole(value).map_or(Value::Number(number), Value::from),
            surprising: (digits.len() != text.len()).then(|| text.to_owned()),
        }),
        None => Err(format!("JSON has no number as large as {text}")),
    })
}

/// Go's `strconv.ParseInt(text, 0, 64)`, then `ParseUint`: the prefix tells the base.
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_plain_scalars_as_go_does() {
        for (text, value) in [
            ("", json!(null)),
            ("~", json!(null)),
            ("Null", json!(null)),
            ("nil", json!("nil")),
            ("on", json!(true)),
            ("N", json!(false)),
            ("oN", json!("oN")),
            ("True", json!(true)),
            ("0", json!(0)),
            ("-0", json!(0)),
            ("0755", json!(493)),
            ("0o17", json!(15)),
            ("-0x1F", json!(-31)),
            ("0b101", json!(5)),
            ("08", json!(8)),
            ("1_000", json!(1000)),
            ("+12", json!(12)),
            ("--12", json!("--12")),
            ("-+12", json!("-+12")),
            (
                "18446744073709551615",
                json!(18_446_744_073_709_551_615_u64),
            ),
            ("-9223372036854775808", json!(i64::MIN)),
            ("1.5", json!(1.5)),
            ("1.0", json!(1)),
            (".5", json!(0.5)),
            ("1e3", json!(1000)),
            ("1e", json!("1e")),
            (".", json!(".")),
            ("1.2.3", json!("1.2.3")),
            ("1:30", json!("1:30")),
            ("2024-01-01", json!("2024-01-01")),
            ("-", json!("-")),
            ("(a|b)", json!("(a|b)")),
        ] {
            let read = read(text.into(), ScalarStyle::Plain, None).map(|scalar| scalar.value);
            assert_eq!(read, Ok(value), "{text}");
        }
        for text in [".inf", "-.INF", ".nan", "1e999"] {
            assert!(
                read(text.into(), ScalarStyle::Plain, None).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn quotes_and_tags_decide() {
        let tagged = |suffix: &str, text: &'static str| {
            let tag = Tag {
                handle: "tag:yaml.org,2002:".to_owned(),
                suffix: suffix.to_owned(),
            };
            read(text.into(), ScalarStyle::Plain, Some(&tag)).map(|scalar| scalar.value)
        };
        assert_eq!(tagged("str", "5"), Ok(json!("5")));
        assert_eq!(tagged("int", "5"), Ok(json!(5)));
        assert!(tagged("int", "x").is_err());
        assert!(tagged("binary", "aGk=").is_err());
        let quoted = read("on".into(), ScalarStyle::SingleQuoted, None);
        assert_eq!(quoted.map(|scalar| scalar.value), Ok(json!("on")));
    }

    #[test]
    fn tells_what_looks_different() {
        for (text, surprising) in [
            ("on", true),
            ("true", false),
            ("0755", true),
            ("1_0", true),
            ("0", false),
            ("0.5", false),
        ] {
            let read = read(text.into(), ScalarStyle::Plain, None);
            assert_eq!(
                read.map(|scalar| scalar.surprising.is_some()),
                Ok(surprising),
                "{text}"
            );
        }
    }
}
