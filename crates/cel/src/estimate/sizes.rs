//! How large the values of a variable can be.

use std::collections::BTreeMap;

/// How large the values of a variable, or of a part of it, can be.
///
/// ```
/// use kube_codegen_cel::Sizes;
///
/// // At most ten names of 63 characters.
/// let names = Sizes::of(10).with_items(Sizes::of(63));
/// let object = Sizes::of(0).with_field("names", names);
/// # let _ = object;
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    pub(super) most: u64,
    pub(super) fields: BTreeMap<String, Sizes>,
    pub(super) keys: Option<Box<Sizes>>,
    /// The items of a list or the values of a map.
    pub(super) items: Option<Box<Sizes>>,
}

impl Sizes {
    /// A value of at most this many characters, bytes, items or entries; 0 if it has none to count.
    pub fn of(most: u64) -> Self {
        Self {
            most,
            ..Self::default()
        }
    }

    /// Returns the most characters, bytes, items or entries.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Adds the sizes of the items of a list or of the values of a map.
    #[must_use]
    pub fn with_items(mut self, items: Self) -> Self {
        self.items = Some(Box::new(items));
        self
    }

    /// Adds the sizes of the keys of a map.
    #[must_use]
    pub fn with_keys(mut self, keys: Self) -> Self {
        self.keys = Some(Box::new(keys));
        self
    }

    /// Adds the sizes of a field, by its [identifier](crate::escape).
    #[must_use]
    pub fn with_field(mut self, name: impl Into<String>, field: Self) -> Self {
        self.insert(name, field);
        self
    }

    /// As [`with_field`](Self::with_field).
    pub fn insert(&mut self, name: impl Into<String>, field: Self) {
        self.fields.insert(name.into(), field);
    }

    /// Returns the sizes of a field.
    pub fn field(&self, name: &str) -> Option<&Self> {
        self.fields.get(name)
    }
}
