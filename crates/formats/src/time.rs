//! Dates, times and durations.

use std::sync::LazyLock;

use regex::Regex;

use crate::pattern;

/// Returns whether a text is a date `2006-01-02`.
pub(crate) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<i32> {
        let digits = text.get(from..to)?;
        digits
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| digits.parse().ok())?
    };
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 7), number(8, 10)) else {
        return false;
    };
    let days = 1..=days_of(year, month);
    bytes.len() == 10 && bytes[4] == b'-' && bytes[7] == b'-' && days.contains(&day)
}

/// Returns how many days a month has; 0 if there is none of this number.
pub(crate) fn days_of(year: i32, month: i32) -> i32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

/// Returns whether a text is a date-time of RFC 3339; leap seconds are not.
pub(crate) fn is_date_time(text: &str) -> bool {
    static TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern::compile(r"^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(.\d+)?(z|[+-]\d\d:\d\d)$").ok()
    });
    let text = text.to_lowercase();
    let mut parts = text.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else {
        return false;
    };
    is_date(date) && TIME.as_ref().is_some_and(|regex| regex.is_match(time))
}

/// Reads a duration of Go, or the numbers with units in a text such as `3 weeks`, in nanoseconds.
pub fn duration(text: &str) -> Option<i64> {
    static PART: LazyLock<Option<Regex>> =
        LazyLock::new(|| pattern::compile(r"(\d+)\s*([A-Za-zµ]+)").ok());
    /// The spellings of a unit; a longer word may start with the last one.
    const UNITS: [(&[&str], i64); 8] = [
        (&["ns", "nano"], 1),
        (&["us", "µs", "micro"], 1_000),
        (&["ms", "milli"], 1_000_000),
        (&["s", "sec"], SECOND),
        (&["m", "min"], 60 * SECOND),
        (&["h", "hr", "hour"], 3_600 * SECOND),
        (&["d", "day"], 86_400 * SECOND),
        (&["w", "wk", "week"], 604_800 * SECOND),
    ];
    if let Some(nanos) = go_duration(text) {
        return Some(nanos);
    }
    let mut sum = None;
    for part in PART.iter().flat_map(|regex| regex.captures_iter(text)) {
        let count: i64 = part[1].parse().ok()?;
        let unit = part[2].to_lowercase();
        for (names, nanos) in UNITS {
            let is_prefix = names.last().is_some_and(|last| unit.starts_with(last));
            let times = names.iter().filter(|name| **name == unit).count();
            let is_last = names.last().is_some_and(|last| *last == unit);
            for _ in 0..times + usize::from(is_prefix && !is_last) {
                let nanos = nanos.wrapping_mul(count);
                sum = Some(sum.unwrap_or(0_i64).wrapping_add(nanos));
            }
        }
    }
    sum
}

const SECOND: i64 = 1_000_000_000;

/// Reads a duration as Go's `time.ParseDuration` does, in nanoseconds.
pub fn go_duration(text: &str) -> Option<i64> {
    const UNITS: [(&str, i64); 8] = [
        ("ns", 1),
        ("us", 1_000),
        ("µs", 1_000),
        ("μs", 1_000),
        ("ms", 1_000_000),
        ("s", SECOND),
        ("m", 60 * SECOND),
        ("h", 3_600 * SECOND),
    ];
    let is_negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Some(0);
    }
    let mut sum = 0_i128;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let (number, tail) = rest.split_at(end);
        let end = tail
            .find(|letter: char| letter.is_ascii_digit() || letter == '.')
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(end);
        let (_, unit) = UNITS.iter().find(|(name, _)| *name == unit)?;
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && part.is_empty() || part.contains('.') {
            return None;
        }
        let whole: i128 = if whole.is_empty() {
            0
        } else {
            whole.parse().ok()?
        };
        // More digits than these are below a nanosecond.
        let part = part.get(..18).unwrap_or(part);
        let scale = 10_i128.pow(u32::try_from(part.len()).ok()?);
        let part: i128 = if part.is_empty() {
            0
        } else {
            part.parse().ok()?
        };
        let unit = i128::from(*unit);
        sum = sum.checked_add(whole.checked_mul(unit)?.checked_add(part * unit / scale)?)?;
        rest = tail;
    }
    i64::try_from(if is_negative { -sum } else { sum }).ok()
}
