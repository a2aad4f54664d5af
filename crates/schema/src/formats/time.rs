//! Dates, times and durations.

use std::sync::LazyLock;

use regex::Regex;

use crate::pattern;

/// Returns whether a text is a date `2006-01-02`.
pub(super) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<u32> {
        let digits = text.get(from..to)?;
        digits
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| digits.parse().ok())?
    };
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 7), number(8, 10)) else {
        return false;
    };
    let days = match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    bytes.len() == 10 && bytes[4] == b'-' && bytes[7] == b'-' && (1..=days).contains(&day)
}

/// Returns whether a text is a date-time of RFC 3339; leap seconds are not.
pub(super) fn is_date_time(text: &str) -> bool {
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

/// Returns whether a text is a duration of Go, or contains a number with a unit in letters, such as `3 weeks`.
pub(super) fn is_duration(text: &str) -> bool {
    static PART: LazyLock<Option<Regex>> =
        LazyLock::new(|| pattern::compile(r"(\d+)\s*([A-Za-zµ]+)").ok());
    const UNITS: [&str; 13] = [
        "ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk", "nano", "micro",
    ];
    const PREFIXES: [&str; 8] = [
        "nano", "micro", "milli", "sec", "min", "hour", "day", "week",
    ];
    if is_go_duration(text) {
        return true;
    }
    let mut parts = PART
        .iter()
        .flat_map(|regex| regex.captures_iter(text))
        .peekable();
    let is_some = parts.peek().is_some();
    let mut is_known = false;
    for part in parts {
        if part[1].parse::<i64>().is_err() {
            return false;
        }
        let unit = part[2].to_lowercase();
        is_known |= UNITS.contains(&unit.as_str())
            || PREFIXES.iter().any(|prefix| unit.starts_with(prefix));
    }
    is_some && is_known
}

/// Returns whether Go's `time.ParseDuration` reads a text. Sums beyond 290 years are not reported.
pub(crate) fn is_go_duration(text: &str) -> bool {
    static DURATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern::compile(r"^[-+]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$").ok()
    });
    DURATION.as_ref().is_some_and(|regex| regex.is_match(text))
}
