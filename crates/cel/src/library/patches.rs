//! `jsonpatch.escapeKey`.

use cel::common::{
    types::{CelString, STRING_TYPE},
    value::CowVal,
};

use super::function::{Function, function};
use crate::errors::no_overload;

pub(super) const FUNCTIONS: &[Function] = &[function("jsonpatch.escapeKey", "string string")
    .costs(|it| it.scan(0))
    .sized(|it| Some(it.bounds(0)))
    .declared(|env| {
        let id = "jsonpatch_escapeKey_string";
        let args = [STRING_TYPE].into();
        env.add_overload("jsonpatch.escapeKey", id, args, |args| {
            let Some(key) = args.first().and_then(|it| it.downcast_ref::<CelString>()) else {
                return Err(no_overload(
                    "jsonpatch.escapeKey",
                    args.iter().map(|it| &**it),
                ));
            };
            let escaped = key.inner().replace('~', "~0").replace('/', "~1");
            Ok(CowVal::owned(CelString::from(escaped)))
        })
    })];
