//! Values of expressions, also such as only custom resources have.

mod collections;
mod json;

use std::{collections::HashMap, fmt};

use cel::common::{
    types::{
        CelBool, CelBytes, CelDouble, CelDuration, CelInt, CelList, CelMap, CelMapKey, CelNull,
        CelOptional, CelString, CelStruct, CelTimestamp, DYN_TYPE, Type,
    },
    value::{CowVal, StaticVal, Val},
};
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use kube_codegen_formats::go::Number;

use crate::syntax::escape;

pub use self::collections::Identity;
pub(crate) use self::collections::{List, Map, equal, share};

/// A value that borrows from nothing but the evaluation.
pub(crate) type Object = dyn Val + 'static;

pub(crate) fn boolean<'e>(value: bool) -> CowVal<'e, 'static> {
    CowVal::owned(CelBool::from(value))
}

/// Implements a CEL type without operators but equality.
macro_rules! opaque {
    ($type:ident, $name:literal) => {
        impl ::cel::common::value::Val for $type {
            fn get_type(&self) -> &::cel::common::types::Type {
                <Self as ::cel::common::value::Val>::cel_type()
            }

            fn cel_type() -> &'static ::cel::common::types::Type {
                static TYPE: ::cel::common::types::Type =
                    ::cel::common::types::Type::new_unspecified_type($name);
                &TYPE
            }

            fn equals(&self, other: &dyn ::cel::common::value::Val) -> bool {
                other
                    .downcast_ref::<Self>()
                    .is_some_and(|other| self == other)
            }

            fn clone_as_boxed<'v>(&self) -> Box<dyn ::cel::common::value::Val + 'v> {
                Box::new(self.clone())
            }

            fn as_any(&self) -> Option<&dyn ::std::any::Any> {
                Some(self)
            }
        }

        impl ::cel::common::value::StaticVal for $type {}
    };
}
pub(crate) use opaque;

/// A value that an expression reads or returns.
///
/// ```
/// use kube_codegen_cel::{Identity, Value};
/// use serde_json::json;
///
/// let object = Value::from(&json!({"name": "web", "ports": [80, 443]}));
/// let ports = Value::list([Value::from(80), Value::from(443)], Identity::Place);
/// let same = Value::map([("name", Value::from("web")), ("ports", ports)]);
/// assert_eq!(object, same);
/// ```
pub struct Value(pub(crate) Box<Object>);

impl Value {
    pub(crate) fn new(value: impl Val + 'static) -> Self {
        Self(Box::new(value))
    }

    /// `null`
    pub fn null() -> Self {
        Self::new(CelNull)
    }

    /// A duration in nanoseconds.
    pub fn duration(nanos: i64) -> Self {
        Self::new(CelDuration::from(TimeDelta::nanoseconds(nanos)))
    }

    /// The timestamp of a date such as `2026-11-24`; none of another text.
    pub fn date(text: &str) -> Option<Self> {
        let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
        let time = date.and_time(NaiveTime::MIN).and_utc().fixed_offset();
        Some(Self::new(CelTimestamp::from(time)))
    }

    /// The timestamp of RFC 3339, also without a zone; none of another text.
    pub fn date_time(text: &str) -> Option<Self> {
        let time = match DateTime::parse_from_rfc3339(text) {
            Ok(time) => time.to_utc(),
            Err(_) => NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S")
                .ok()?
                .and_utc(),
        };
        Some(Self::new(CelTimestamp::from(time.fixed_offset())))
    }

    /// An optional value.
    pub fn optional(value: Option<Self>) -> Self {
        Self::new(value.map_or_else(CelOptional::none, |it| CelOptional::of(it.0)))
    }

    /// A list.
    pub fn list(items: impl IntoIterator<Item = Self>, identity: Identity) -> Self {
        let items: Vec<_> = items.into_iter().map(|item| item.0).collect();
        Self::new(List::new(CelList::from(items), identity))
    }

    /// A map with strings for keys.
    pub fn map<K: Into<String>>(entries: impl IntoIterator<Item = (K, Self)>) -> Self {
        let entries = entries
            .into_iter()
            .map(|(name, value)| (key(name.into()), value.0));
        let entries: HashMap<_, _> = entries.collect();
        Self::new(Map::new(CelMap::from(entries)))
    }

