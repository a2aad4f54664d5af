//! The functions of lists: those of Kubernetes, and those of version 3 of cel-go's library.

use std::cmp::Ordering;

use cel::{
    ExecutionError,
    common::{
        types::{CelBool, CelInt, CelList, CelOptional, DYN_TYPE, LIST_TYPE},
        value::{CowVal, Val},
    },
};

use super::{
    cost::{Bounds, COMPARISON, Operands, TEXT, made, share},
    function::{Function, function},
};
use crate::{errors::error, size::Size, types::Type, value::Invalid};

type Args<'b, 'v> = Vec<CowVal<'b, 'v>>;
type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

pub(super) const KUBERNETES: &[Function] = &[
    function("isSorted", ".list(A) bool")
        .costs(|it| it.whole(0))
        .declared(|env| {
            env.add_member_overload("isSorted", "list.isSorted()", LIST_TYPE, vec![], is_sorted)
        }),
    function("sum", ".list(A) A")
        .costs(|it| it.whole(0))
        .declared(|env| env.add_member_overload("sum", "list.sum()", LIST_TYPE, vec![], sum)),
    function("min", ".list(A) A")
        .costs(|it| it.whole(0))
        .declared(|env| {
            env.add_member_overload("min", "list.min()", LIST_TYPE, vec![], |args| {
                best(&args, "min", Ordering::Less)
            })
        }),
    function("max", ".list(A) A")
        .costs(|it| it.whole(0))
        .declared(|env| {
            env.add_member_overload("max", "list.max()", LIST_TYPE, vec![], |args| {
                best(&args, "max", Ordering::Greater)
            })
        }),
    function("indexOf", ".list(A),A int")
        .costs(|it| it.whole(0))
        .declared(|env| {
            let any = vec![DYN_TYPE];
            env.add_member_overload("indexOf", "list.indexOf(dyn)", LIST_TYPE, any, |args| {
                let mut items = raw(&args[0])?.into_iter();
                Ok(index(items.position(|item| item.equals(&*args[1]))))
            })
        }),
    function("lastIndexOf", ".list(A),A int")
        .costs(|it| it.whole(0))
        .declared(|env| {
            let (id, any) = ("list.lastIndexOf(dyn)", vec![DYN_TYPE]);
            env.add_member_overload("lastIndexOf", id, LIST_TYPE, any, |args| {
                let mut items = raw(&args[0])?.into_iter();
                Ok(index(items.rposition(|item| item.equals(&*args[1]))))
            })
        }),
];

/// Of the later version of the library.
pub(super) const INCLUDES: &[Function] = &[function("includes", ".dyn,dyn bool")
    .costs_running(|it| it.whole(0))
    .costs_at_most(|it| match it.items(0) {
        Some(_) => it.whole(0),
        None => it.size(0),
    })
    .declared(|env| {
        let any = vec![DYN_TYPE];
        env.add_member_overload("includes", "dyn.includes(dyn)", DYN_TYPE, any, |args| {
            let is_in = match raw(&args[0]) {
                Ok(items) => items.iter().any(|item| item.equals(&*args[1])),
                Err(_) => args[0].equals(&*args[1]),
            };
            Ok(CowVal::owned(CelBool::from(is_in)))
        })
    })];

/// Of cel-go: `cel` has those without a declaration.
pub(super) const FUNCTIONS: &[Function] = &[
    function("first", ".list(A) optional(A)").declared(|env| {
        env.add_member_overload("first", "list.first()", LIST_TYPE, vec![], |args| {
            Ok(optional(items(&args[0])?.into_iter().next()))
        })
    }),
    function("last", ".list(A) optional(A)").declared(|env| {
        env.add_member_overload("last", "list.last()", LIST_TYPE, vec![], |args| {
            Ok(optional(items(&args[0])?.pop()))
        })
    }),
    function("slice", ".list(A),int,int list(A)")
        .costs_running(|it| made(number(it, 2).saturating_sub(number(it, 1))))
        .costs_at_most(|it| made(sliced(it)))
        .sized(|it| Some(Size::exactly(sliced(it)))),
    function("flatten", ".list(A) list(dyn) | .list(A),int list(dyn)")
        .costs(|it| {
            let depth = if it.count() > 1 { number(it, 1) } else { 1 };
            made(it.size(0).saturating_mul(depth))
        })
        .sized(|it| Some(it.bounds(0))),
    function("reverse", ".list(A) list(A)")
        .costs(|it| made(it.size(0)))
        .sized(|it| Some(it.bounds(0))),
    function("lists.range", "int list(int)")
        .costs(|it| made(number(it, 0)))
        .sized(|it| Some(Size::exactly(number(it, 0)))),
    function("distinct", ".list(A) list(A)")
        .costs_running(|it| made(it.compared(0)))
        .costs_at_most(|it| {
            let pairs = it.size(0).saturating_mul(it.size(0));
            made(pairs.saturating_mul(COMPARISON))
        })
        .sized(|it| Some(it.bounds(0) * it.bounds(0))),
    function("sort", ".list(A) list(A)")
        .costs_running(|it| made(it.compared(0)))
        .costs_at_most(|it| sorted(it, 0))
        .sized(|it| Some(it.bounds(0) * it.bounds(0))),
    // What the macro `sortBy` becomes.
    function("@sortByAssociatedKeys", ".list(A),list(B) list(A)")
        .costs_running(|it| made(it.compared(1)))
        .costs_at_most(|it| sorted(it, 1))
        .sized(|it| Some(it.bounds(1) * it.bounds(1))),
];

