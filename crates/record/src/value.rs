//! The traits of reflective values: read as a [`View`], filled through a [`Slot`].
use std::{collections::BTreeMap, fmt};

use crate::{
    fault::Fault,
    literal::{Literal, Misfit},
};

/// A value to read, whatever its type.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum View<'a> {
    /// Absent: not written.
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
    /// Bytes, written as base64.
    Bytes(&'a [u8]),
    /// A value written as the text it displays.
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
    /// Returns [`View::Absent`] for an empty string or an object without present fields, and otherwise the view itself.
    #[must_use]
    pub fn unless_blank(self) -> Self {
        let blank = match self {
            View::Str(text) => text.is_empty(),
            View::Record(record) => {
                let mut absent = record.rest().is_none_or(BTreeMap::is_empty);
                record.each(&mut |view| absent &= matches!(view, View::Absent));
                absent
            }
            _ => false,
        };
        if blank { View::Absent } else { self }
    }
}

/// A place to put a value, whatever its type.
#[non_exhaustive]
pub enum Slot<'a> {
    /// No such field: the value is skipped.
    Skip,
    /// A constant of the type (`apiVersion`, `kind`): the value is compared.
    Fixed(Fixed),
    /// A literal.
    Scalar(&'a mut dyn Scalar),
    /// An open enum of strings.
    Text(&'a mut dyn Text),
    /// An object with declared fields.
    Record(&'a mut dyn Record),
    /// A value that may be absent.
    Optional(&'a mut dyn Optional),
    /// An array.
    List(&'a mut dyn List),
    /// An object with free keys.
    Map(&'a mut dyn Map),
    /// Raw JSON.
    Json(&'a mut serde_json::Value),
    /// A value that needs the whole JSON to choose a variant.
    Whole(&'a mut dyn Whole),
    /// A value with serde impls of its own.
    Foreign(&'a mut dyn Foreign),
}

/// The constant text of an `apiVersion` or `kind` field.
#[derive(Clone, Copy, Debug)]
pub struct Fixed(pub &'static str);

/// An object with declared fields, addressed by index. [`records!`](crate::records) implements it.
pub trait Record {
    /// Returns the names of the fields on the wire, in byte order.
    fn names(&self) -> &'static [&'static str];
    /// Calls `see` with the value of each field, in the order of the names.
    fn each<'a>(&'a self, see: &mut dyn FnMut(View<'a>));
    /// Returns the value of a field, or [`View::Absent`] beyond the last. It visits all fields, so use [`Self::each`] to read several.
    fn get(&self, index: usize) -> View<'_> {
        let (mut before, mut found) = (index, View::Absent);
        self.each(&mut |view| {
            if before == 0 {
                found = view;
            }
            before = before.wrapping_sub(1);
        });
        found
    }
    /// Returns the slot of a field, or [`Slot::Skip`] beyond the last.
    fn at(&mut self, index: usize) -> Slot<'_>;
    /// Returns the undeclared fields, if the schema preserves them. An entry with the name of a declared field is not written.
    fn rest(&self) -> Option<&BTreeMap<String, serde_json::Value>> {
        None
    }
    /// Returns the undeclared fields to fill; `None` if they are dropped.
    fn rest_mut(&mut self) -> Option<&mut BTreeMap<String, serde_json::Value>> {
        None
    }
}

/// Returns the values of all fields, in the order of the names.
pub(crate) fn views(record: &dyn Record) -> Vec<View<'_>> {
    let mut all = Vec::with_capacity(record.names().len());
    record.each(&mut |view| all.push(view));
    all
}

/// A value that is one literal on the wire.
pub trait Scalar {
    /// Sets the value from a literal, from which it may take an owned string. On error, the value does not change.
    fn set(&mut self, literal: &mut Literal<'_>) -> Result<(), Misfit>;
    /// Resets the value to the blank one.
    fn clear(&mut self);
    /// Returns the expected type, for messages: `i32`, `a string`.
    fn expects(&self) -> &'static str;
}

/// An open enum of strings, which accepts any text.
pub trait Text {
    /// Sets the value from text.
    fn set(&mut self, text: &str);
}

/// An enum of values or types, whose variant depends on the whole JSON.
pub trait Whole {
    /// Sets the value from JSON.
    fn take(&mut self, json: serde_json::Value);
}

/// A value that may be absent or `null`.
pub trait Optional {
    /// Sets `null`, which means absent unless the type has its own `null`.
    fn set_null(&mut self);
    /// Sets a blank value, and returns its slot.
    fn set_blank(&mut self) -> Slot<'_>;
}

/// An array.
pub trait List {
    /// Returns the number of items.
    fn len(&self) -> usize;
    /// Whether there are no items.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns an item, or [`View::Absent`] beyond the last.
    fn get(&self, index: usize) -> View<'_>;
    /// Removes all items, and reserves capacity for the announced number, up to a limit.
    fn clear(&mut self, announced: usize);
    /// Appends a blank item, and returns its slot.
    fn push(&mut self) -> Slot<'_>;
}

/// An object with free keys.
pub trait Map {
    /// Returns the number of entries.
    fn len(&self) -> usize;
    /// Whether there are no entries.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the value of a key, or [`View::Absent`] if there is none.
    fn get(&self, key: &str) -> View<'_>;
    /// Calls `out` for each entry in order, until it returns `false`.
    fn each<'a>(&'a self, out: &mut dyn FnMut(&'a str, View<'a>) -> bool);
    /// Removes all entries.
    fn clear(&mut self);
    /// Inserts a blank value for a key, replacing any earlier one, and returns its slot.
    fn insert(&mut self, key: &str) -> Slot<'_>;
}

/// A value with its own serde impls. Implemented for every type that is [`Value`], `Serialize` and `DeserializeOwned`.
pub trait Foreign {
    /// Reads the value.
    ///
    /// # Errors
    /// The error of the type's own `Deserialize`.
    fn read(&mut self, json: &serde_json::Value) -> Result<(), Fault>;
    /// Writes the value.
    ///
    /// # Errors
    /// The error of the type's own `Serialize`, or of the serializer behind the sink.
    fn write(&self, to: &mut dyn Sink) -> Result<(), Fault>;
    /// Resets the value to the blank one.
    fn clear(&mut self);
}

/// Receives one value: a literal, or the parts of an array or object between `begin_…` and `end`.
pub trait Sink {
    /// Writes a literal.
    ///
    /// # Errors
    /// If the serializer fails, or the methods are called in the wrong order. This applies to all methods.
    fn literal(&mut self, literal: Literal<'_>) -> Result<(), Fault>;
    /// Begins an array.
    ///
    /// # Errors
    /// The same as for [`Sink::literal`].
    fn begin_list(&mut self, len: Option<usize>) -> Result<(), Fault>;
    /// Begins an object.
    ///
    /// # Errors
    /// The same as for [`Sink::literal`].
    fn begin_map(&mut self, len: Option<usize>) -> Result<(), Fault>;
    /// Writes the next key of the object.
    ///
    /// # Errors
    /// The same as for [`Sink::literal`].
    fn key(&mut self, key: &dyn Part) -> Result<(), Fault>;
    /// Writes the value of the last key, or the next item.
    ///
    /// # Errors
    /// The same as for [`Sink::literal`].
    fn part(&mut self, part: &dyn Part) -> Result<(), Fault>;
    /// Ends the array or object.
    ///
    /// # Errors
    /// The same as for [`Sink::literal`].
    fn end(&mut self) -> Result<(), Fault>;
}

/// A value that can be written to a sink.
pub trait Part {
    /// Writes the value.
    ///
    /// # Errors
    /// The same as for [`Sink::literal`].
    fn put(&self, to: &mut dyn Sink) -> Result<(), Fault>;
}

/// A type that a field of a record can have.
pub trait Value: Sized {
    /// Returns the value of a required field that is missing: empty, zero, `false`.
    fn blank() -> Self;
    /// Returns the value to read.
    fn view(&self) -> View<'_>;
    /// Returns the place to fill.
    fn slot(&mut self) -> Slot<'_>;
    /// Returns the value for `null`, if the type has one; otherwise `null` means absent.
    fn null() -> Option<Self> {
        None
    }
    /// Returns the slot of an optional value of this type.
    fn slot_of(optional: &mut Option<Self>) -> Slot<'_> {
        Slot::Optional(optional)
    }
}

/// Returns a value in which nothing is set: empty, zero, `false`. Generated code calls it for types that cannot derive `Default`.
///
/// Use it to start a part of a [configuration to apply](crate::apply) whose type has no `Default` because the schema requires an enum.
/// Fields that stay blank are not part of the configuration.
///
/// ```
/// # #[derive(Clone, Debug, PartialEq)]
/// # pub enum Mode { Fast, Safe, Other(String) }
/// # kube_codegen_record::text_enums! { Mode { Fast, Safe, .. Other } }
/// # pub struct GateSpec { pub mode: Mode, pub size: Option<i64> }
/// # kube_codegen_record::records! { GateSpec { mode, size } }
/// let mut spec: Option<GateSpec> = None;
/// spec.get_or_insert_with(kube_codegen_record::blank).size = Some(3);
/// # assert_eq!(spec.unwrap().mode.as_str(), "");
/// ```
pub fn blank<T: Value>() -> T {
    T::blank()
}

/// `From` for the literals in tables of enums.
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