    /// An object of a custom resource, with its fields by their names. An expression reads them by their [identifiers](escape), too.
    ///
    /// `hidden` is what it has besides.
    pub fn object<'n>(fields: impl IntoIterator<Item = (&'n str, Self)>, hidden: Hidden) -> Self {
        let mut map = HashMap::new();
        for (name, value) in fields {
            // The server finds a field by its own name too.
            if let Some(escaped) = escape(name).filter(|escaped| escaped != name) {
                map.insert(key(escaped), value.0.clone());
            }
            map.insert(key(name.to_owned()), value.0);
        }
        Self::new(Map::object(CelMap::from(map), hidden))
    }

    /// As [`object`](Self::object), for a map of a custom resource, whose keys are no identifiers.
    pub fn entries<'n>(entries: impl IntoIterator<Item = (&'n str, Self)>, hidden: Hidden) -> Self {
        let entries = entries.into_iter();
        let entries = entries.map(|(name, value)| (key(name.to_owned()), value.0));
        let entries: HashMap<_, _> = entries.collect();
        Self::new(Map::object(CelMap::from(entries), hidden))
    }

    /// A value that does not fit its schema: reading it is an error with this text.
    pub fn invalid(why: impl Into<String>) -> Self {
        Self::new(Invalid(why.into()))
    }

    /// A value that a schema preserves without describing it: it can only be compared.
    pub fn preserved(value: &serde_json::Value) -> Self {
        Self::new(Preserved(value.clone()))
    }

    /// Returns the value as JSON. The error says what has no such form.
    pub fn to_json(&self) -> Result<serde_json::Value, String> {
        json::of(&*self.0)
    }

    /// Returns the name of an object that a literal has created, such as `Object`, and a problem for each object inside it that has
    /// another name than its place: the value of `spec` in `Object{…}` is an `Object.spec{…}`.
    pub fn literal(&self) -> Option<(String, Vec<String>)> {
        let name = self.0.downcast_ref::<CelStruct>()?.name().to_owned();
        let mut found = Vec::new();
        json::misnamed(&*self.0, &mut vec![name.clone()], &mut found);
        Some((name, found))
    }

    /// Returns a field of an object that a literal has created.
    pub fn field(&self, name: &str) -> Option<Self> {
        let field = self.0.downcast_ref::<CelStruct>()?.field_value(name)?;
        Some(Self(field.clone_as_boxed()))
    }

    /// Returns the items of the list that the value is.
    pub fn items(&self) -> Option<Vec<Self>> {
        let items = self.0.downcast_ref::<CelList>()?.inner().iter();
        Some(items.map(|item| Self(item.clone_as_boxed())).collect())
    }

    /// Returns the boolean that the value is.
    pub fn as_bool(&self) -> Option<bool> {
        Some(*self.0.downcast_ref::<CelBool>()?.inner())
    }

    /// Returns the string that the value is.
    pub fn as_str(&self) -> Option<&str> {
        Some(self.0.downcast_ref::<CelString>()?.inner())
    }
}

fn key(name: String) -> CelMapKey<'static> {
    CelMapKey::String(CelString::from(name))
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::new(CelBool::from(value))
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::new(CelInt::from(value))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::new(CelDouble::from(value))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::new(CelString::from(text.to_owned()))
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(CelBytes::from(bytes))
    }
}

/// A value without a schema: of all fields.
impl From<&serde_json::Value> for Value {
    fn from(value: &serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::null(),
            serde_json::Value::Bool(value) => (*value).into(),
            serde_json::Value::Number(_) => match Number::of(value) {
                Some(Number::Int(int)) => int.into(),
                Some(Number::Float(float)) => float.into(),
                None => Self::preserved(value),
            },
            serde_json::Value::String(text) => text.as_str().into(),
            serde_json::Value::Array(items) => {
                Self::list(items.iter().map(Self::from), Identity::Place)
            }
            serde_json::Value::Object(fields) => {
                Self::map(fields.iter().map(|(name, value)| (name, value.into())))
            }
        }
    }
}

impl Clone for Value {
    fn clone(&self) -> Self {
        Self(self.0.clone_as_boxed())
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Equal as by `==` of CEL, where an error is not equal to anything.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        equal(&*self.0, &*other.0).unwrap_or(false)
    }
}

/// What an object has besides the fields that expressions can read. The server compares objects by this, too.
#[derive(Clone, Debug, Default)]
pub struct Hidden {
    /// The number of its fields, with those that are null or unknown.
    pub size: usize,
    /// Declared fields that are null. They count as absent.
    pub nulls: Vec<String>,
    /// Fields that the schema preserves and does not declare.
    pub unknown: serde_json::Map<String, serde_json::Value>,
}

/// A value that does not fit its schema: reading it is an error.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Invalid(pub(crate) String);

opaque!(Invalid, "error");

impl Invalid {
    /// Returns the error of the value that a map has at a key.
    pub(crate) fn at_key(map: &dyn Val, key: &dyn Val) -> Option<String> {
        map.downcast_ref::<CelMap>()?;
        let value = map.as_indexer()?.get(key).ok()?;
        Some(value.downcast_ref::<Self>()?.0.clone())
    }

    /// Returns the error of the first item of a list that has one.
    pub(crate) fn in_list(list: &dyn Val) -> Option<String> {
        let list = list.downcast_ref::<CelList>()?;
        let mut items = list.inner().iter();
        items.find_map(|item| Some(item.downcast_ref::<Self>()?.0.clone()))
    }
}

/// A value that the schema preserves without describing it: it can only be compared.
#[derive(Clone, Debug)]
struct Preserved(serde_json::Value);

impl Val for Preserved {
    fn get_type(&self) -> &Type {
        Self::cel_type()
    }

    fn cel_type() -> &'static Type {
        static PRESERVED: Type = DYN_TYPE;
        &PRESERVED
    }

    fn equals(&self, other: &dyn Val) -> bool {
        other
            .downcast_ref::<Self>()
            .is_some_and(|other| self.0 == other.0)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn std::any::Any> {
        Some(self)
    }
}

impl StaticVal for Preserved {}
