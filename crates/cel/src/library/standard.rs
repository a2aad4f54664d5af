//! The standard functions: conversions, sizes, parts of texts and of timestamps.

use cel::{
    ExecutionError, add_member_overload, add_overload,
    common::{
        types::{CelBool, CelDouble, CelDuration, CelString, CelTimestamp},
        value::{CowVal, Val},
    },
};
use chrono::TimeDelta;
use kube_codegen_formats::{go, go_duration, pattern};

use super::{
    cost::Operands,
    function::{Answer, Function, function},
    signature::TIME,
};
use crate::{errors::error, size::Size};

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        "size",
        "string int | bytes int | list(A) int | map(A B) int | .string int | .bytes int | .list(A) int | .map(A B) int",
    ),
    function("bool", "bool bool | string bool"),
    function("bytes", "bytes bytes | string bytes")
        .costs(|it| if it.is_string(0) { it.scan(0) } else { 1 })
        .sized(|it| {
            let size = it.bounds(0);
            it.is_string(0)
                .then(|| Size::new(size.min, size.max.wrapping_mul(4)))
        }),
    function(
        "double",
        "double double | int double | uint double | string double",
    ),
    function("duration", "duration duration | string duration").instead(|args| match args {
        [value] => duration(&**value),
        _ => None,
    }),
    function("dyn", "A dyn"),
    function(
        "int",
        "int int | double int | duration int | string int | timestamp int | uint int",
    ),
    function(
        "string",
        "string string | bool string | bytes string | double string | duration string | int string | timestamp string | uint string",
    )
    .costs(|it| if it.is_bytes(0) { it.scan(0) } else { 1 })
    .sized(|it| {
        let size = it.bounds(0);
        it.is_bytes(0).then(|| Size::new(size.min / 4, size.max))
    })
    .instead(|args| match args {
        [value] => {
            let value = *value.downcast_ref::<CelDouble>()?.inner();
            Some(Ok(CowVal::owned(CelString::from(go::float(value)))))
        }
        _ => None,
    }),
    function(
        "timestamp",
        "timestamp timestamp | string timestamp | int timestamp",
    ),
    function("type", "A type(A)"),
    function("uint", "uint uint | double uint | int uint | string uint"),
    function("contains", ".string,string bool")
        .costs(|it| it.scan(0).saturating_mul(it.scan(1))),
    function("startsWith", ".string,string bool").costs(|it| it.scan(1)),
    function("endsWith", ".string,string bool").costs(|it| it.scan(1)),
    function("matches", "string,string bool | .string,string bool")
        .costs(|it| it.matching())
        .declared(|env| {
            add_overload!(env, fn matches: (CelString, CelString) -> Result<CelBool>)?;
            add_member_overload!(env, fn matches: (CelString, CelString) -> Result<CelBool>)
        }),
    function("getFullYear", TIME).instead(shifted),
    function("getMonth", TIME).instead(shifted),
    function("getDayOfYear", TIME).instead(shifted),
    function("getDayOfMonth", TIME).instead(shifted),
    function("getDate", TIME).instead(shifted),
    function("getDayOfWeek", TIME).instead(shifted),
    function("getHours", TIME).instead(shifted),
    function("getHours", ".duration int"),
    function("getMinutes", TIME).instead(shifted),
    function("getMinutes", ".duration int"),
    function("getSeconds", TIME).instead(shifted),
    function("getSeconds", ".duration int"),
    function("getMilliseconds", TIME).instead(shifted),
    function("getMilliseconds", ".duration int"),
];

/// Reads the whole text; the function of `cel` ignores what follows a duration.
fn duration<'e>(value: &dyn Val) -> Option<Answer<'e>> {
    if let Some(duration) = value.downcast_ref::<CelDuration>() {
        return Some(Ok(CowVal::owned(*duration)));
    }
    let text = value.downcast_ref::<CelString>()?;
    Some(match go_duration(text.inner()) {
        Some(nanos) => Ok(CowVal::owned(CelDuration::from(TimeDelta::nanoseconds(
            nanos,
        )))),
        None => Err(error("duration", "invalid duration")),
    })
}

/// Returns whether a pattern matches a part of a text.
fn matches(text: &CelString<'_>, source: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    let regex =
        pattern::compiled(source.inner()).map_err(|why| error("matches", why.to_string()))?;
    Ok(CelBool::from(regex.is_match(text.inner())))
}

/// Moves a timestamp into the zone of the second argument, so that `cel` reads it in UTC.
fn shifted<'e>(args: &mut [CowVal<'e, 'static>]) -> Option<Answer<'e>> {
    let [time, zone @ ..] = args else { return None };
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
