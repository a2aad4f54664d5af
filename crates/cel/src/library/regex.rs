//! `find` and `findAll`.

use std::rc::Rc;

use cel::{
    ExecutionError, add_member_overload,
    common::{
        types::{CelInt, CelList, CelString},
        value::Val,
    },
};

use kube_codegen_formats::pattern;

use super::{
    cost::Operands,
    function::{Function, function},
};
use crate::{errors::error, size::Size};

pub(super) const FUNCTIONS: &[Function] = &[
    function("find", ".string,string string")
        .costs(|it| it.matching())
        .sized(|it| Some(Size::new(0, it.size(0))))
        .declared(|env| add_member_overload!(env, fn find: (CelString, CelString) -> Result<CelString>)),
    function("findAll", ".string,string list(string) | .string,string,int list(string)")
        .costs(|it| it.matching())
        .sized(|it| Some(Size::new(0, it.size(0))))
        .declared(|env| {
        add_member_overload!(env, fn find_all: (CelString, CelString) -> Result<CelList>)?;
        add_member_overload!(env, fn find_some: (CelString, CelString, CelInt) -> Result<CelList>, name = "findAll")
    }),
];

fn compile(source: &str) -> Result<Rc<regex::Regex>, ExecutionError> {
    pattern::compiled(source).map_err(|why| error("find", format!("Illegal regex: {why}")))
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
