//! Resolves a YAML scalar to the JSON value that the API server sees.
//!
//! kubectl and the API server read YAML 1.1 as Go's yaml.v2 (`sigs.k8s.io/yaml`) does: plain `on` is a boolean, plain
//! `0755` is octal, `1_000` is a number, timestamps are text.
mod number;

use std::borrow::Cow;

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{GeneralPurpose, GeneralPurposeConfig},
};
use serde_json::Value;

/// What the tags of YAML's own types begin with.
pub(super) const CORE: &str = "tag:yaml.org,2002:";

/// Base64 as Go reads it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// A resolved scalar.
pub(super) struct Scalar {
    /// Its value.
    pub(super) value: Value,
    /// The text, where YAML 1.2 would see text or another number.
    pub(super) surprising: Option<String>,
    /// The float that it is read as, even if its value is whole.
    pub(super) float: Option<f64>,
}

impl Scalar {
    pub(super) fn plain(value: impl Into<Value>) -> Self {
        Self {
            value: value.into(),
            surprising: None,
            float: None,
        }
    }

    /// Returns its text as a key: JSON has no other keys, and Go formats floats differently there.
    pub(super) fn into_key(self) -> Result<String, String> {
        match self.value {
            Value::Null => Err("null cannot be a key".to_owned()),
            Value::String(name) => Ok(name),
            Value::Number(number) => match self.float {
                Some(float) => Ok(number::key(float)),
                None if number.is_i64() => Ok(number.to_string()),
                None => Err(format!("the number {number} is too large for a key")),
            },
            other => Ok(other.to_string()),
        }
    }
}

/// Resolves a scalar; fails with the reason if JSON has no such value.
pub(super) fn read(
    text: Cow<'_, str>,
    is_plain: bool,
    tag: Option<&str>,
) -> Result<Scalar, String> {
    match tag.and_then(|tag| tag.strip_prefix(CORE)) {
        None if tag.is_none() && is_plain => resolve(text),
        Some("binary") => binary(&text),
        Some(kind @ ("bool" | "int" | "float" | "null")) => {
            let scalar = resolve(Cow::Borrowed(&text))?;
            let fits = match kind {
                "bool" => scalar.value.is_boolean(),
                "int" => scalar.value.is_number() && scalar.float.is_none(),
                "float" => scalar.float.is_some() || scalar.value.is_i64(),
                _ => scalar.value.is_null(),
            };
            if fits {
                Ok(Scalar {
                    surprising: None,
                    ..scalar
                })
            } else {
                Err(format!("{text:?} is not of type {kind}"))
            }
        }
        // JSON has no place for any other tag.
        None | Some(_) => Ok(Scalar::plain(text.into_owned())),
    }
}

/// Decodes base64 to text, as Go does: with a replacement character for what is not UTF-8.
fn binary(text: &str) -> Result<Scalar, String> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|byte| !matches!(byte, b'\r' | b'\n'))
        .collect();
    match BASE64.decode(digits) {
        Ok(bytes) => Ok(Scalar::plain(String::from_utf8_lossy(&bytes).into_owned())),
        Err(_) => Err("the value of !!binary is not base64".to_owned()),
    }
}

/// Resolves a plain scalar without a tag.
fn resolve(text: Cow<'_, str>) -> Result<Scalar, String> {
    match text.as_bytes().first() {
        None => return Ok(Scalar::plain(Value::Null)),
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            if let Some((value, surprising)) = word(&text) {
                let surprising = surprising.then(|| text.into_owned());
                return Ok(Scalar {
                    value,
                    surprising,
                    float: None,
                });
            }
        }
        Some(b'+' | b'-' | b'.' | b'0'..=b'9') => {
            if let Some(number) = number::read(&text) {
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
            let read = read(text.into(), true, None).map(|scalar| scalar.value);
            assert_eq!(read, Ok(value), "{text}");
        }
        for text in [".inf", "-.INF", ".nan"] {
            assert!(read(text.into(), true, None).is_err(), "{text}");
        }
    }

    #[test]
    fn quotes_and_tags_decide() {
        let tagged = |suffix: &str, text: &'static str| {
            let tag = format!("{CORE}{suffix}");
            read(text.into(), true, Some(&tag)).map(|scalar| scalar.value)
        };
        assert_eq!(tagged("str", "5"), Ok(json!("5")));
        assert_eq!(tagged("int", "5"), Ok(json!(5)));
        assert!(tagged("int", "x").is_err());
        assert_eq!(tagged("binary", "aGk="), Ok(json!("hi")));
        assert!(tagged("binary", "aGk").is_err());
        let quoted = read("on".into(), false, None);
        assert_eq!(quoted.map(|scalar| scalar.value), Ok(json!("on")));
    }

    #[test]
    fn marks_values_that_differ_from_their_text() {
        for (text, surprising) in [
            ("on", true),
            ("true", false),
            ("0755", true),
            ("1_0", true),
            ("0", false),
            ("0.5", false),
        ] {
            let read = read(text.into(), true, None);
            assert_eq!(
                read.map(|scalar| scalar.surprising.is_some()),
                Ok(surprising),
                "{text}"
            );
        }
    }
}
