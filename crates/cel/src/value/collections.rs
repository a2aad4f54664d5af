//! Lists and maps that are cheap to copy, since an expression copies what it passes to functions.
//!
//! Values are compared as by kube-apiserver, also by what expressions cannot read. Lists of type `set` and `map` compare and add without regard to the order of their items.

use std::sync::Arc;

use cel::{
    ExecutionError,
    common::{
        traits::{Adder, Container, Indexer, Iterable, Sizer, Zeroer},
        types::{CelInt, CelList, CelMap, CelString, LIST_TYPE, MAP_TYPE, Type},
        value::{Builtin, BuiltinRef, CowVal, StaticVal, Val},
    },
};

use super::{Hidden, Invalid};

/// How a list identifies its items.
#[derive(Clone, Debug)]
pub enum Identity {
    /// By their place.
    Place,
    /// By their value: a list of type `set`.
    Value,
    /// By these keys: a list of type `map`.
    Keys(Arc<[String]>),
}

#[derive(Clone, Debug)]
pub(crate) struct List {
    items: Arc<CelList<'static>>,
    pub(crate) identity: Identity,
}

#[derive(Clone, Debug)]
pub(crate) struct Map {
    entries: Arc<CelMap<'static>>,
    /// Known of the objects of a custom resource.
    hidden: Option<Arc<Hidden>>,
}

impl List {
    pub(crate) fn new(items: CelList<'static>, identity: Identity) -> Self {
        Self {
            items: Arc::new(items),
            identity,
        }
    }

    pub(crate) fn items(&self) -> &[Box<dyn Val>] {
        self.items.inner()
    }

    /// Returns whether two items have the same place in the list.
    pub(crate) fn is_same(&self, left: &dyn Val, right: &dyn Val) -> bool {
        let keys = match &self.identity {
            Identity::Place => return false,
            Identity::Value => return left.equals(right),
            Identity::Keys(keys) => keys,
        };
        let (Some(left), Some(right)) = (
            left.downcast_ref::<CelMap>(),
            right.downcast_ref::<CelMap>(),
        ) else {
            return false;
        };
        keys.iter().all(|key| {
            let key = CelString::from(key.as_str());
            match (left.get(&key), right.get(&key)) {
                (Ok(left), Ok(right)) => left.equals(&*right),
                (left, right) => left.is_err() && right.is_err(),
            }
        })
    }
}

impl Map {
    pub(crate) fn new(entries: CelMap<'static>) -> Self {
        Self {
            entries: Arc::new(entries),
            hidden: None,
        }
    }

    pub(crate) fn object(entries: CelMap<'static>, hidden: Hidden) -> Self {
        Self {
            entries: Arc::new(entries),
            hidden: Some(Arc::new(hidden)),
        }
    }

    pub(crate) fn hidden(&self) -> Option<Arc<Hidden>> {
        self.hidden.clone()
    }
}

/// Makes a list cheap to copy.
pub(crate) fn share(value: Box<dyn Val>) -> Box<dyn Val> {
    if value.as_any().is_some() {
        return value;
    }
    match Vec::try_from(value) {
        Ok(items) => Box::new(List::new(CelList::from(items), Identity::Place)),
        Err(value) => value,
    }
}

/// The methods of [`Val`] that a list and a map have in common: those of the collection inside, and a cheap copy.
macro_rules! shared {
    ($inner:ident: $builtin:ident, $type:ident) => {
        fn get_type(&self) -> &Type {
            Self::cel_type()
        }

        fn cel_type() -> &'static Type {
            static TYPE: Type = $type;
            &TYPE
        }

        fn as_container(&self) -> Option<&dyn Container> {
            self.$inner.as_container()
        }

        fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)> {
            self.$inner.as_indexer()
        }

        fn as_iterable<'b, 'v>(&'b self) -> Option<&'b (dyn Iterable + 'v)> {
            self.$inner.as_iterable()
        }

        fn as_zeroer(&self) -> Option<&dyn Zeroer> {
            self.$inner.as_zeroer()
        }

        fn equals(&self, other: &dyn Val) -> bool {
            equal(self, other).unwrap_or(false)
        }

        fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
            Box::new(self.clone())
        }

        fn as_any(&self) -> Option<&dyn std::any::Any> {
            Some(self)
        }

        // Lets the functions that take the collection inside take this one.
        fn as_builtin<'v>(&self) -> BuiltinRef<'_, 'v> {
            BuiltinRef::$builtin(&self.$inner)
        }

        fn into_builtin<'v>(self: Box<Self>) -> Option<Builtin<'v>> {
            Some(Builtin::$builtin(Arc::unwrap_or_clone(self.$inner)))
        }
    };
}

impl Val for List {
    shared!(items: List, LIST_TYPE);

    fn as_adder<'b, 'v>(&'b self) -> Option<&'b (dyn Adder + 'v)> {
        match self.identity {
            Identity::Place => self.items.as_adder(),
            Identity::Value | Identity::Keys(_) => Some(self),
        }
    }

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        self.items.as_sizer()
    }
}

impl StaticVal for List {}

impl Adder for List {
    /// Returns the union; items of the right list replace those of the same keys.
    fn add<'b, 'v>(&'b self, right: &(dyn Val + 'v)) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        let overload = || {
            let types = vec!["list".to_owned(), right.get_type().name().to_owned()];
            ExecutionError::no_such_overload("_+_", types)
        };
        let mut right = right.as_iterable().ok_or_else(overload)?.iter();
        let left = self.items.inner().iter();
        let mut items: Vec<Box<dyn Val + 'v>> = left.map(|item| item.clone_as_boxed()).collect();
        while let Some(item) = right.next() {
            match items.iter_mut().find(|known| self.is_same(&***known, item)) {
                Some(known) => *known = item.clone_as_boxed(),
                None => items.push(item.clone_as_boxed()),
            }
        }
        Ok(CowVal::owned(CelList::from(items)))
    }
}

impl Val for Map {
    shared!(entries: Map, MAP_TYPE);

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        Some(self)
    }
}

impl StaticVal for Map {}

impl Sizer for Map {
    fn size(&self) -> CelInt {
        match &self.hidden {
            Some(hidden) => i64::try_from(hidden.size).unwrap_or(i64::MAX).into(),
            None => self.entries.size(),
        }
    }
}

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
        let is_same = |(name, value): (&String, &serde_json::Value)| {
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
