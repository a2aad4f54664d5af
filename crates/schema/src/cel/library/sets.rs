//! `sets.contains`, `sets.equivalent` and `sets.intersects`.

use cel::{
    DeclarationError, Env, ExecutionError,
    common::{
        types::{CelBool, LIST_TYPE},
        value::{CowVal, Val},
    },
};

use super::lists::items;

type Test = fn(&[Box<dyn Val + '_>], &[Box<dyn Val + '_>]) -> bool;

pub(super) fn add(env: &mut Env) -> Result<(), DeclarationError> {
    let two = || vec![LIST_TYPE, LIST_TYPE];
    env.add_overload("sets.contains", "sets.contains(list,list)", two(), |args| {
        test(&args, contains)
    })?;
    env.add_overload(
        "sets.equivalent",
        "sets.equivalent(list,list)",
        two(),
        |args| {
            test(&args, |left, right| {
                contains(left, right) && contains(right, left)
            })
        },
    )?;
    env.add_overload(
        "sets.intersects",
        "sets.intersects(list,list)",
        two(),
        |args| {
            test(&args, |left, right| {
                right.iter().any(|item| is_in(left, &**item))
            })
        },
    )
}

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
