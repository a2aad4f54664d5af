//! Reads quantities, times, base64 and other scalars as Go's types do.

use k8s_openapi::ByteString;
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

/// Reads a time as Go's `time.Parse` does, and returns it in UTC.
fn time(given: &str, micro: bool) -> Result<Value, Wrong> {
    let (layout, fraction) = if micro {
        ("2006-01-02T15:04:05.000000Z07:00", Some(".000000"))
    } else {
        ("2006-01-02T15:04:05Z07:00", None)
    };
    let wrong = |rest: &str, part: &str| {
        Wrong::Value(format!(
            "parsing time {given:?} as {layout:?}: cannot parse {rest:?} as {part:?}"
        ))
    };
    let out_of_range =
        |what: &str| Wrong::Value(format!("parsing time {given:?}: {what} out of range"));
    let mut rest = given;
    let mut numbers = Vec::new();
    for (part, most, name) in [
        ("2006", 9999, "year"),
        ("-", 0, ""),
        ("01", 12, "month"),
        ("-", 0, ""),
        ("02", 99, "day"),
        ("T", 0, ""),
        ("15", 23, "hour"),
        (":", 0, ""),
        ("04", 59, "minute"),
        (":", 0, ""),
        ("05", 59, "second"),
    ] {
        let (own, after) = rest.split_at_checked(part.len()).unwrap_or((rest, ""));
        if name.is_empty() {
            if own != part {
                return Err(wrong(rest, part));
            }
        } else {
            let number = digits(own, part.len()).ok_or_else(|| wrong(rest, part))?;
            if number > most || name == "month" && number == 0 {
                return Err(out_of_range(name));
            }
            numbers.push(number);
        }
        rest = after;
    }
    let digits_of = |rest: &str| {
        let rest = rest.strip_prefix(['.', ',']).unwrap_or_default();
        rest.bytes().take_while(u8::is_ascii_digit).count()
    };
    let mut micros = "";
    if let Some(part) = fraction {
        if digits_of(rest) < 6 {
            return Err(wrong(rest, part));
        }
        (micros, rest) = (&rest[1..7], &rest[7..]);
    } else if digits_of(rest) > 0 {
        rest = &rest[1 + digits_of(rest)..];
    }
    let offset = if let Some(after) = rest.strip_prefix('Z') {
        rest = after;
        0
    } else {
        let sign = match rest.bytes().next() {
            Some(b'+') => 1,
            Some(b'-') => -1,
            _ => return Err(wrong(rest, "Z07:00")),
        };
        let own = rest.get(1..6).unwrap_or_default();
        let parts = own.split_once(':');
        let parts =
            parts.and_then(|(hours, minutes)| Some((digits(hours, 2)?, digits(minutes, 2)?)));
        let (hours, minutes) = parts.ok_or_else(|| wrong(rest, "Z07:00"))?;
        match () {
            () if hours > 24 => return Err(out_of_range("time zone offset hour")),
            () if minutes > 60 => return Err(out_of_range("time zone offset minute")),
            () => {}
        }
        rest = &rest[6..];
        sign * (hours * 3600 + minutes * 60)
    };
    if !rest.is_empty() {
        let why = format!("parsing time {given:?}: extra text: {rest:?}");
        return Err(Wrong::Value(why));
    }
    let [year, month, day, hour, minute, second] = numbers[..] else {
        return Err(wrong(rest, "2006"));
    };
    if !(1..=days_in(year, month)).contains(&day) {
        return Err(out_of_range("day"));
    }
    let second = hour * 3600 + minute * 60 + second - offset;
    Ok(utc((year, month, day), second, micros))
}

/// Reads a number of so many digits.
fn digits(text: &str, count: usize) -> Option<i64> {
    let is_number = text.len() == count && text.bytes().all(|it| it.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

fn days_in(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Writes a time, whose seconds may be those of the day before or after. Its year may be one more than others can have. Go's zero time is null.
fn utc((mut year, mut month, mut day): (i64, i64, i64), second: i64, micros: &str) -> Value {
    day += second.div_euclid(86_400);
    let second = second.rem_euclid(86_400);
    if day < 1 {
        (year, month) = if month == 1 {
            (year - 1, 12)
        } else {
            (year, month - 1)
        };
        day = days_in(year, month);
    } else if day > days_in(year, month) {
        (year, month) = if month == 12 {
            (year + 1, 1)
        } else {
            (year, month + 1)
        };
        day = 1;
    }
    if (year, month, day, second) == (1, 1, 1, 0) && micros.bytes().all(|digit| digit == b'0') {
        return Value::Null;
    }
    let dot = if micros.is_empty() { "" } else { "." };
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let time =
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{dot}{micros}Z");
    time.into()
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
