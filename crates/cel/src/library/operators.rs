//! Operators.

use std::cmp::Ordering;

use cel::{
    ExecutionError,
    common::{traits::Negator, types::CelBool, value::CowVal},
};

use super::{
    cost::{Bounds, Operands, TEXT, share},
    function::{Answer, Function, function},
    signature::COMPARE,
};
use crate::{
    errors::{error, no_overload},
    size::Size,
    types::Type,
    value::{Invalid, Object, boolean, equal},
};

/// What the API server counts for the longest named format when it estimates.
const FORMAT: u64 = 64;

pub(super) const FUNCTIONS: &[Function] = &[
    // The interpreter evaluates these, since they do not need all of their operands.
    function("_?_:_", "bool,A,A A"),
    function("_&&_", "bool,bool bool"),
    function("_||_", "bool,bool bool"),
    function("@not_strictly_false", "bool bool"),
    function(
        "_[_]",
        "list(A),int A | map(A B),A B | optional(list(A)),int optional(A) | optional(map(A B)),A optional(B)",
    ),
    function(
        "_[?_]",
        "list(A),int optional(A) | map(A B),A optional(B) | optional(list(A)),int optional(A) | optional(map(A B)),A optional(B)",
    ),
    function("!_", "bool bool").instead(|args| {
        Some(one("!_", args, |operand| {
            let value = operand.downcast_ref::<CelBool>()?;
            Some(Ok(boolean(!value.inner())))
        }))
    }),
    function("-_", "int int | double double").instead(|args| {
        Some(one("-_", args, |operand| {
            let negated = operand.as_negator().map(Negator::negate);
            negated.map(|it| it.map(CowVal::Owned))
        }))
    }),
    function("_==_", "A,A bool")
        .costs_running(|it| it.scan_shorter())
        .costs_at_most(equality)
        .instead(|args| {
            let [left, right] = args else { return None };
            let is_equal = equal(&**left, &**right);
            Some(is_equal.map(boolean).map_err(|why| error("", why)))
        }),
    function("_!=_", "A,A bool")
        .costs(|it| it.scan_shorter())
        .instead(|args| {
            let [left, right] = args else { return None };
            // What cannot be compared is not equal.
            Some(Ok(boolean(!equal(&**left, &**right).unwrap_or(false))))
        }),
    function(
        "_+_",
        "int,int int | uint,uint uint | double,double double | string,string string | bytes,bytes bytes | list(A),list(A) list(A) | timestamp,duration timestamp | duration,timestamp timestamp | duration,duration duration",
    )
    .costs(|it| {
        if it.is_text(0) && it.is_text(1) {
            share(it.size(0).saturating_add(it.size(1)), TEXT)
        } else {
            1
        }
    })
    .sized(|it| {
        let is_sum = it.is_text(0) || it.is_list(0);
        is_sum.then(|| it.bounds(0) + it.bounds(1))
    })
    .instead(|args| {
        Some(two("_+_", args, |left, right| {
            Some(left.as_adder()?.add(right))
        }))
    }),
    function(
        "_-_",
        "int,int int | uint,uint uint | double,double double | timestamp,timestamp duration | timestamp,duration timestamp | duration,duration duration",
    )
    .instead(|args| {
        Some(two("_-_", args, |left, right| {
            Some(left.as_subtractor()?.sub(right))
        }))
    }),
    function("_*_", "int,int int | uint,uint uint | double,double double").instead(|args| {
        Some(two("_*_", args, |left, right| {
            Some(left.as_multiplier()?.mul(right))
        }))
    }),
    function("_/_", "int,int int | uint,uint uint | double,double double").instead(|args| {
        Some(two("_/_", args, |left, right| {
            Some(left.as_divider()?.div(right))
        }))
    }),
    function("_%_", "int,int int | uint,uint uint").instead(|args| {
        Some(two("_%_", args, |left, right| {
            Some(left.as_modder()?.modulo(right))
        }))
    }),
    function("_<_", COMPARE)
        .costs(comparison)
        .instead(|args| Some(compare("_<_", args, Ordering::is_lt))),
    function("_<=_", COMPARE)
        .costs(comparison)
        .instead(|args| Some(compare("_<=_", args, Ordering::is_le))),
    function("_>_", COMPARE)
        .costs(comparison)
        .instead(|args| Some(compare("_>_", args, Ordering::is_gt))),
    function("_>=_", COMPARE)
        .costs(comparison)
        .instead(|args| Some(compare("_>=_", args, Ordering::is_ge))),
    function("@in", "A,list(A) bool | A,map(A B) bool")
        .costs(|it| if it.is_list(1) { it.size(1) } else { 1 })
        .instead(|args| Some(contained(args))),
];

