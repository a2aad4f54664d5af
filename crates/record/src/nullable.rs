//! A value that may be `null` and keeps it apart from absent.
use super::{Optional, Slot, Value, View};

/// A value of a field whose schema says `nullable: true`: there, or an explicit `null`.
///
/// As an optional field it is `Option<Nullable<T>>`, which tells absent (`None`), `null` and a value apart.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Nullable<T> {
    /// An explicit `null`.
    #[default]
    Null,
    /// A value.
    Value(T),
}

impl<T> Nullable<T> {
    /// The value by reference, if it is not `null`.
    pub const fn as_ref(&self) -> Option<&T> {
        match self {
            Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }

    /// The value by mutable reference, if it is not `null`.
    pub const fn as_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }

    /// The value, if it is not `null`.
    pub fn into_option(self) -> Option<T> {
        self.into()
    }

    /// Whether it is `null`.
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
