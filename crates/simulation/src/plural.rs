//! Numbers in sentences: `1 schedule`, `2 schedules`, `3 children`.

use std::{fmt::Display, time::Duration};

/// Returns a number with a noun, which is given in the singular.
pub(crate) fn counted(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    let end = match noun {
        _ if number == "1" => "",
        _ if noun.ends_with("child") => "ren",
        _ if noun.ends_with("ry") => {
            return format!("{number} {}ies", &noun[..noun.len() - 1]);
        }
        _ => "s",
    };
    format!("{number} {noun}{end}")
}

/// Returns a time in its largest unit of which it has at least one.
pub(crate) fn lasting(time: Duration) -> String {
    match time.as_secs() {
        seconds @ ..60 => counted(seconds, "second"),
        seconds @ ..3600 => counted(seconds / 60, "minute"),
        seconds => counted(seconds / 3600, "hour"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        let texts = [0, 1, 2].map(|number| counted(number, "child"));
        assert_eq!(texts, ["0 children", "1 child", "2 children"]);
        assert_eq!(counted(1_u64, "more schedule"), "1 more schedule");
        assert_eq!(counted(2, "entry"), "2 entries");
        assert_eq!(counted(21, "schedule"), "21 schedules");
    }

    #[test]
    fn a_time_has_its_largest_unit() {
        let texts =
            [0, 1, 59, 60, 119, 3599, 3600, 7200].map(|it| lasting(Duration::from_secs(it)));
        let expected = [
            "0 seconds",
            "1 second",
            "59 seconds",
            "1 minute",
            "1 minute",
            "59 minutes",
            "1 hour",
            "2 hours",
        ];
        assert_eq!(texts, expected);
    }
}
