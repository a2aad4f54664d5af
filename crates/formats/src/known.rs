//! Validates the formats of strings that the API server knows.
//!
//! They are listed at
//! <https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.34/#jsonschemaprops-v1-apiextensions-k8s-io>.

use std::sync::OnceLock;

use regex::Regex;

use crate::{
    net, pattern,
    time::{self, duration},
    url,
};

/// A format that one regular expression describes.
struct Form {
    name: &'static str,
    pattern: &'static str,
    regex: OnceLock<Option<Regex>>,
}

const fn form(name: &'static str, pattern: &'static str) -> Form {
    Form {
        name,
        pattern,
        regex: OnceLock::new(),
    }
}

static FORMS: [Form; 13] = [
    form(
        "hostname",
        r"^([a-zA-Z0-9\p{S}\p{L}](-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|([a-zA-Z0-9\p{S}\p{L}]([a-zA-Z0-9\p{S}\p{L}-]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})$",
    ),
    form("uuid", r"(?i)^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$"),
    form(
        "uuid3",
        r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$",
    ),
    form(
        "uuid4",
        r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$",
    ),
    form(
        "uuid5",
        r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$",
    ),
    form(
        "creditcard",
        r"^(4\d{12}(\d{3})?|5[1-5]\d{14}|6(011|5\d\d)\d{12}|3[47]\d{13}|3(0[0-5]|[68]\d)\d{11}|(2131|1800|35\d{3})\d{11})$",
    ),
    form("ssn", r"^\d{3}[- ]?\d{2}[- ]?\d{4}$"),
    form("hexcolor", r"^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"),
    form(
        "rgbcolor",
        r"^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*(,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*){2}\)$",
    ),
    form(
        "byte",
        r"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$",
    ),
    form("bsonobjectid", r"^[0-9a-fA-F]{24}$"),
    form("k8sshortname", r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"),
    form(
        "k8slongname",
        r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
    ),
];

/// The formats that code checks.
type Check = fn(&str) -> bool;
const CHECKS: &[(&str, Check)] = &[
    ("uri", |text| url::parse_request_uri(text).is_ok()),
    ("email", net::is_email),
    ("ipv4", net::is_ipv4),
    ("ipv6", net::is_ipv6),
    ("cidr", net::is_cidr),
    ("mac", net::is_mac),
    ("isbn", |text| is_isbn10(text) || is_isbn13(text)),
    ("isbn10", is_isbn10),
    ("isbn13", is_isbn13),
    ("password", |_| true),
    ("date", time::is_date),
    ("duration", |text| duration(text).is_some()),
    ("datetime", time::is_date_time),
];

/// Returns whether the API server validates this format of strings.
pub fn is_known(format: &str) -> bool {
    let name = format.replace('-', "");
    FORMS.iter().any(|form| form.name == name) || CHECKS.iter().any(|(known, _)| *known == name)
}

/// Returns whether a text has the format; `None` for an unknown format.
pub fn check(format: &str, text: &str) -> Option<bool> {
    let name = format.replace('-', "");
    if let Some((_, check)) = CHECKS.iter().find(|(known, _)| *known == name) {
        return Some(check(text));
    }
    let form = FORMS.iter().find(|form| form.name == name)?;
    let matches = |text: &str| {
        let regex = form
            .regex
            .get_or_init(|| pattern::compile(form.pattern).ok());
        regex.as_ref().is_some_and(|regex| regex.is_match(text))
    };
    Some(match form.name {
        "hostname" => {
            text.len() <= 255 && text.split('.').all(|part| part.len() <= 63) && matches(text)
        }
        "creditcard" => {
            let digits: String = text.chars().filter(char::is_ascii_digit).collect();
            matches(&digits) && luhn(&digits)
        }
        "ssn" => text.len() == 11 && matches(text),
        "k8sshortname" => text.len() <= 63 && matches(text),
        "k8slongname" => text.len() <= 253 && matches(text),
        _ => matches(text),
    })
}

/// Returns whether the sum of the digits, every second from the right doubled, ends in 0.
fn luhn(digits: &str) -> bool {
    let digits = digits.chars().rev().filter_map(|digit| digit.to_digit(10));
    let sum: u32 = digits
        .enumerate()
        .map(|(index, digit)| match (index % 2, digit * 2) {
            (0, _) => digit,
            (_, double) => double / 10 + double % 10,
        })
        .sum();
    sum.is_multiple_of(10)
}

fn without_separators(text: &str) -> String {
    text.chars()
        .filter(|letter| !matches!(letter, '\t' | '\n' | '\u{c}' | '\r' | ' ' | '-'))
        .collect()
}

fn is_isbn10(text: &str) -> bool {
    let text = without_separators(text);
    let (Some(check), true) = (text.chars().last(), text.len() == 10) else {
        return false;
    };
    let check = if check == 'X' {
        Some(10)
    } else {
        check.to_digit(10)
    };
    let digits: Option<Vec<_>> = text[..text.len() - check.map_or(0, |_| 1)]
        .chars()
        .map(|letter| letter.to_digit(10))
        .collect();
    match (digits, check) {
        (Some(digits), Some(check)) => {
            let sum: u32 = (1..)
                .zip(digits)
                .map(|(weight, digit)| weight * digit)
                .sum();
            (sum + 10 * check).is_multiple_of(11)
        }
        _ => false,
    }
}

fn is_isbn13(text: &str) -> bool {
    let text = without_separators(text);
    let digits: Option<Vec<_>> = text.chars().map(|letter| letter.to_digit(10)).collect();
    digits.is_some_and(|digits| {
        let sum: u32 = digits
            .iter()
            .zip([1, 3].iter().cycle())
            .map(|(digit, weight)| digit * weight)
            .sum();
        digits.len() == 13 && sum.is_multiple_of(10)
    })
}

#[cfg(test)]
mod tests {
    use super::check;

    /// A format, with texts that have it and texts that do not.
    type Row = (
        &'static str,
        &'static [&'static str],
        &'static [&'static str],
    );

    const ROWS: &[Row] = &[
        (
            "hostname",
            &["a", "example.com", "1a.example.org"],
            &["", "-a", "a_b", "a..b", "example.c"],
        ),
        (
            "uuid",
            &[
                "6f4fd6c6-2d4b-4f5b-9f4f-0123456789ab",
                "6F4FD6C62D4B4F5B9F4F0123456789AB",
            ],
            &["", "6f4fd6c6"],
        ),
        (
            "uuid3",
            &["6f4fd6c6-2d4b-3f5b-9f4f-0123456789ab"],
            &["6f4fd6c6-2d4b-4f5b-9f4f-0123456789ab"],
        ),
        (
            "uuid4",
            &["6f4fd6c6-2d4b-4f5b-9f4f-0123456789ab"],
            &["6f4fd6c6-2d4b-4f5b-7f4f-0123456789ab"],
        ),
        (
            "uuid5",
            &["6f4fd6c6-2d4b-5f5b-9f4f-0123456789ab"],
            &["6f4fd6c6-2d4b-4f5b-9f4f-0123456789ab"],
        ),
        (
            "creditcard",
            &["4111 1111 1111 1111"],
            &["4111 1111 1111 1112", "1"],
        ),
        ("ssn", &["123-45-6789"], &["123456789", "123-45-678"]),
        ("hexcolor", &["#FFF", "00ff00"], &["#ffff", "red"]),
        (
            "rgbcolor",
            &["rgb(0, 12, 255)"],
            &["rgb(0,0,256)", "rgb(0,0)"],
        ),
        ("byte", &["YQ==", "YWJj"], &["", "YQ=", "Y-_="]),
        ("bsonobjectid", &["507f1f77bcf86cd799439011"], &["507f"]),
        ("k8s-short-name", &["a-b"], &["A", "a-", "a.b"]),
        ("k8s-long-name", &["a-b.c"], &["a..b", ""]),
        (
            "uri",
            &["http://a.b/c?d", "/a", "mailto:a"],
            &["", "a", "http://a b", "http://[::1", "http://a:b/", "/%zz"],
        ),
        (
            "email",
            &["a@b", "A B <a@b.c>", "\"a b\"@c.d"],
            &["", "a", "a@", "a@b@c", "<a@b", "a b@c"],
        ),
        (
            "ipv4",
            &["1.2.3.4", "01.2.3.4", "::ffff:1.2.3.4"],
            &["1.2.3", "256.1.1.1", "::1"],
        ),
        (
            "ipv6",
            &["::1", "1:2:3:4:5:6:7:8"],
            &["1.2.3.4", "::1%eth0", ":::"],
        ),
        (
            "cidr",
            &["10.0.0.0/8", "::/0", "010.0.0.0/08"],
            &["10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/"],
        ),
        (
            "mac",
            &[
                "01:23:45:67:89:ab",
                "0123.4567.89ab",
                "01-23-45-67-89-ab-cd-ef",
            ],
            &["01:23", "01:23-45:67:89:ab", "0g:23:45:67:89:ab"],
        ),
        (
            "isbn",
            &["0321751043", "978-0321751041"],
            &["0321751044", "1"],
        ),
        ("isbn10", &["080442957X"], &["978-0321751041"]),
        ("isbn13", &["978-0321751041"], &["0321751043"]),
        ("password", &["", "x"], &[]),
        (
            "date",
            &["2024-02-29"],
            &["2023-02-29", "2024-2-9", "2024-02-29T00:00:00Z"],
        ),
        (
            "duration",
            &["22 ns", "1h30m", "-1.5s", "3 weeks", "0"],
            &["", "1", "x", "1 lightyear"],
        ),
        (
            "date-time",
            &["2014-12-15T19:30:20.000Z", "2014-12-15t19:30:20+01:00"],
            &["2014-12-15", "2014-12-15T25:00:00Z", "2014-12-15 19:30:20Z"],
        ),
    ];

    #[test]
    fn formats_are_checked_as_by_the_api_server() {
        for (format, valid, invalid) in ROWS {
            for text in *valid {
                assert_eq!(check(format, text), Some(true), "{format}: {text}");
            }
            for text in *invalid {
                assert_eq!(check(format, text), Some(false), "{format}: {text}");
            }
        }
        assert_eq!(check("unknown", ""), None);
    }
}
