//! Reads a time of RFC 3339 as Go does, with its errors, and writes it as `metav1.Time` is written.

use std::fmt::Write as _;

use crate::time::{days_of, is_date};

const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";

/// Returns why Go cannot parse a text; none if it can.
pub fn error(text: &str) -> Option<String> {
    let mut rest = text;
    let found = parse(&mut rest).err()?;
    let text = quote(text);
    Some(match found {
        Wrong::Element(element) => {
            let (layout, rest) = (quote(LAYOUT), quote(rest));
            format!("parsing time {text} as {layout}: cannot parse {rest} as \"{element}\"")
        }
        Wrong::Range(what) => format!("parsing time {text}: {what} out of range"),
        Wrong::Extra => format!("parsing time {text}: extra text: {}", quote(rest)),
    })
}

/// Returns a time as `metav1.Time` is written: in UTC, without a fraction of a second; none if Go cannot parse it.
///
/// ```
/// let time = kube_codegen_formats::go_time::utc("2026-01-01T00:30:00.5+01:00");
/// assert_eq!(time.as_deref(), Some("2025-12-31T23:30:00Z"));
/// ```
pub fn utc(text: &str) -> Option<String> {
    let time = parse(&mut &*text).ok()?;
    let minutes = time.hour * 60 + time.minute - time.offset;
    let (mut year, mut month, mut day) = (time.year, time.month, time.day);
    day += minutes.div_euclid(24 * 60);
    if day < 1 {
        (year, month) = if month == 1 {
            (year - 1, 12)
        } else {
            (year, month - 1)
        };
        day += days_of(year, month);
    } else if day > days_of(year, month) {
        day -= days_of(year, month);
        (year, month) = if month == 12 {
            (year + 1, 1)
        } else {
            (year, month + 1)
        };
    }
    let minutes = minutes.rem_euclid(24 * 60);
    let (hour, minute, second) = (minutes / 60, minutes % 60, time.second);
    Some(format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
    ))
}

struct Time {
    year: i32,
    month: i32,
    day: i32,
    hour: i32,
    minute: i32,
    second: i32,
    /// Minutes east of UTC.
    offset: i32,
}

