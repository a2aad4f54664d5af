//! Reads quantities, times, base64 and other scalars as Go's types do.

use k8s_openapi::{
    ByteString,
    jiff::{Timestamp, tz::TimeZone},
};
use kube_codegen_quantity::ParsedQuantity;
use serde_json::Value;

use crate::values::object::text;

/// Why a value is not one of its type.
pub(super) enum Wrong {
    Type,
    Value(String),
}

/// Returns the normal form of a scalar, where it differs; `None` if the schema is of a list or map, or of anything.
pub(super) fn scalar(schema: &Value, value: &Value) -> Option<Result<Option<Value>, Wrong>> {
    let kind = text(schema, "/type");
    Some(match (text(schema, "/x-type"), value) {
        ("api.resource.Quantity", _) => stored_quantity(value).map(Some),
        ("apis.meta.v1.Time", Value::String(text)) => time(text, false).map(Some),
        ("apis.meta.v1.MicroTime", Value::String(text)) => time(text, true).map(Some),
        ("util.intstr.IntOrString", Value::String(_)) => Ok(None),
        ("util.intstr.IntOrString", Value::Number(number)) => match number.as_i64() {
            Some(number) if i32::try_from(number).is_ok() => Ok(None),
            _ => Err(Wrong::Type),
        },
        ("util.intstr.IntOrString", _) => Err(Wrong::Type),
        (_, Value::String(text)) if text_format(schema) == "byte" => bytes(text).map(Some),
        (_, Value::String(_)) if kind == "string" => Ok(None),
        (_, Value::Bool(_)) if kind == "boolean" => Ok(None),
        (_, Value::Number(number)) if kind == "integer" => {
            let fits = number.as_i64().is_some_and(|number| {
                text_format(schema) != "int32" || i32::try_from(number).is_ok()
            });
            fits.then_some(None).ok_or(Wrong::Type)
        }
        (_, Value::Number(_)) if kind == "number" => Ok(None),
        _ if matches!(kind, "string" | "boolean" | "integer" | "number") => Err(Wrong::Type),
        _ => return None,
    })
}

fn text_format(schema: &Value) -> &str {
    text(schema, "/format")
}

/// Returns the value of a quantity that was decoded.
pub(crate) fn quantity(value: &Value) -> Option<ParsedQuantity> {
    value.as_str()?.parse().ok()
}

fn stored_quantity(value: &Value) -> Result<Value, Wrong> {
    let given = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        // Go parses the JSON text.
        other => other.to_string(),
    };
    match kube_codegen_quantity::stored(given.trim()) {
        Ok(stored) => Ok(stored.into()),
        Err(why) => Err(Wrong::Value(why.message().to_owned())),
    }
}

fn time(given: &str, micro: bool) -> Result<Value, Wrong> {
    let layout = if micro {
        "2006-01-02T15:04:05.000000Z07:00"
    } else {
        "2006-01-02T15:04:05Z07:00"
    };
    let wrong = |rest: &str, part: &str| {
        Wrong::Value(format!(
            "parsing time {given:?} as {layout:?}: cannot parse {rest:?} as {part:?}"
        ))
    };
    let mut rest = given;
    for part in [
        "2006", "-", "01", "-", "02", "T", "15", ":", "04", ":", "05",
    ] {
        let (own, after) = rest.split_at_checked(part.len()).unwrap_or((rest, ""));
        let is_digits = part.bytes().all(|it| it.is_ascii_digit());
        let fits = own.len() == part.len()
            && if is_digits {
                own.bytes().all(|it| it.is_ascii_digit())
            } else {
                own == part
            };
        if !fits {
            return Err(wrong(rest, part));
        }
        rest = after;
    }
    let time: Timestamp = given.parse().map_err(|_| wrong(rest, "Z07:00"))?;
    let rest = given.get(19..).unwrap_or_default();
    let digits = rest.trim_start_matches('.').chars();
    if micro && digits.take_while(char::is_ascii_digit).count() != 6 {
        return Err(wrong(rest, ".000000"));
    }
    let time = time.to_zoned(TimeZone::UTC);
    let format = if micro {
        "%Y-%m-%dT%H:%M:%S.%6fZ"
    } else {
        "%Y-%m-%dT%H:%M:%SZ"
    };
    Ok(time.strftime(format).to_string().into())
}

fn bytes(given: &str) -> Result<Value, Wrong> {
    let plain: String = given
        .chars()
        .filter(|c| !matches!(c, '\r' | '\n'))
        .collect();
    if serde_json::from_value::<ByteString>(plain.as_str().into()).is_ok() {
        return Ok(plain.into());
    }
    let is_code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/');
    let at = plain.find(|c| !is_code(c)).unwrap_or(plain.len());
    Err(Wrong::Value(format!(
        "illegal base64 data at input byte {at}"
    )))
}
