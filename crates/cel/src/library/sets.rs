//! `sets.contains`, `sets.equivalent` and `sets.intersects`.

use cel::{
    ExecutionError,
    common::{
        types::{CelBool, LIST_TYPE, Type},
        value::{CowVal, Val},
    },
};

use super::{
    function::{Function, function},
    lists::items,
};

type Test = fn(&[Box<dyn Val + '_>], &[Box<dyn Val + '_>]) -> bool;

pub(super) const FUNCTIONS: &[Function] = &[
    function("sets.contains", "list(A),list(A) bool")
        .costs(|it| it.pairs(1))
        .declared(|env| {
            let id = "sets.contains(list,list)";
            env.add_overload("sets.contains", id, LISTS.into(), |args| {
                test(&args, contains)
            })
        }),
    function("sets.equivalent", "list(A),list(A) bool")
        .costs(|it| it.pairs(2))
        .declared(|env| {
            let id = "sets.equivalent(list,list)";
            env.add_overload("sets.equivalent", id, LISTS.into(), |args| {
                test(&args, |left, right| {
                    contains(left, right) && contains(right, left)
                })
            })
        }),
    function("sets.intersects", "list(A),list(A) bool")
        .costs(|it| it.pairs(1))
        .declared(|env| {
            let id = "sets.intersects(list,list)";
            env.add_overload("sets.intersects", id, LISTS.into(), |args| {
                test(&args, |left, right| {
                    right.iter().any(|item| is_in(left, &**item))
                })
            })
        }),
];

const LISTS: [Type; 2] = [LIST_TYPE, LIST_TYPE];

fn test<'b, 'v>(args: &[CowVal<'b, 'v>], test: Test) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let holds = test(&items(&args[0])?, &items(&args[1])?);
    Ok(CowVal::owned(CelBool::from(holds)))
}

fn is_in(items: &[Box<dyn Val + '_>], item: &dyn Val) -> bool {
    items.iter().any(|known| known.equals(item))
}

fn contains(left: &[Box<dyn Val + '_>], right: &[Box<dyn Val + '_>]) -> bool {
    right.iter().all(|item| is_in(left, &**item))
}
