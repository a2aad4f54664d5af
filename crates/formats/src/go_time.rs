//! Reads a time of RFC 3339 as Go does, with its errors.

use std::fmt::Write as _;

use crate::time::is_date;

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

enum Wrong {
    /// What the layout has where the text differs.
    Element(&'static str),
    Range(&'static str),
    Extra,
}

fn parse(rest: &mut &str) -> Result<(), Wrong> {
    let year = number(rest, "2006", 4, 4)?;
    separator(rest, "-")?;
    let month = number(rest, "01", 2, 2)?;
    within(month, 1..=12, "month")?;
    separator(rest, "-")?;
    let day = number(rest, "02", 2, 2)?;
    separator(rest, "T")?;
    within(number(rest, "15", 1, 2)?, 0..=23, "hour")?;
    separator(rest, ":")?;
    within(number(rest, "04", 2, 2)?, 0..=59, "minute")?;
    separator(rest, ":")?;
    within(number(rest, "05", 2, 2)?, 0..=59, "second")?;
    if let Some(fraction) = rest.strip_prefix(['.', ','])
        && fraction.starts_with(|digit: char| digit.is_ascii_digit())
    {
        *rest = fraction.trim_start_matches(|digit: char| digit.is_ascii_digit());
    }
    zone(rest)?;
    if !rest.is_empty() {
        return Err(Wrong::Extra);
    }
    let date = format!("{year:04}-{month:02}-{day:02}");
    if day > 0 && is_date(&date) {
        Ok(())
    } else {
        Err(Wrong::Range("day"))
    }
}

/// Reads `Z` or an offset such as `+02:00`.
fn zone(rest: &mut &str) -> Result<(), Wrong> {
    const ELEMENT: &str = "Z07:00";
    if let Some(after) = rest.strip_prefix('Z') {
        *rest = after;
        return Ok(());
    }
    let wrong = || Wrong::Element(ELEMENT);
    let mut offset = rest.get(..6).ok_or_else(wrong)?;
    offset = offset.strip_prefix(['+', '-']).ok_or_else(wrong)?;
    let hour = number(&mut offset, ELEMENT, 2, 2)?;
    offset = offset.strip_prefix(':').ok_or_else(wrong)?;
    let minute = number(&mut offset, ELEMENT, 2, 2)?;
    within(hour, 0..=24, "time zone offset hour")?;
    within(minute, 0..=60, "time zone offset minute")?;
    *rest = rest.get(6..).unwrap_or_default();
    Ok(())
}

fn number(rest: &mut &str, element: &'static str, least: usize, most: usize) -> Result<u32, Wrong> {
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
    number: u32,
    range: std::ops::RangeInclusive<u32>,
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