enum Wrong {
    /// What the layout has where the text differs.
    Element(&'static str),
    Range(&'static str),
    Extra,
}

fn parse(rest: &mut &str) -> Result<Time, Wrong> {
    let year = number(rest, "2006", 4, 4)?;
    separator(rest, "-")?;
    let month = number(rest, "01", 2, 2)?;
    within(month, 1..=12, "month")?;
    separator(rest, "-")?;
    let day = number(rest, "02", 2, 2)?;
    separator(rest, "T")?;
    let hour = number(rest, "15", 1, 2)?;
    within(hour, 0..=23, "hour")?;
    separator(rest, ":")?;
    let minute = number(rest, "04", 2, 2)?;
    within(minute, 0..=59, "minute")?;
    separator(rest, ":")?;
    let second = number(rest, "05", 2, 2)?;
    within(second, 0..=59, "second")?;
    if let Some(fraction) = rest.strip_prefix(['.', ','])
        && fraction.starts_with(|digit: char| digit.is_ascii_digit())
    {
        *rest = fraction.trim_start_matches(|digit: char| digit.is_ascii_digit());
    }
    let offset = zone(rest)?;
    if !rest.is_empty() {
        return Err(Wrong::Extra);
    }
    let date = format!("{year:04}-{month:02}-{day:02}");
    if day > 0 && is_date(&date) {
        Ok(Time {
            year,
            month,
            day,
            hour,
            minute,
            second,
            offset,
        })
    } else {
        Err(Wrong::Range("day"))
    }
}

/// Reads `Z` or an offset such as `+02:00`, and returns its minutes.
fn zone(rest: &mut &str) -> Result<i32, Wrong> {
    const ELEMENT: &str = "Z07:00";
    if let Some(after) = rest.strip_prefix('Z') {
        *rest = after;
        return Ok(0);
    }
    let wrong = || Wrong::Element(ELEMENT);
    let mut offset = rest.get(..6).ok_or_else(wrong)?;
    let is_west = offset.starts_with('-');
    offset = offset.strip_prefix(['+', '-']).ok_or_else(wrong)?;
    let hour = number(&mut offset, ELEMENT, 2, 2)?;
    offset = offset.strip_prefix(':').ok_or_else(wrong)?;
    let minute = number(&mut offset, ELEMENT, 2, 2)?;
    within(hour, 0..=24, "time zone offset hour")?;
    within(minute, 0..=60, "time zone offset minute")?;
    *rest = rest.get(6..).unwrap_or_default();
    let minutes = hour * 60 + minute;
    Ok(if is_west { -minutes } else { minutes })
}

fn number(rest: &mut &str, element: &'static str, least: usize, most: usize) -> Result<i32, Wrong> {
    let digits = rest
        .bytes()
        .take(most)
        .take_while(u8::is_ascii_digit)
        .count();
    let (number, after) = rest.split_at(digits);
    if digits < least {
        return Err(Wrong::Element(element));
    }
    let number = number.parse().map_err(|_| Wrong::Element(element))?;
    *rest = after;
    Ok(number)
}

fn separator(rest: &mut &str, element: &'static str) -> Result<(), Wrong> {
    *rest = rest.strip_prefix(element).ok_or(Wrong::Element(element))?;
    Ok(())
}

fn within(
    number: i32,
    range: std::ops::RangeInclusive<i32>,
    what: &'static str,
) -> Result<(), Wrong> {
    if range.contains(&number) {
        Ok(())
    } else {
        Err(Wrong::Range(what))
    }
}

/// Quotes a text as Go's package `time` does.
fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b' '..=b'~' => out.push(char::from(byte)),
            // Writing to a string does not fail.
            byte => _ = write!(out, "\\x{byte:02x}"),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_time_in_utc_may_be_of_another_day() {
        for (text, utc) in [
            ("2026-01-01T02:00:00+02:00", "2026-01-01T00:00:00Z"),
            ("2026-01-01T01:59:59.9+02:00", "2025-12-31T23:59:59Z"),
            ("2026-12-31T23:00:00-07:00", "2027-01-01T06:00:00Z"),
            ("2024-02-28T23:00:00-01:30", "2024-02-29T00:30:00Z"),
            ("2026-03-01T1:00:00+24:60", "2026-02-28T00:00:00Z"),
            ("2026-03-01T00:00:00+24:60", "2026-02-27T23:00:00Z"),
            ("0000-01-01T00:00:00,5-00:00", "0000-01-01T00:00:00Z"),
        ] {
            assert_eq!(super::utc(text).as_deref(), Some(utc), "{text}");
        }
        assert_eq!(super::utc("2026-02-30T00:00:00Z"), None);
    }

    #[test]
    fn errors_are_those_of_go() {
        for text in [
            "2026-01-01T00:00:00Z",
            "2024-02-29T1:59:59.123+24:60",
            "0000-01-01T00:00:00,5-00:00",
        ] {
            assert_eq!(super::error(text), None, "{text}");
        }
        for (text, why) in [
            (
                "",
                "parsing time \"\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"2006\"",
            ),
            (
                "2026-13-01T00:00:00Z",
                "parsing time \"2026-13-01T00:00:00Z\": month out of range",
            ),
            (
                "2026-02-30T00:00:00Z",
                "parsing time \"2026-02-30T00:00:00Z\": day out of range",
            ),
            (
                "2026-1-01",
                "parsing time \"2026-1-01\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"1-01\" as \"01\"",
            ),
            (
                "2026-01-01t00:00:00Z",
                "parsing time \"2026-01-01t00:00:00Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"t00:00:00Z\" as \"T\"",
            ),
            (
                "2026-01-01T00:00:00",
                "parsing time \"2026-01-01T00:00:00\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"Z07:00\"",
            ),
            (
                "2026-01-01T00:00:00Zé",
                "parsing time \"2026-01-01T00:00:00Z\\xc3\\xa9\": extra text: \"\\xc3\\xa9\"",
            ),
            (
                "2026-01-01T24:00:00Z",
                "parsing time \"2026-01-01T24:00:00Z\": hour out of range",
            ),
            (
                "2026-01-01T00:00:00+25:00",
                "parsing time \"2026-01-01T00:00:00+25:00\": time zone offset hour out of range",
            ),
        ] {
            assert_eq!(super::error(text).as_deref(), Some(why), "{text}");
        }
    }
}
