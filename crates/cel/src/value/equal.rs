//! Compares values as kube-apiserver does: also by what rules cannot read.

use std::sync::Arc;

use cel::common::{
    types::{CelList, CelMap, CelString},
    value::Val,
};
use serde_json::Value;

use super::{
    Hidden, Invalid,
    collections::{Identity, List, Map},
};

/// Returns whether two values are equal, or the error of a value in `left` that does not fit its schema.
pub(crate) fn equal(left: &dyn Val, right: &dyn Val) -> Result<bool, String> {
    if let Some(Invalid(why)) = left.downcast_ref::<Invalid>() {
        return Err(why.clone());
    }
    if let Some(entries) = left.downcast_ref::<CelMap>() {
        let hidden = |map: &dyn Val| map.downcast_ref::<Map>().and_then(Map::hidden);
        return right.downcast_ref::<CelMap>().map_or(Ok(false), |other| {
            maps((entries, hidden(left)), (other, hidden(right)))
        });
    }
    if let Some(items) = left.downcast_ref::<CelList>() {
        let Some(other) = right.downcast_ref::<CelList>() else {
            return Ok(false);
        };
        let (items, other) = (items.inner(), other.inner());
        return match left.downcast_ref::<List>() {
            _ if items.len() != other.len() => Ok(false),
            Some(list) if !matches!(list.identity, Identity::Place) => unordered(list, other),
            _ => all(items.iter().zip(other), |(item, other)| {
                equal(&**item, &**other)
            }),
        };
    }
    Ok(left.equals(right))
}

type Entries<'a, 'v> = (&'a CelMap<'v>, Option<Arc<Hidden>>);

fn maps((left, hidden): Entries<'_, '_>, (right, other): Entries<'_, '_>) -> Result<bool, String> {
    let entries = |map: &CelMap<'_>| map.inner().len();
    let is_same_size = match (&hidden, &other) {
        (Some(hidden), Some(other)) => hidden.size == other.size,
        (Some(hidden), None) => hidden.size == entries(right),
        (None, Some(other)) => entries(left) == other.size,
        (None, None) => entries(left) == entries(right),
    };
    if !is_same_size {
        return Ok(false);
    }
    let field = |key: &dyn Val| {
        let indexer = right.as_indexer()?;
        indexer.get(key).ok()
    };
    if let Some(hidden) = hidden {
        let is_absent = |name: &String| field(&CelString::from(name.as_str())).is_none();
        let is_same = |(name, value): (&String, &Value)| {
            // The server takes a field that the other object does not have for an equal one.
            let other = other.as_ref().and_then(|other| other.unknown.get(name));
            other.is_none_or(|other| other == value)
        };
        if !hidden.nulls.iter().all(is_absent) || !hidden.unknown.iter().all(is_same) {
            return Ok(false);
        }
    }
    all(left.inner().iter(), |(key, value)| {
        field(key.inner()).map_or(Ok(false), |other| equal(&**value, &*other))
    })
}

/// Compares lists of the same length of which the order has no meaning.
fn unordered<'v>(list: &List, other: &[Box<dyn Val + 'v>]) -> Result<bool, String> {
    all(other.iter(), |other| {
        let mut same = list.items().iter();
        let same = same.find(|item| list.is_same(&***item, &**other));
        same.map_or(Ok(false), |item| equal(&**item, &**other))
    })
}

fn all<T>(
    items: impl Iterator<Item = T>,
    test: impl Fn(T) -> Result<bool, String>,
) -> Result<bool, String> {
    for item in items {
        if !test(item)? {
            return Ok(false);
        }
    }
    Ok(true)
}
