//! Operators, fields, items and optional values.

use std::{cmp::Ordering, sync::Arc};

use cel::{
    ExecutionError,
    common::{
        ast::operators,
        types::{CelBool, CelOptional, CelString},
        value::{BuiltinRef, CowVal, Val},
    },
};

use super::{
    equal::equal,
    interpret::{Answer, Object, Stop},
    rule::error,
    value::Invalid,
};

pub(super) fn boolean<'e>(value: bool) -> CowVal<'e, 'static> {
    CowVal::owned(CelBool::from(value))
}

pub(super) fn truth(value: &Object) -> Result<bool, Stop> {
    match value.downcast_ref::<CelBool>() {
        Some(value) => Ok(*value.inner()),
        None => Err(no_overload("bool", [value]).into()),
    }
}

pub(super) fn no_overload<'a>(
    name: &str,
    args: impl IntoIterator<Item = &'a dyn Val>,
) -> ExecutionError {
    let types = args.into_iter().map(|arg| arg.get_type().name().to_owned());
    ExecutionError::no_such_overload(name, types.collect())
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
    let refused = |value: &Object, why: ExecutionError| match why {
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
            indexer.get(key).map_err(|error| refused(value, error))
        }
        CowVal::Owned(value) => {
            let indexer = value.as_indexer().ok_or_else(|| missing(&*value))?;
            match indexer.get(key) {
                Ok(found) => Ok(CowVal::Owned(found.into_owned())),
                Err(error) => Err(refused(&*value, error)),
            }
        }
    }
}

/// Applies an operator; [`ExecutionError::UndeclaredReference`] for a name that is a function.
pub(super) fn operate<'e>(
    name: &str,
    args: &[CowVal<'e, 'static>],
) -> Result<CowVal<'e, 'static>, ExecutionError> {
    let overload = || no_overload(name, args.iter().map(|arg| &**arg));
    let value = |result: Result<CowVal<'_, 'static>, ExecutionError>| match result {
        Ok(value) => Ok(CowVal::Owned(value.into_owned())),
        Err(error) => Err(error),
    };
    let compare = |test: fn(Ordering) -> bool| match args {
        [left, right] => {
            let comparer = left.as_comparer().ok_or_else(overload)?;
            let order = comparer.compare(&**right).map_err(|_| overload())?;
            Ok(boolean(test(order)))
        }
        _ => Err(overload()),
    };
    match (name, args) {
        (operators::EQUALS, [left, right]) => match equal(&**left, &**right) {
            Ok(is_equal) => Ok(boolean(is_equal)),
            Err(why) => Err(error("", why)),
        },
        // What cannot be compared is not equal.
        (operators::NOT_EQUALS, [left, right]) => {
            Ok(boolean(!equal(&**left, &**right).unwrap_or(false)))
        }
        (operators::LESS, _) => compare(Ordering::is_lt),
        (operators::LESS_EQUALS, _) => compare(Ordering::is_le),
        (operators::GREATER, _) => compare(Ordering::is_gt),
        (operators::GREATER_EQUALS, _) => compare(Ordering::is_ge),
        (operators::IN, [item, container]) => {
            let container = container.as_container().ok_or_else(overload)?;
            let found = container.contains(&**item).map_err(|_| overload())?;
            let wrong = Invalid::at_key(&*args[1], &**item);
            match wrong.or_else(|| Invalid::in_list(&*args[1]).filter(|_| !found)) {
                Some(why) => Err(error("", why)),
                None => Ok(boolean(found)),
            }
        }
        (operators::ADD, [left, right]) => {
            value(left.as_adder().ok_or_else(overload)?.add(&**right))
        }
        (operators::SUBSTRACT, [left, right]) => {
            value(left.as_subtractor().ok_or_else(overload)?.sub(&**right))
        }
        (operators::MULTIPLY, [left, right]) => {
            value(left.as_multiplier().ok_or_else(overload)?.mul(&**right))
        }
        (operators::DIVIDE, [left, right]) => {
            value(left.as_divider().ok_or_else(overload)?.div(&**right))
        }
        (operators::MODULO, [left, right]) => {
            value(left.as_modder().ok_or_else(overload)?.modulo(&**right))
        }
        (operators::NEGATE, [operand]) => {
            let negator = operand.as_negator().ok_or_else(overload)?;
            Ok(CowVal::Owned(negator.negate()?))
        }
        (operators::LOGICAL_NOT, [operand]) => match operand.downcast_ref::<CelBool>() {
            Some(value) => Ok(boolean(!value.inner())),
            None => Err(overload()),
        },
        _ => Err(ExecutionError::UndeclaredReference(Arc::new(
            name.to_owned(),
        ))),
    }
}
