//! Fields, items and optional values.

use std::sync::Arc;

use cel::{
    ExecutionError,
    common::{
        ast::operators,
        types::{CelBool, CelOptional, CelString},
        value::{BuiltinRef, CowVal, Val},
    },
};

use crate::{
    errors::{Answer, Stop, error, no_overload},
    value::{Invalid, Object},
};

pub(super) fn truth(value: &Object) -> Result<bool, Stop> {
    match value.downcast_ref::<CelBool>() {
        Some(value) => Ok(*value.inner()),
        None => Err(no_overload("bool", [value]).into()),
    }
}

/// Returns the error of a value that does not fit its schema.
pub(super) fn known<'e>(value: CowVal<'e, 'static>) -> Answer<'e> {
    match value.downcast_ref::<Invalid>() {
        Some(Invalid(why)) => Err(error("", why.clone()).into()),
        None => Ok(value),
    }
}

/// Returns the value in an optional value, `Err` with the value itself if it is not one.
pub(super) fn optional<'e>(
    value: CowVal<'e, 'static>,
) -> Result<Option<CowVal<'e, 'static>>, CowVal<'e, 'static>> {
    match &value {
        CowVal::Borrowed(known) => match known.downcast_ref::<CelOptional>() {
            Some(optional) => Ok(optional.option().map(CowVal::Borrowed)),
            None => Err(value),
        },
        CowVal::Owned(known) => match known.downcast_ref::<CelOptional>() {
            Some(optional) => Ok(optional
                .option()
                .map(|it| CowVal::Owned(it.clone_as_boxed()))),
            None => Err(value),
        },
    }
}

/// Returns a value, or what an optional value has.
pub(super) fn present<'e>(value: CowVal<'e, 'static>) -> Option<CowVal<'e, 'static>> {
    optional(value).unwrap_or_else(Some)
}

/// Returns an item or a field. Of an optional value, and for `?`, an absent one is an empty optional value.
pub(super) fn at<'e>(
    value: CowVal<'e, 'static>,
    key: &dyn Val,
    is_optional: bool,
) -> Result<CowVal<'e, 'static>, ExecutionError> {
    let value = match optional(value) {
        Ok(None) => return Ok(CowVal::owned(CelOptional::none())),
        Err(value) if !is_optional => return get(value, key),
        Ok(Some(value)) | Err(value) => value,
    };
    match get(value, key) {
        Ok(found) => match found.downcast_ref::<Invalid>() {
            Some(Invalid(why)) => Err(error("", why.clone())),
            None => Ok(CowVal::owned(CelOptional::of(found.into_owned()))),
        },
        Err(ExecutionError::NoSuchKey(_) | ExecutionError::IndexOutOfBounds(_)) => {
            Ok(CowVal::owned(CelOptional::none()))
        }
        Err(error) => Err(error),
    }
}

pub(super) fn get<'e>(
    value: CowVal<'e, 'static>,
    key: &dyn Val,
) -> Result<CowVal<'e, 'static>, ExecutionError> {
    let missing = |value: &Object| match key.downcast_ref::<CelString>() {
        Some(key) => ExecutionError::NoSuchKey(Arc::new(key.inner().to_owned())),
        None => no_overload(operators::INDEX, [value, key]),
    };
    let rejected = |value: &Object, why: ExecutionError| match why {
        why @ (ExecutionError::NoSuchKey(_) | ExecutionError::IndexOutOfBounds(_)) => why,
        _ if matches!(value.as_builtin(), BuiltinRef::List(_)) => {
            let type_ = key.get_type().name();
            error("", format!("unsupported index type '{type_}' in list"))
        }
        _ => no_overload(operators::INDEX, [value, key]),
    };
    match value {
        CowVal::Borrowed(value) => {
            let indexer = value.as_indexer().ok_or_else(|| missing(value))?;
            indexer.get(key).map_err(|error| rejected(value, error))
        }
        CowVal::Owned(value) => {
            let indexer = value.as_indexer().ok_or_else(|| missing(&*value))?;
            match indexer.get(key) {
                Ok(found) => Ok(CowVal::Owned(found.into_owned())),
                Err(error) => Err(rejected(&*value, error)),
            }
        }
    }
}
