//! Lists and maps that are cheap to copy, since a rule copies what it passes to functions.
//!
//! Lists of type `set` and `map` compare and add without regard to the order of their items.

use std::sync::Arc;

use cel::{
    ExecutionError,
    common::{
        traits::{Adder, Container, Indexer, Iterable, Sizer, Zeroer},
        types::{CelList, CelMap, CelString, LIST_TYPE, MAP_TYPE, Type},
        value::{Builtin, BuiltinRef, CowVal, StaticVal, Val},
    },
};

/// How a list identifies its items.
#[derive(Clone, Debug)]
pub(super) enum Identity {
    /// By their place.
    Place,
    /// By their value: a list of type `set`.
    Value,
    /// By their keys: a list of type `map`.
    Keys(Arc<[String]>),
}

#[derive(Clone, Debug)]
pub(super) struct List {
    items: Arc<CelList<'static>>,
    identity: Identity,
}

#[derive(Clone, Debug)]
pub(super) struct Map(Arc<CelMap<'static>>);

impl List {
    pub(super) fn new(items: CelList<'static>, identity: Identity) -> Self {
        Self {
            items: Arc::new(items),
            identity,
        }
    }

    /// Returns whether two items have the same place in the list.
    fn is_same(&self, left: &dyn Val, right: &dyn Val) -> bool {
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
    pub(super) fn new(entries: CelMap<'static>) -> Self {
        Self(Arc::new(entries))
    }
}

/// Makes a list cheap to copy.
pub(super) fn share(value: Box<dyn Val>) -> Box<dyn Val> {
    if value.as_any().is_some() {
        return value;
    }
    match Vec::try_from(value) {
        Ok(items) => Box::new(List::new(CelList::from(items), Identity::Place)),
        Err(value) => value,
    }
}

impl Val for List {
    fn get_type(&self) -> &Type {
        Self::cel_type()
    }

    fn cel_type() -> &'static Type {
        static LIST: Type = LIST_TYPE;
        &LIST
    }

    fn as_adder<'b, 'v>(&'b self) -> Option<&'b (dyn Adder + 'v)> {
        match self.identity {
            Identity::Place => self.items.as_adder(),
            Identity::Value | Identity::Keys(_) => Some(self),
        }
    }

    fn as_container(&self) -> Option<&dyn Container> {
        self.items.as_container()
    }

    fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)> {
        self.items.as_indexer()
    }

    fn as_iterable<'b, 'v>(&'b self) -> Option<&'b (dyn Iterable + 'v)> {
        self.items.as_iterable()
    }

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        self.items.as_sizer()
    }

    fn as_zeroer(&self) -> Option<&dyn Zeroer> {
        self.items.as_zeroer()
    }

    /// Without regard to order, each item has an equal item in the other list.
    fn equals(&self, other: &dyn Val) -> bool {
        let Some(other) = other.downcast_ref::<CelList>() else {
            return false;
        };
        if let Identity::Place = self.identity {
            return self.items.equals(other);
        }
        let (items, other) = (self.items.inner(), other.inner());
        let is_in = |item: &dyn Val| other.iter().any(|other| item.equals(&**other));
        items.len() == other.len() && items.iter().all(|item| is_in(&**item))
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn std::any::Any> {
        Some(self)
    }

    // Lets the functions that take a list take this one.
    fn as_builtin<'v>(&self) -> BuiltinRef<'_, 'v> {
        BuiltinRef::List(&self.items)
    }

    fn into_builtin<'v>(self: Box<Self>) -> Option<Builtin<'v>> {
        Some(Builtin::List(Arc::unwrap_or_clone(self.items)))
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
    fn get_type(&self) -> &Type {
        Self::cel_type()
    }

    fn cel_type() -> &'static Type {
        static MAP: Type = MAP_TYPE;
        &MAP
    }

    fn as_container(&self) -> Option<&dyn Container> {
        self.0.as_container()
    }

    fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)> {
        self.0.as_indexer()
    }

    fn as_iterable<'b, 'v>(&'b self) -> Option<&'b (dyn Iterable + 'v)> {
        self.0.as_iterable()
    }

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        self.0.as_sizer()
    }

    fn as_zeroer(&self) -> Option<&dyn Zeroer> {
        self.0.as_zeroer()
    }

    fn equals(&self, other: &dyn Val) -> bool {
        self.0.equals(other)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn std::any::Any> {
        Some(self)
    }

    fn as_builtin<'v>(&self) -> BuiltinRef<'_, 'v> {
        BuiltinRef::Map(&self.0)
    }

    fn into_builtin<'v>(self: Box<Self>) -> Option<Builtin<'v>> {
        Some(Builtin::Map(Arc::unwrap_or_clone(self.0)))
    }
}

impl StaticVal for Map {}
