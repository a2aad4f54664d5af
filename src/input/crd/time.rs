//! Reads times as Go does.
/// Whether a text is a time of RFC 3339, as Go reads it.
pub(super) fn is_date_time(text: &str) -> bool {
    let Some((date, rest)) = text.split_at_checked(10) else {
        return false;
    };
    let Some((time, rest)) = rest.split_at_checked(9) else {
        return false;
    };
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|it: char| it.is_ascii_digit());
            if zone.len() == fraction.len() {
                return false;
            }
            zone
        }
        None => rest,
    };
    let in_zone = zone == "Z"
        || zone.strip_prefix(['+', '-']).is_some_and(|offset| {
            matches!(numbers(offset, ':').as_deref(), Some([0..=23, 0..=59])) && offset.len() == 5
        });
    is_date(date)
        && time.strip_prefix('T').is_some_and(|time| {
            matches!(
                numbers(time, ':').as_deref(),
                Some([0..=23, 0..=59, 0..=59])
            )
        })
        && in_zone
}

/// Whether a text is a day as `2006-01-02`.
fn is_date(text: &str) -> bool {
    let Some([year, month, day]) = numbers(text, '-').and_then(|it| <[u32; 3]>::try_from(it).ok())
    else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    text.as_bytes().get(4) == Some(&b'-') && (1..=days).contains(&day)
}

/// Reads numbers of two digits; the first one may have more.
fn numbers(text: &str, separator: char) -> Option<Vec<u32>> {
    let parts = text.split(separator).enumerate();
    parts
        .map(|(index, part)| {
            let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
            let has_size = part.len() == 2 || (index == 0 && part.len() == 4);
            part.parse().ok().filter(|_| is_number && has_size)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::is_date_time;

    #[test]
    fn times_are_those_that_go_reads() {
        for text in [
            "2006-01-02T15:04:05Z",
            "2024-02-29T15:04:05.123456789+02:00",
            "0000-01-01T00:00:00Z",
        ] {
            assert!(is_date_time(text), "{text}");
        }
        for text in [
            "2006-01-02 15:04:05Z",
            "2006-01-02t15:04:05z",
            "2006-01-02T15:04:05",
            "2006-01-02T15:04:60Z",
            "2006-01-02T15:04:05.Z",
            "2006-13-02T15:04:05Z",
            "1900-02-29T15:04:05Z",
            "20060102T15:04:05ZZZ",
        ] {
            assert!(!is_date_time(text), "{text}");
        }
    }
}
