//! Formats ages as kubectl does.
use jiff::Timestamp;

/// Formats a number of seconds like kubectl's AGE column: `45s`, `3m20s`, `5d3h`, `2y10d`.
///
/// Values below -1 are `<invalid>`. The rules are those of `HumanDuration` in `k8s.io/apimachinery/pkg/util/duration`.
///
/// ```
/// assert_eq!(kube_codegen_record::walk::human_duration(200), "3m20s");
/// ```
pub fn human_duration(seconds: i64) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    const YEAR: i64 = 365 * DAY;
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        120..600 => parts(seconds, (MINUTE, "m"), (1, "s")),
        600..10_800 => format!("{}m", seconds / MINUTE),
        10_800..28_800 => parts(seconds, (HOUR, "h"), (MINUTE, "m")),
        28_800..172_800 => format!("{}h", seconds / HOUR),
        172_800..691_200 => parts(seconds, (DAY, "d"), (HOUR, "h")),
        691_200..63_072_000 => format!("{}d", seconds / DAY),
        63_072_000..252_288_000 => parts(seconds, (YEAR, "y"), (DAY, "d")),
        _ => format!("{}y", seconds / YEAR),
    }
}

/// Formats the number of the big unit and, unless zero, of the small one.
fn parts(seconds: i64, (big, big_name): (i64, &str), (small, small_name): (i64, &str)) -> String {
    match seconds % big / small {
        0 => format!("{}{big_name}", seconds / big),
        rest => format!("{}{big_name}{rest}{small_name}", seconds / big),
    }
}

/// Returns the cell of a date column.
pub(super) fn age(text: &str, now: Timestamp) -> String {
    if matches!(text, "" | "null" | "0001-01-01T00:00:00Z") {
        return "<unknown>".to_owned(); // the zero time of Go
    }
    match text.parse::<Timestamp>() {
        Ok(time) => human_duration(now.duration_since(time).as_secs()),
        Err(_) => "<invalid>".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::human_duration;

    #[test]
    fn durations_are_formatted_as_by_kubectl() {
        const MINUTE: i64 = 60;
        const HOUR: i64 = 3600;
        const DAY: i64 = 86_400;
        let cases = [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (3 * MINUTE + 20, "3m20s"),
            (10 * MINUTE + 59, "10m"),
            (179 * MINUTE, "179m"),
            (3 * HOUR, "3h"),
            (7 * HOUR + 59 * MINUTE, "7h59m"),
            (8 * HOUR + MINUTE, "8h"),
            (47 * HOUR, "47h"),
            (48 * HOUR, "2d"),
            (5 * DAY + 3 * HOUR, "5d3h"),
            (8 * DAY + 3 * HOUR, "8d"),
            (729 * DAY, "729d"),
            (730 * DAY, "2y"),
            (740 * DAY, "2y10d"),
            (2919 * DAY, "7y364d"),
            (2920 * DAY + DAY, "8y"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(human_duration(seconds), expected, "{seconds}");
        }
    }
}
