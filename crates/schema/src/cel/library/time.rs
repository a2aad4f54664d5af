//! Times and durations, where Go reads them differently from `cel`.

use cel::{
    DeclarationError, Env, ExecutionError, add_overload,
    common::{
        ast::{CallExpr, Expr},
        types::{CelDuration, CelString, CelTimestamp},
    },
    parser::Macro,
};
use chrono::TimeDelta;

use crate::{cel::rule::error, formats};

/// The functions that give a part of a time in UTC.
const PARTS: [&str; 10] = [
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getFullYear",
    "getHours",
    "getMilliseconds",
    "getMinutes",
    "getMonth",
    "getSeconds",
];

pub(super) fn add(env: &mut Env) -> Result<(), DeclarationError> {
    add_overload!(env, fn duration: (CelString) -> Result<CelDuration>, name = "@duration")?;
    add_overload!(env, fn same: (CelDuration) -> CelDuration, name = "@duration")?;
    add_overload!(env, fn same: (CelDuration) -> CelDuration, name = "@utc")?;
    add_overload!(env, fn utc: (CelTimestamp) -> CelTimestamp, name = "@utc")?;
    env.add_macro(Macro::global("duration", 1, |helper, _, args| {
        Ok(Some(helper.next_expr(Expr::Call(CallExpr {
            func_name: "@duration".to_owned(),
            target: None,
            args: std::mem::take(args),
        }))))
    }))?;
    for name in PARTS {
        env.add_macro(Macro::receiver(name, 0, move |helper, target, _| {
            let Some(target) = target.take() else {
                return Ok(None);
            };
            let utc = helper.next_expr(Expr::Call(CallExpr {
                func_name: "@utc".to_owned(),
                target: None,
                args: vec![target],
            }));
            // The macro is not expanded again.
            Ok(Some(helper.next_expr(Expr::Call(CallExpr {
                func_name: name.to_owned(),
                target: Some(Box::new(utc)),
                args: Vec::new(),
            }))))
        }))?;
    }
    Ok(())
}

/// Reads the whole text; the function of `cel` ignores what follows a duration.
fn duration(text: &CelString<'_>) -> Result<CelDuration, ExecutionError> {
    formats::go_duration(text.inner())
        .map(|nanos| CelDuration::from(TimeDelta::nanoseconds(nanos)))
        .ok_or_else(|| error("duration", "invalid duration"))
}

fn same(duration: &CelDuration) -> CelDuration {
    *duration
}

fn utc(time: &CelTimestamp) -> CelTimestamp {
    CelTimestamp::from(time.inner().to_utc().fixed_offset())
}
