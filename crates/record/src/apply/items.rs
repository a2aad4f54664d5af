//! Items of map lists, made by their keys.

/// An item of a map list (`x-kubernetes-list-type: map`), identified by its keys.
pub trait MapItem {
    /// The type of the keys, in the order of the schema; a tuple if there are several.
    type Keys<'k>;
    /// Creates an item with these keys. Its other fields are absent or blank.
    fn with_keys(keys: Self::Keys<'_>) -> Self;
    /// Whether an item has these keys.
    fn has_keys(&self, keys: &Self::Keys<'_>) -> bool;
}

/// Finds or adds items of map lists.
///
/// ```
/// use k8s_openapi::api::core::v1::Container;
/// use kube_codegen_record::apply::Items;
///
/// let mut container = Container::default();
/// container.env.item("HOME").value = Some("/".into());
/// container.env.item("HOME").value = Some("/home".into());
/// assert_eq!(container.env.unwrap().len(), 1);
/// ```
pub trait Items<T: MapItem> {
    /// Returns the item with these keys, after adding it if there is none.
    fn item(&mut self, keys: T::Keys<'_>) -> &mut T;
}

impl<T: MapItem> Items<T> for Vec<T> {
    #[expect(
        clippy::indexing_slicing,
        reason = "the index is that of a found or added item"
    )]
    fn item(&mut self, keys: T::Keys<'_>) -> &mut T {
        let found = self.iter().position(|item| item.has_keys(&keys));
        let index = found.unwrap_or(self.len());
        if found.is_none() {
            self.push(T::with_keys(keys));
        }
        &mut self[index]
    }
}

impl<T: MapItem> Items<T> for Option<Vec<T>> {
    fn item(&mut self, keys: T::Keys<'_>) -> &mut T {
        self.get_or_insert_default().item(keys)
    }
}

/// A field that can be a key of a map list.
pub trait KeyField {
    /// The type in which callers pass the key.
    type Given<'k>;
    /// Creates the field from a key.
    fn of(given: Self::Given<'_>) -> Self;
    /// Whether the field has this value.
    fn is(&self, given: &Self::Given<'_>) -> bool;
}

impl KeyField for String {
    type Given<'k> = &'k str;
    fn of(given: &str) -> Self {
        given.to_owned()
    }
    fn is(&self, given: &&str) -> bool {
        self == given
    }
}

impl<T: KeyField> KeyField for Option<T> {
    type Given<'k> = T::Given<'k>;
    fn of(given: T::Given<'_>) -> Self {
        Some(T::of(given))
    }
    fn is(&self, given: &T::Given<'_>) -> bool {
        self.as_ref().is_some_and(|field| field.is(given))
    }
}

macro_rules! plain_keys {
    ($($type:ty),*) => {$(
        impl KeyField for $type {
            type Given<'k> = Self;
            fn of(given: Self) -> Self {
                given
            }
            fn is(&self, given: &Self) -> bool {
                self == given
            }
        }
    )*};
}

plain_keys!(bool, i32, i64);

/// Implements [`MapItem`](crate::apply::MapItem) for items of map lists: each type with its keys and their types.
///
/// ```
/// use kube_codegen_record::apply::Items;
///
/// struct Disk { path: String, size: Option<i64> }
///
/// kube_codegen_record::records! { Disk { path, size } }
/// kube_codegen_record::map_items! { Disk { path: String } }
///
/// let mut disks: Vec<Disk> = Vec::new();
/// disks.item("/var").size = Some(3);
/// assert_eq!((disks[0].path.as_str(), disks[0].size), ("/var", Some(3)));
/// ```
#[macro_export]
macro_rules! map_items {
    ($($item:ty { $key:ident: $type:ty $(, $other:ident: $others:ty)* $(,)? })*) => {$(
        $crate::__map_item! { $item [$key: $type] $key: $type $(, $other: $others)* }
    )*};
}

/// The part of `map_items!` for one type: one key is given as such, several as a tuple.
#[doc(hidden)]
#[macro_export]
macro_rules! __map_item {
    ($item:ty [$($first:tt)*] $key:ident: $type:ty) => {
        impl $crate::apply::MapItem for $item {
            type Keys<'k> = <$type as $crate::apply::KeyField>::Given<'k>;
            fn with_keys(keys: Self::Keys<'_>) -> Self {
                let mut item: Self = $crate::private::Value::blank();
                item.$key = $crate::apply::KeyField::of(keys);
                item
            }
            fn has_keys(&self, keys: &Self::Keys<'_>) -> bool {
                $crate::apply::KeyField::is(&self.$key, keys)
            }
        }
    };
    ($item:ty [$($first:tt)*] $($key:ident: $type:ty),+) => {
        impl $crate::apply::MapItem for $item {
            type Keys<'k> = ($(<$type as $crate::apply::KeyField>::Given<'k>,)+);
            fn with_keys(($($key,)+): Self::Keys<'_>) -> Self {
                let mut item: Self = $crate::private::Value::blank();
                $(item.$key = $crate::apply::KeyField::of($key);)+
                item
            }
            fn has_keys(&self, ($($key,)+): &Self::Keys<'_>) -> bool {
                $($crate::apply::KeyField::is(&self.$key, $key))&&+
            }
        }
    };
}