/// Returns the value of an integer, which can be any if it is not written in the expression.
fn number(it: &dyn Operands, at: usize) -> u64 {
    it.number(at).unwrap_or(u64::MAX)
}

/// Returns the most items of a slice.
fn sliced(it: &Bounds<'_>) -> u64 {
    let end = it.number(2).unwrap_or_else(|| it.size(0));
    end.wrapping_sub(it.number(1).unwrap_or_default())
}

/// Returns what sorting costs at most by keys that may be texts.
fn sorted(it: &Bounds<'_>, keys: usize) -> u64 {
    let texts = [Type::STRING, Type::BYTES, Type::Dyn];
    let has_texts = it
        .items(keys)
        .is_none_or(|(items, _)| texts.contains(items));
    let pairs = it.size(keys).saturating_mul(it.size(keys));
    #[expect(clippy::cast_precision_loss, reason = "as in Go")]
    let factor = COMPARISON as f64 + if has_texts { TEXT } else { 0.0 };
    made(share(pairs, factor))
}

/// Returns the items of a list, which must fit their schema.
pub(crate) fn items<'v>(list: &CowVal<'_, 'v>) -> Result<Vec<Box<dyn Val + 'v>>, ExecutionError> {
    match Invalid::in_list(&**list) {
        Some(why) => Err(error("list", why)),
        None => raw(list),
    }
}

fn raw<'v>(list: &CowVal<'_, 'v>) -> Result<Vec<Box<dyn Val + 'v>>, ExecutionError> {
    let type_ = list.get_type();
    let iterable = list.as_iterable().filter(|_| *type_ == LIST_TYPE);
    let mut iterator = iterable
        .ok_or_else(|| ExecutionError::no_such_overload("list", vec![type_.name().to_owned()]))?
        .iter();
    let mut items = Vec::new();
    while let Some(item) = iterator.next() {
        items.push(item.clone_as_boxed());
    }
    Ok(items)
}

/// As [`raw`], for a function that starts with the first item.
fn comparable<'v>(
    list: &CowVal<'_, 'v>,
    name: &str,
) -> Result<Vec<Box<dyn Val + 'v>>, ExecutionError> {
    let first = list
        .downcast_ref::<CelList>()
        .and_then(|list| list.inner().first());
    if first.is_some_and(|first| first.downcast_ref::<Invalid>().is_some()) {
        return Err(error(name, format!("no such overload: {name}(list)")));
    }
    raw(list)
}

fn optional<'b, 'v>(item: Option<Box<dyn Val + 'v>>) -> CowVal<'b, 'v> {
    CowVal::owned(item.map_or_else(CelOptional::none, CelOptional::of))
}

fn index<'b, 'v>(place: Option<usize>) -> CowVal<'b, 'v> {
    let place = place.and_then(|place| i64::try_from(place).ok());
    CowVal::owned(CelInt::from(place.unwrap_or(-1)))
}

fn compare(left: &dyn Val, right: &dyn Val) -> Result<Ordering, ExecutionError> {
    for value in [left, right] {
        if let Some(Invalid(why)) = value.downcast_ref::<Invalid>() {
            return Err(error("list", why.clone()));
        }
    }
    let comparer = left.as_comparer().ok_or_else(|| {
        ExecutionError::no_such_overload("_<_", vec![left.get_type().name().to_owned()])
    })?;
    comparer.compare(right)
}

fn is_sorted<'b, 'v>(args: Args<'b, 'v>) -> Answer<'b, 'v> {
    let items = comparable(&args[0], "isSorted")?;
    for pair in items.windows(2) {
        if compare(&*pair[0], &*pair[1])? == Ordering::Greater {
            return Ok(CowVal::owned(CelBool::from(false)));
        }
    }
    Ok(CowVal::owned(CelBool::from(true)))
}

fn sum<'b, 'v>(args: Args<'b, 'v>) -> Answer<'b, 'v> {
    let mut items = items(&args[0])?.into_iter();
    let Some(mut sum) = items.next() else {
        return Ok(CowVal::owned(CelInt::from(0)));
    };
    for item in items {
        let adder = sum.as_adder().ok_or_else(|| {
            ExecutionError::no_such_overload("_+_", vec![sum.get_type().name().to_owned()])
        })?;
        let next = adder.add(&*item)?.into_owned();
        sum = next;
    }
    Ok(CowVal::Owned(sum))
}

/// Returns the first of the items that compares best.
fn best<'b, 'v>(args: &[CowVal<'b, 'v>], name: &str, better: Ordering) -> Answer<'b, 'v> {
    let mut best: Option<Box<dyn Val + 'v>> = None;
    for item in comparable(&args[0], name)? {
        let is_better = match &best {
            Some(best) => compare(&*item, &**best)? == better,
            None => true,
        };
        if is_better {
            best = Some(item);
        }
    }
    best.map(CowVal::Owned)
        .ok_or_else(|| error(name, format!("{name} called on empty list")))
}
