//! Writes any record to any serializer, its fields sorted by name.
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::{
    bytes::Base64,
    foreign,
    value::{List, Map, Record, View},
};

/// Writes the present fields of a record, and then its undeclared fields.
///
/// # Errors
/// The errors of the serializer.
pub fn write<S: Serializer>(record: &dyn Record, serializer: S) -> Result<S::Ok, S::Error> {
    let names = record.names();
    let mut out = serializer.serialize_map(None)?;
    let mut next = names.iter();
    let mut result = Ok(());
    record.each(&mut |view| {
        if let (Some(name), true, false) =
            (next.next(), result.is_ok(), matches!(view, View::Absent))
        {
            result = out.serialize_entry(name, &view);
        }
    });
    result?;
    if let Some(rest) = record.rest() {
        for (key, value) in rest {
            if names.binary_search(&key.as_str()).is_err() {
                out.serialize_entry(key, value)?;
            }
        }
    }
    out.end()
}

impl Serialize for View<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            View::Absent | View::Null => serializer.serialize_unit(),
            View::Bool(value) => serializer.serialize_bool(value),
            View::Int(value) => serializer.serialize_i64(value),
            View::UInt(value) => serializer.serialize_u64(value),
            View::Float(value) => serializer.serialize_f64(value),
            View::Str(value) => serializer.serialize_str(value),
            View::Bytes(value) => serializer.collect_str(&Base64(value)),
            View::Display(value) => serializer.collect_str(value),
            View::Record(value) => write(value, serializer),
            View::List(value) => list(value, serializer),
            View::Map(value) => map(value, serializer),
            View::Json(value) => value.serialize(serializer),
            View::Foreign(value) => foreign::write(value, serializer),
        }
    }
}

fn list<S: Serializer>(list: &dyn List, serializer: S) -> Result<S::Ok, S::Error> {
    let len = list.len();
    let mut out = serializer.serialize_seq(Some(len))?;
    for index in 0..len {
        out.serialize_element(&list.get(index))?;
    }
    out.end()
}

fn map<S: Serializer>(map: &dyn Map, serializer: S) -> Result<S::Ok, S::Error> {
    let mut out = serializer.serialize_map(Some(map.len()))?;
    let mut result = Ok(());
    map.each(&mut |key, view| {
        result = out.serialize_entry(key, &view);
        result.is_ok()
    });
    result?;
    out.end()
}
