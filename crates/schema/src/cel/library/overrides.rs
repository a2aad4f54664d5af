//! The functions of `cel` with another result in the API server.

use cel::{
    ExecutionError,
    common::{
        types::{CelDouble, CelDuration, CelInt, CelList, CelString, CelTimestamp},
        value::{CowVal, Val},
    },
};
use chrono::TimeDelta;

use super::{printf, regex};
use crate::{cel::rule::error, formats, go};

type Answer<'e> = Result<CowVal<'e, 'static>, ExecutionError>;

/// Returns the result of such a function, `None` for others.
pub(in crate::cel) fn call<'e>(name: &str, args: &mut [CowVal<'e, 'static>]) -> Option<Answer<'e>> {
    match (name, &mut *args) {
        ("string", [value]) => {
            let value = *value.downcast_ref::<CelDouble>()?.inner();
            Some(Ok(CowVal::owned(CelString::from(go::float(value)))))
        }
        ("duration", [value]) => duration(&**value),
        ("format", [text, items]) => {
            let text = text.downcast_ref::<CelString>()?;
            let items = items.downcast_ref::<CelList>()?;
            Some(printf::format(text.inner(), items.inner()))
        }
        ("matches", [text, pattern]) => {
            let text = text.downcast_ref::<CelString>()?;
            let pattern = pattern.downcast_ref::<CelString>()?;
            Some(regex::matches(text.inner(), pattern.inner()))
        }
        ("indexOf" | "lastIndexOf", [text, part, offset]) => {
            let text = text.downcast_ref::<CelString>()?.inner();
            let part = part.downcast_ref::<CelString>()?.inner();
            let length = i64::try_from(text.chars().count()).ok()?;
            let offset = *offset.downcast_ref::<CelInt>()?.inner();
            let at = if part.is_empty() { length } else { -1 };
            (offset >= length).then(|| Ok(CowVal::owned(CelInt::from(at))))
        }
        (name, [time, zone @ ..]) if name.starts_with("get") => {
            let moment = *time.downcast_ref::<CelTimestamp>()?.inner();
            let moment = match zone {
                [] => moment.to_utc(),
                [zone] => {
                    let shift = shift(zone.downcast_ref::<CelString>()?.inner())?;
                    *zone = CowVal::owned(CelString::from("UTC"));
                    moment.to_utc().checked_add_signed(shift)?
                }
                _ => return None,
            };
            *time = CowVal::owned(CelTimestamp::from(moment.fixed_offset()));
            None
        }
        _ => None,
    }
}

/// Reads the whole text; the function of `cel` ignores what follows a duration.
fn duration<'e>(value: &dyn Val) -> Option<Answer<'e>> {
    if let Some(duration) = value.downcast_ref::<CelDuration>() {
        return Some(Ok(CowVal::owned(*duration)));
    }
    let text = value.downcast_ref::<CelString>()?;
    Some(match formats::go_duration(text.inner()) {
        Some(nanos) => Ok(CowVal::owned(CelDuration::from(TimeDelta::nanoseconds(
            nanos,
        )))),
        None => Err(error("duration", "invalid duration")),
    })
}

/// Returns the distance of a zone such as `-02:30` from UTC, which cel-go does not limit to a day.
fn shift(zone: &str) -> Option<TimeDelta> {
    let (hours, minutes) = zone.split_once(':')?;
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    let minutes = if zone.starts_with('-') {
        -minutes
    } else {
        minutes
    };
    TimeDelta::try_minutes(hours.checked_mul(60)?.checked_add(minutes)?)
}
