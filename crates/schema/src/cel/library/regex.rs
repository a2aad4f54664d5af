//! `find` and `findAll`.

use cel::{
    DeclarationError, Env, ExecutionError, add_member_overload,
    common::{
        types::{CelBool, CelInt, CelList, CelString},
        value::{CowVal, Val},
    },
};

use crate::{cel::rule::error, pattern};

pub(super) fn add(env: &mut Env) -> Result<(), DeclarationError> {
    add_member_overload!(env, fn find: (CelString, CelString) -> Result<CelString>)?;
    add_member_overload!(env, fn find_all: (CelString, CelString) -> Result<CelList>)?;
    add_member_overload!(env, fn find_some: (CelString, CelString, CelInt) -> Result<CelList>, name = "findAll")
}

fn compile(source: &str) -> Result<regex::Regex, ExecutionError> {
    pattern::compile(source).map_err(|why| error("find", format!("Illegal regex: {why}")))
}

/// Returns whether a pattern matches a part of a text.
pub(super) fn matches<'e>(text: &str, source: &str) -> Result<CowVal<'e, 'static>, ExecutionError> {
    let regex = pattern::compile(source).map_err(|why| error("matches", why))?;
    Ok(CowVal::owned(CelBool::from(regex.is_match(text))))
}

fn find(
    this: &CelString<'_>,
    source: &CelString<'_>,
) -> Result<CelString<'static>, ExecutionError> {
    let found = compile(source.inner())?;
    let found = found.find(this.inner()).map_or("", |found| found.as_str());
    Ok(found.to_owned().into())
}

fn find_all(
    this: &CelString<'_>,
    source: &CelString<'_>,
) -> Result<CelList<'static>, ExecutionError> {
    find_some(this, source, &CelInt::from(-1))
}

/// Returns the first `limit` matches, all if it is negative.
fn find_some(
    this: &CelString<'_>,
    source: &CelString<'_>,
    limit: &CelInt,
) -> Result<CelList<'static>, ExecutionError> {
    let limit = usize::try_from(*limit.inner()).unwrap_or(usize::MAX);
    let regex = compile(source.inner())?;
    let found = regex.find_iter(this.inner()).take(limit);
    let found =
        found.map(|found| Box::new(CelString::from(found.as_str().to_owned())) as Box<dyn Val>);
    Ok(CelList::from(found.collect::<Vec<_>>()))
}
