//! A value or an explicit `null`, as distinct from an absent field.
use crate::value::{Optional, Slot, Value, View};

/// The value of a field with `nullable: true` in its schema: a value, or an explicit `null`.
///
/// An optional field has the type `Option<Nullable<T>>`, which distinguishes an absent field (`None`), `null` and a value.
///
/// ```
/// use kube_codegen_record::Nullable;
///
/// let limit: Option<Nullable<i64>> = Some(Nullable::Null);
/// assert_eq!(limit.and_then(Nullable::into_option), None);
/// assert_eq!(Nullable::from(3).as_ref(), Some(&3));
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Nullable<T> {
    /// An explicit `null`.
    #[default]
    Null,
    /// A value.
    Value(T),
}

impl<T> Nullable<T> {
    /// Returns the value by reference; `None` for `null`.
    pub const fn as_ref(&self) -> Option<&T> {
        match self {
            Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }

    /// Returns the value by mutable reference; `None` for `null`.
    pub const fn as_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }

    /// Returns the value; `None` for `null`.
    pub fn into_option(self) -> Option<T> {
        self.into()
    }

    /// Whether this is `null`.
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

impl<T> From<T> for Nullable<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

impl<T> From<Option<T>> for Nullable<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

impl<T> From<Nullable<T>> for Option<T> {
    fn from(value: Nullable<T>) -> Self {
        match value {
            Nullable::Null => None,
            Nullable::Value(value) => Some(value),
        }
    }
}

impl<T: Value> Value for Nullable<T> {
    #[inline]
    fn blank() -> Self {
        Self::Null
    }
    #[inline]
    fn view(&self) -> View<'_> {
        match self {
            Self::Null => View::Null,
            Self::Value(value) => value.view(),
        }
    }
    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        Slot::Optional(self)
    }
    #[inline]
    fn null() -> Option<Self> {
        Some(Self::Null)
    }
}

impl<T: Value> Optional for Nullable<T> {
    fn set_null(&mut self) {
        *self = Self::Null;
    }
    fn set_blank(&mut self) -> Slot<'_> {
        *self = Self::Value(T::blank());
        match self {
            Self::Value(value) => value.slot(),
            Self::Null => Slot::Skip,
        }
    }
}