fn comparison(it: &dyn Operands) -> u64 {
    if it.is_text(0) && it.is_text(1) {
        it.scan_shorter()
    } else {
        1
    }
}

/// Returns what a comparison costs at most, also of two values of a type of the library.
fn equality(it: &Bounds<'_>) -> u64 {
    let (Some(left), Some(right)) = (it.get(0), it.get(1)) else {
        return it.scan_shorter();
    };
    match left.type_ {
        Type::Plain(name) if left.type_ == right.type_ => match name {
            "net.IP" | "net.CIDR" | "kubernetes.Quantity" | "kubernetes.Semver" => 1,
            "kubernetes.NamedFormat" => share(FORMAT, TEXT),
            // As on the server, which takes the right one for both.
            "kubernetes.URL" if right.size == Size::UNKNOWN => share(1, TEXT),
            "kubernetes.URL" => share(right.size.max, TEXT),
            _ => it.scan_shorter(),
        },
        _ => it.scan_shorter(),
    }
}

/// Applies an operator to one operand; `None` is one that it cannot be applied to.
fn one<'e>(
    name: &str,
    args: &[CowVal<'e, 'static>],
    apply: impl Fn(&Object) -> Option<Answer<'e>>,
) -> Answer<'e> {
    let result = match args {
        [operand] => apply(&**operand),
        _ => None,
    };
    result.unwrap_or_else(|| Err(overload(name, args)))
}

/// As [`one`], for two operands.
fn two<'e>(
    name: &str,
    args: &[CowVal<'e, 'static>],
    apply: for<'b> fn(&'b Object, &Object) -> Option<Answer<'b>>,
) -> Answer<'e> {
    match args {
        [left, right] => match apply(&**left, &**right) {
            Some(result) => result.map(|value| CowVal::Owned(value.into_owned())),
            None => Err(overload(name, args)),
        },
        _ => Err(overload(name, args)),
    }
}

fn overload(name: &str, args: &[CowVal<'_, 'static>]) -> ExecutionError {
    no_overload(name, args.iter().map(|arg| &**arg))
}

fn compare<'e>(name: &str, args: &[CowVal<'e, 'static>], test: fn(Ordering) -> bool) -> Answer<'e> {
    let order = match args {
        [left, right] => left.as_comparer().and_then(|it| it.compare(&**right).ok()),
        _ => None,
    };
    let order = order.ok_or_else(|| overload(name, args))?;
    Ok(boolean(test(order)))
}

/// Returns whether a list has an item, or a map a key.
fn contained<'e>(args: &[CowVal<'e, 'static>]) -> Answer<'e> {
    let found = match args {
        [item, container] => container
            .as_container()
            .and_then(|it| it.contains(&**item).ok()),
        _ => None,
    };
    let found = found.ok_or_else(|| overload("@in", args))?;
    let wrong = Invalid::at_key(&*args[1], &*args[0]);
    match wrong.or_else(|| Invalid::in_list(&*args[1]).filter(|_| !found)) {
        Some(why) => Err(error("", why)),
        None => Ok(boolean(found)),
    }
}
