//! The traits by which a type is seen from outside: what is there ([`View`]), and where to put what comes ([`Slot`]).
use super::{Foreign, Literal};
use std::collections::BTreeMap;
use std::fmt;

/// A value, seen without knowing its type.
#[derive(Clone, Copy)]
pub enum View<'a> {
    /// Not present: nothing is written.
    Absent,
    /// An explicit `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    UInt(u64),
    /// A number.
    Float(f64),
    /// A string.
    Str(&'a str),
    /// A value whose wire form is the text it displays.
    Display(&'a dyn fmt::Display),
    /// An object with declared fields.
    Record(&'a dyn Record),
    /// An array.
    List(&'a dyn List),
    /// An object with free keys.
    Map(&'a dyn Map),
    /// Raw JSON.
    Json(&'a serde_json::Value),
    /// A value with serde impls of its own.
    Foreign(&'a dyn Foreign),
}

impl View<'_> {
    /// The view; absent for an empty text, and for an object with nothing in it.
    #[must_use]
    pub fn unless_blank(self) -> Self {
        let blank = match self {
            View::Str(text) => text.is_empty(),
            View::Record(record) => {
                let mut fields = 0..record.names().len();
                fields.all(|index| matches!(record.get(index), View::Absent))
                    && record.rest().is_none_or(BTreeMap::is_empty)
            }
            _ => false,
        };
        if blank { View::Absent } else { self }
    }
}

/// A place to put a value, without knowing its type.
pub enum Slot<'a> {
    /// No such field: what comes is read over.
    Skip,
    /// A constant of the type (`apiVersion`, `kind`): what comes is compared.
    Fixed(Fixed),
    /// A place for one literal.
    Scalar(&'a mut dyn Scalar),
    /// An open enum of strings.
    Text(&'a mut dyn Text),
    /// An object with declared fields.
    Record(&'a mut dyn Record),
    /// A place that may stay empty.
    Optional(&'a mut dyn Optional),
    /// An array.
    List(&'a mut dyn List),
    /// An object with free keys.
    Map(&'a mut dyn Map),
    /// Raw JSON.
    Json(&'a mut serde_json::Value),
    /// A place that decides by the whole value what it is.
    Whole(&'a mut dyn Whole),
    /// A value with serde impls of its own.
    Foreign(&'a mut dyn Foreign),
}

/// The constant text of an `apiVersion` or `kind` field.
#[derive(Clone, Copy, Debug)]
pub struct Fixed(pub &'static str);

/// An object with declared fields, known by index. [`records!`](crate::records) implements it.
pub trait Record {
    /// The fields' names on the wire, in byte order.
    fn names(&self) -> &'static [&'static str];
    /// The value of a field; [`View::Absent`] beyond the last.
    fn get(&self, index: usize) -> View<'_>;
    /// The place of a field; [`Slot::Skip`] beyond the last.
    fn at(&mut self, index: usize) -> Slot<'_>;
    /// Fields that are not declared, where the schema preserves them. A declared name in it is not written.
    fn rest(&self) -> Option<&BTreeMap<String, serde_json::Value>> {
        None
    }
    /// The place for fields that are not declared; `None` where they are dropped.
    fn rest_mut(&mut self) -> Option<&mut BTreeMap<String, serde_json::Value>> {
        None
    }
}

/// How a literal did not fit a [`Scalar`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Misfit {
    /// It is of another type.
    Type,
    /// It is of the type, yet out of range or malformed.
    Value,
}

/// Anything that is one literal on the wire.
pub trait Scalar {
    /// Takes the literal over (an owned text is taken out of it), or leaves all as it was and says what does not fit.
    fn set(&mut self, literal: &mut Literal<'_>) -> Result<(), Misfit>;
    /// Takes what stands for an absent value.
    fn clear(&mut self);
    /// What fits, for messages: `i32`, `a string`.
    fn expects(&self) -> &'static str;
}

/// An open enum of strings: every text fits.
pub trait Text {
    /// Takes the text over.
    fn set(&mut self, text: &str);
}

/// A place that takes any JSON and decides by the whole of it: an enum of values or of types.
pub trait Whole {
    /// Takes the value over.
    fn take(&mut self, json: serde_json::Value);
}

/// A place that may stay empty, or hold `null`.
pub trait Optional {
    /// Drops what is there and takes `null` over: as absent, or kept if the type has a `null`.
    fn set_null(&mut self);
    /// Drops what is there and puts a blank value in its place, to be filled.
    fn set_blank(&mut self) -> Slot<'_>;
}

/// An array.
pub trait List {
    /// The number of items.
    fn len(&self) -> usize;
    /// Whether there are no items.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// An item; [`View::Absent`] beyond the last.
    fn get(&self, index: usize) -> View<'_>;
    /// Drops all items and makes room for as many as announced, within reason.
    fn clear(&mut self, announced: usize);
    /// Appends a blank item, to be filled.
    fn push(&mut self) -> Slot<'_>;
}

/// An object with free keys.
pub trait Map {
    /// The number of entries.
    fn len(&self) -> usize;
    /// Whether there are no entries.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The value of a key; [`View::Absent`] if there is none.
    fn get(&self, key: &str) -> View<'_>;
    /// Shows all entries in order until `out` returns `false`.
    fn each<'a>(&'a self, out: &mut dyn FnMut(&'a str, View<'a>) -> bool);
    /// Drops all entries.
    fn clear(&mut self);
    /// Puts a blank value at the key, in place of what is there, to be filled.
    fn insert(&mut self, key: &str) -> Slot<'_>;
}

/// What a field can be.
pub trait Value: Sized {
    /// What stands for a required value that is missing: empty, zero, `false`.
    fn blank() -> Self;
    /// What is there.
    fn view(&self) -> View<'_>;
    /// Where to put what comes.
    fn slot(&mut self) -> Slot<'_>;
    /// What an optional value becomes on `null`: absent, unless the type has a `null` of its own.
    fn null() -> Option<Self> {
        None
    }
    /// The slot of an optional value of this type; scalars need no detour.
    fn slot_of(optional: &mut Option<Self>) -> Slot<'_> {
        Slot::Optional(optional)
    }
}

/// `From` of what a literal in a table can be.
macro_rules! views {
    ($($type:ty, |$value:ident| $view:expr;)*) => {$(
        impl<'a> From<$type> for View<'a> {
            fn from($value: $type) -> Self {
                $view
            }
        }
    )*};
}

views! {
    &'a str, |v| View::Str(v);
    bool, |v| View::Bool(v);
    i8, |v| View::Int(v.into());
    i16, |v| View::Int(v.into());
    i32, |v| View::Int(v.into());
    i64, |v| View::Int(v);
    u8, |v| View::UInt(v.into());
    u16, |v| View::UInt(v.into());
    u32, |v| View::UInt(v.into());
    u64, |v| View::UInt(v);
    f64, |v| View::Float(v);
}
