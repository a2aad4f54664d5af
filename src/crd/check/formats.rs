//! The formats of strings that the API server checks.
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether a text has a format. The server checks some more formats; here they fit any text.
pub(in crate::crd) fn fits(format: &str, text: &str) -> bool {
    match format.replace('-', "").as_str() {
        "byte" => STANDARD.decode(text).is_ok(),
        "cidr" => text.split_once('/').is_some_and(|(address, length)| {
            let bits = match address.parse() {
                Ok(IpAddr::V4(_)) => 32,
                Ok(IpAddr::V6(_)) => 128,
                Err(_) => return false,
            };
            length.parse().is_ok_and(|length: u8| length <= bits)
        }),
        "date" => text.len() == 10 && is_date(text),
        // As a format, unlike in `metadata`, the letters may be lower case.
        "datetime" => is_date_time(&text.to_ascii_uppercase()),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "uuid" => is_uuid(text),
        _ => true,
    }
}

/// Whether a text is a time of RFC 3339, as Go reads it.
pub(in crate::crd) fn is_date_time(text: &str) -> bool {
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

fn is_uuid(text: &str) -> bool {
    let mut parts = text;
    for size in [8, 4, 4, 4, 12] {
        let Some((part, rest)) = parts.split_at_checked(size) else {
            return false;
        };
        if !part.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        parts = rest.strip_prefix('-').unwrap_or(rest);
    }
    parts.is_empty() && !text.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn texts_have_the_formats_that_the_server_sees() {
        for (format, text) in [
            ("date-time", "2006-01-02T15:04:05Z"),
            ("date-time", "2024-02-29T15:04:05.123456789+02:00"),
            ("datetime", "0000-01-01T00:00:00Z"),
            ("date", "2000-02-29"),
            ("byte", "aGk="),
            ("ipv4", "10.0.0.1"),
            ("ipv6", "fe80::1"),
            ("cidr", "10.0.0.0/8"),
            ("uuid", "123E4567-e89b-12d3-a456-426614174000"),
            ("anything", "at all"),
        ] {
            assert!(fits(format, text), "{format} {text}");
        }
        for (format, text) in [
            ("date-time", "2006-01-02 15:04:05Z"),
            ("date-time", "2006-01-02T15:04:05"),
            ("date-time", "2006-01-02T15:04:60Z"),
            ("date-time", "2006-01-02T15:04:05.Z"),
            ("date-time", "2006-13-02T15:04:05Z"),
            ("date-time", "20060102T15:04:05ZZZ"),
            ("date", "1900-02-29"),
            ("date", "01-01-2006"),
            ("byte", "!"),
            ("ipv4", "10.0.0"),
            ("cidr", "10.0.0.0/33"),
            ("uuid", "123"),
        ] {
            assert!(!fits(format, text), "{format} {text}");
        }
    }
}
