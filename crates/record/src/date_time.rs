//! A `date-time` string, kept as text, with access to the moment it denotes.
use std::{fmt, str::FromStr};

use jiff::{self, Timestamp, civil};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, Time};

/// A string of format `date-time` ([RFC 3339]), exactly as received, with its offset and fractional digits.
///
/// Like the API server, it keeps any text: an invalid date does not make an object unreadable, and no date is rewritten in another form.
/// [`timestamp`](Self::timestamp) parses the text. Equality compares text; to compare moments, compare timestamps.
///
/// ```
/// use kube_codegen_record::DateTime;
///
/// let expires: DateTime = "2029-12-31T14:00:00+02:00".parse()?;
/// assert_eq!(expires.to_string(), "2029-12-31T14:00:00+02:00");
/// assert_eq!(expires.timestamp()?.to_string(), "2029-12-31T12:00:00Z");
/// assert!(expires.timestamp()? > DateTime::from(expires.timestamp()? - std::time::Duration::from_secs(1)).timestamp()?);
/// # Ok::<(), jiff::Error>(())
/// ```
///
/// [RFC 3339]: https://www.rfc-editor.org/rfc/rfc3339#section-5.6
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub struct DateTime(pub(super) String);

impl DateTime {
    /// Returns the current time in UTC, in whole seconds, as Kubernetes writes it.
    pub fn now() -> Self {
        let now = Timestamp::now();
        Timestamp::from_second(now.as_second())
            .unwrap_or(now)
            .into()
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the moment.
    ///
    /// # Errors
    /// If the text is not a valid `date-time`. The API server checks it less strictly, and does not check stored objects again.
    pub fn timestamp(&self) -> Result<Timestamp, jiff::Error> {
        moment(&self.0)
    }
}

/// Parses a `date-time`. As in the API server, a fraction may have any number of digits; those after nanoseconds are dropped.
pub(super) fn moment(text: &str) -> Result<Timestamp, jiff::Error> {
    text.parse()
        .or_else(|error| nanoseconds(text).map_or(Err(error), |cut| cut.parse()))
}

/// Returns the text without the digits after nanoseconds; `None` if there are none.
fn nanoseconds(text: &str) -> Option<String> {
    let start = text.find(['.', ','])? + 1;
    let fraction = text[start..].bytes();
    let end = start + fraction.take_while(u8::is_ascii_digit).count();
    (end > start + 9).then(|| format!("{}{}", &text[..start + 9], &text[end..]))
}

/// Parses a text for a type that holds a [`Timestamp`] alone: a time beyond its range is the nearest one, in whole seconds.
///
/// It accepts whatever the API server does, which checks less than RFC 3339 says: any offset of two numbers, any character before
/// the fraction, and anything after a second `t`.
pub(super) fn nearest(text: &str) -> Option<Timestamp> {
    moment(text).ok().or_else(|| {
        let text = text.to_ascii_lowercase();
        let mut parts = text.split('t');
        let date: civil::Date = parts.next()?.parse().ok()?;
        let (time, rest) = parts.next()?.split_at_checked("hh:mm:ss".len())?;
        let local = date.to_datetime(time.parse().ok()?);
        let offset = if rest.ends_with('z') {
            0
        } else {
            let (start, minutes) = rest.rsplit_once(':')?;
            let (_, hours) = start.split_at_checked(start.rfind(['+', '-'])?)?;
            let minutes: i64 = minutes.parse().ok()?;
            let sign = if hours.starts_with('-') { -1 } else { 1 };
            60 * (60 * hours.parse::<i64>().ok()? + sign * minutes)
        };
        let epoch = civil::DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
        let second = local.duration_since(epoch).as_secs();
        let (least, most) = (Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
        Timestamp::from_second((second - offset).clamp(least, most)).ok()
    })
}

/// In UTC, without trailing zeros in the fraction.
impl From<Timestamp> for DateTime {
    fn from(moment: Timestamp) -> Self {
        Self(moment.to_string())
    }
}

impl From<Time> for DateTime {
    fn from(Time(moment): Time) -> Self {
        moment.into()
    }
}

impl From<MicroTime> for DateTime {
    fn from(MicroTime(moment): MicroTime) -> Self {
        moment.into()
    }
}

impl TryFrom<&DateTime> for Time {
    type Error = jiff::Error;

    fn try_from(text: &DateTime) -> Result<Self, jiff::Error> {
        text.timestamp().map(Self)
    }
}

/// Accepts only a valid `date-time`.
impl FromStr for DateTime {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, jiff::Error> {
        moment(text).map(|_| Self(text.to_owned()))
    }
}

impl AsRef<str> for DateTime {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_no_timestamp_holds_is_the_nearest_one() {
        for (text, expected) in [
            ("9999-12-31T23:59:59Z", "9999-12-30T22:00:00Z"),
            (
                "9999-12-31t23:59:59.999999999+00:00",
                "9999-12-30T22:00:00Z",
            ),
            ("9999-12-31T23:59:59-99:99", "9999-12-30T22:00:00Z"),
            ("9999-12-30T22:00:00Z", "9999-12-30T22:00:00Z"),
            ("0000-01-01T00:00:00+23:59", "-000001-12-31T00:01:00Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
            ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
            ("2024-01-01T00:00:00+99:99", "2023-12-27T19:21:00Z"),
            ("2024-01-01T00:00:00.5-30:30", "2024-01-02T06:30:00Z"),
            ("2024-01-01T00:00:00_5z", "2024-01-01T00:00:00Z"),
            ("2024-01-01T00:00:00ZTtrailing", "2024-01-01T00:00:00Z"),
        ] {
            let found = nearest(text).map(|it| it.to_string());
            assert_eq!(found.as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "yesterday",
            "2024-02-30T00:00:00+99:99",
            "2024-01-01T25:00:00+99:99",
            "2024-01-01T00:00:00",
            "2024-01-01T00:00é",
        ] {
            assert_eq!(nearest(text), None, "{text}");
        }
    }

    #[test]
    fn text_and_timestamps_convert() {
        for text in [
            "2024-02-30T00:00:00Z",
            "yesterday",
            "",
            "2024-01-01",
            "2024-01-01T00:00:00.0123456789",
            ".0123456789é",
        ] {
            assert!(text.parse::<DateTime>().is_err(), "{text}");
            assert!(DateTime(text.into()).timestamp().is_err(), "{text}");
        }
        let long: DateTime = "2024-03-01t01:59:59,123456789999+02:00".parse().unwrap();
        assert_eq!(
            long.timestamp().unwrap().to_string(),
            "2024-02-29T23:59:59.123456789Z"
        );
        let time = Time(Timestamp::UNIX_EPOCH);
        let text = DateTime::from(time.clone());
        assert_eq!(text.as_str(), "1970-01-01T00:00:00Z");
        assert_eq!(Time::try_from(&text).ok(), Some(time));
        assert_eq!(DateTime::now().as_str().len(), text.as_str().len());
    }
}
