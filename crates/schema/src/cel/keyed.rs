//! Lists of type `set` and `map`: the order of their items does not count.

use cel::{
    ExecutionError,
    common::{
        traits::{Adder, Container, Indexer, Iterable, Sizer, Zeroer},
        types::{CelList, CelMap, CelString, LIST_TYPE, Type},
        value::{BuiltinRef, CowVal, Val},
    },
};

/// A list of type `set`, or of type `map` with its keys.
#[derive(Clone, Debug)]
pub(super) struct KeyedList {
    items: CelList<'static>,
    keys: Option<Vec<String>>,
}

impl KeyedList {
    pub(super) fn set(items: CelList<'static>) -> Self {
        Self { items, keys: None }
    }

    pub(super) fn map(items: CelList<'static>, keys: Vec<String>) -> Self {
        Self {
            items,
            keys: Some(keys),
        }
    }

    /// Returns whether two items have the same place in the list.
    fn is_same(&self, left: &dyn Val, right: &dyn Val) -> bool {
        let Some(keys) = &self.keys else {
            return left.equals(right);
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

impl Val for KeyedList {
    fn get_type(&self) -> &Type {
        Self::cel_type()
    }

    fn cel_type() -> &'static Type {
        static LIST: Type = LIST_TYPE;
        &LIST
    }

    fn as_adder<'b, 'v>(&'b self) -> Option<&'b (dyn Adder + 'v)> {
        Some(self)
    }

    fn as_container(&self) -> Option<&dyn Container> {
        self.items.as_container()
    }

    fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)> {
        self.items.as_indexer()
    }

    fn into_indexer<'v>(self: Box<Self>) -> Option<Box<dyn Indexer + 'v>> {
        Box::new(self.items).into_indexer()
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

    /// Lists are equal if each item has an equal item in the other list.
    fn equals(&self, other: &dyn Val) -> bool {
        let Some(other) = other.downcast_ref::<CelList>() else {
            return false;
        };
        let other = other.inner();
        self.items.inner().len() == other.len()
            && self
                .items
                .inner()
                .iter()
                .all(|item| other.iter().any(|other| item.equals(&**other)))
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    // Lets the functions that take a list take this one.
    fn as_builtin<'v>(&self) -> BuiltinRef<'_, 'v> {
        BuiltinRef::List(&self.items)
    }
}

impl Adder for KeyedList {
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
