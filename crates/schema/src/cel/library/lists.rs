//! The list functions of Kubernetes (`isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`, `includes`), and `first` and `last`.

use std::cmp::Ordering;

use cel::{
    DeclarationError, Env, ExecutionError,
    common::{
        types::{CelBool, CelInt, CelList, CelOptional, DYN_TYPE, LIST_TYPE},
        value::{CowVal, Val},
    },
};

use crate::cel::{rule::error, value::Invalid};

type Args<'b, 'v> = Vec<CowVal<'b, 'v>>;
type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

pub(super) fn add(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_member_overload("isSorted", "list.isSorted()", LIST_TYPE, vec![], is_sorted)?;
    env.add_member_overload("sum", "list.sum()", LIST_TYPE, vec![], sum)?;
    env.add_member_overload("min", "list.min()", LIST_TYPE, vec![], |args| {
        best(&args, "min", Ordering::Less)
    })?;
    env.add_member_overload("max", "list.max()", LIST_TYPE, vec![], |args| {
        best(&args, "max", Ordering::Greater)
    })?;
    env.add_member_overload("first", "list.first()", LIST_TYPE, vec![], |args| {
        Ok(optional(items(&args[0])?.into_iter().next()))
    })?;
    env.add_member_overload("last", "list.last()", LIST_TYPE, vec![], |args| {
        Ok(optional(items(&args[0])?.pop()))
    })?;
    let any = || vec![DYN_TYPE];
    env.add_member_overload("indexOf", "list.indexOf(dyn)", LIST_TYPE, any(), |args| {
        let place = raw(&args[0])?
            .iter()
            .position(|item| item.equals(&*args[1]));
        Ok(index(place))
    })?;
    env.add_member_overload(
        "lastIndexOf",
        "list.lastIndexOf(dyn)",
        LIST_TYPE,
        any(),
        |args| {
            let place = raw(&args[0])?
                .iter()
                .rposition(|item| item.equals(&*args[1]));
            Ok(index(place))
        },
    )?;
    env.add_member_overload("includes", "dyn.includes(dyn)", DYN_TYPE, any(), |args| {
        let is_in = match raw(&args[0]) {
            Ok(items) => items.iter().any(|item| item.equals(&*args[1])),
            Err(_) => args[0].equals(&*args[1]),
        };
        Ok(CowVal::owned(CelBool::from(is_in)))
    })
}

/// Returns the items of a list, which must fit their schema.
pub(super) fn items<'v>(list: &CowVal<'_, 'v>) -> Result<Vec<Box<dyn Val + 'v>>, ExecutionError> {
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
