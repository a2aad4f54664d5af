//! Converts JSON to CEL values by the schema.

use std::{collections::HashMap, sync::LazyLock};

use cel::common::{
    types::{
        CelBool, CelBytes, CelDouble, CelDuration, CelInt, CelList, CelMap, CelMapKey, CelNull,
        CelString, CelTimestamp, DYN_TYPE, Type,
    },
    value::{StaticVal, Val},
};
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use serde_json::Value;

use super::{
    equal::Hidden,
    library::opaque,
    names::escape,
    shared::{Identity, List, Map},
};
use crate::{formats, go::Number, node::Node};

/// Returns a value as CEL sees it. Fields that the schema does not declare are absent.
pub(super) fn convert(schema: &Node, value: &Value) -> Box<dyn Val> {
    if value.is_null() {
        return if schema.nullable {
            Box::new(CelNull)
        } else {
            invalid("invalid data, got null for schema with nullable=false")
        };
    }
    if schema.int_or_string {
        let is_known = value.is_string() || value.is_i64();
        return if is_known {
            scalar(value)
        } else {
            invalid("invalid data, expected XIntOrString value to be either a string or integer")
        };
    }
    match (schema.type_.as_deref(), value) {
        (Some("object"), Value::Object(fields)) if schema.embedded_resource => {
            resource(schema, fields, false)
        }
        (Some("object"), Value::Object(fields)) => object(schema, fields, &[], true),
        (Some("object"), _) => {
            invalid("invalid data, expected a map for the provided schema with type=object")
        }
        (Some("array"), Value::Array(items)) => list(schema, items),
        (Some("array"), _) => {
            invalid("invalid data, expected an array for the provided schema with type=array")
        }
        (Some("string"), Value::String(text)) => string(schema.format.as_deref(), text),
        (Some("string"), _) => unexpected("string", value),
        (Some("number"), Value::Number(_)) => match Number::of(value) {
            Some(number) => Box::new(CelDouble::from(number.as_f64())),
            None => preserved(value),
        },
        (Some("number"), _) => unexpected("float", value),
        (Some("integer"), Value::Number(number)) if number.is_i64() => scalar(value),
        (Some("integer"), _) => unexpected("int", value),
        (Some("boolean"), Value::Bool(_)) => scalar(value),
        (Some("boolean"), _) => unexpected("bool", value),
        _ => preserved(value),
    }
}

/// As [`convert`], for an object with `apiVersion`, `kind` and `metadata`; of the latter, names are visible.
pub(super) fn resource(
    schema: &Node,
    fields: &serde_json::Map<String, Value>,
    is_root: bool,
) -> Box<dyn Val> {
    static META: LazyLock<[(&str, Node); 3]> = LazyLock::new(|| {
        let string = || Node {
            type_: Some("string".to_owned()),
            ..Node::default()
        };
        let names = ["name", "generateName"].map(|name| (name.to_owned(), string()));
        let metadata = Node {
            type_: Some("object".to_owned()),
            properties: names.into(),
            ..Node::default()
        };
        [
            ("apiVersion", string()),
            ("kind", string()),
            ("metadata", metadata),
        ]
    });
    let has = |name: &str, type_: &str| {
        let field = schema.properties.get(name);
        field.is_some_and(|it| it.type_.as_deref() == Some(type_))
    };
    let is_complete = has("apiVersion", "string")
        && has("kind", "string")
        && has("metadata", "object")
        && !schema.properties["metadata"].properties.is_empty();
    // What the server adds to the metadata of the root is not known here.
    object(
        schema,
        fields,
        if is_complete { &[] } else { &*META },
        !is_root,
    )
}

fn object(
    schema: &Node,
    fields: &serde_json::Map<String, Value>,
    instead: &[(&'static str, Node)],
    knows_metadata: bool,
) -> Box<dyn Val> {
    let mut map = HashMap::with_capacity(fields.len());
    let mut hidden = Hidden {
        size: fields.len(),
        ..Hidden::default()
    };
    let has_properties = !schema.properties.is_empty() || !instead.is_empty();
    for (name, value) in fields {
        let special = instead.iter().find(|(known, _)| known == name);
        let inner = match special {
            Some((_, inner)) => Some(inner),
            None if has_properties => schema.properties.get(name),
            None => schema.additional(),
        };
        let Some(inner) = inner else {
            hidden.unknown.insert(name.clone(), value.clone());
            continue;
        };
        if has_properties && value.is_null() {
            hidden.nulls.push(name.clone());
            continue;
        }
        let value = match value {
            Value::Object(fields) if !knows_metadata && name == "metadata" => {
                metadata(inner, fields)
            }
            value => convert(inner, value),
        };
        let escaped = if has_properties { escape(name) } else { None };
        // The server finds a field by its own name too.
        if let Some(escaped) = escaped.filter(|escaped| escaped != name) {
            map.insert(CelMapKey::String(CelString::from(escaped)), value.clone());
        }
        map.insert(CelMapKey::String(CelString::from(name.clone())), value);
    }
    Box::new(Map::object(CelMap::from(map), hidden))
}

/// As [`convert`], without what the schema does not declare.
fn metadata(schema: &Node, fields: &serde_json::Map<String, Value>) -> Box<dyn Val> {
    let declared = fields
        .iter()
        .filter(|(name, _)| schema.properties.contains_key(*name));
    let declared = declared.map(|(name, value)| (name.clone(), value.clone()));
    object(schema, &declared.collect(), &[], true)
}

fn list(schema: &Node, items: &[Value]) -> Box<dyn Val> {
    let Some(inner) = &schema.items else {
        return Box::new(CelNull);
    };
    let items: Vec<_> = items.iter().map(|item| convert(inner, item)).collect();
    let identity = match schema.list_type.as_deref() {
        Some("set") => Identity::Value,
        Some("map") => {
            let keys = schema.list_map_keys.iter();
            Identity::Keys(
                keys.map(|key| escape(key).unwrap_or_else(|| key.clone()))
                    .collect(),
            )
        }
        _ => Identity::Place,
    };
    Box::new(List::new(CelList::from(items), identity))
}

pub(super) fn scalar(value: &Value) -> Box<dyn Val> {
    match value {
        Value::Bool(value) => Box::new(CelBool::from(*value)),
        Value::String(text) => Box::new(CelString::from(text.clone())),
        value => match Number::of(value) {
            Some(Number::Int(int)) => Box::new(CelInt::from(int)),
            Some(Number::Float(float)) => Box::new(CelDouble::from(float)),
            None => preserved(value),
        },
    }
}

fn string(format: Option<&str>, text: &str) -> Box<dyn Val> {
    let value = match format.map(|format| format.replace('-', "")).as_deref() {
        Some("duration") => formats::duration(text)
            .map(|nanos| Box::new(CelDuration::from(TimeDelta::nanoseconds(nanos))) as _),
        Some("date") => date(text),
        Some("datetime") => date_time(text),
        Some("byte") => bytes(text).map(|bytes| Box::new(CelBytes::from(bytes)) as _),
        _ => None,
    };
    value.unwrap_or_else(|| Box::new(CelString::from(text.to_owned())))
}

fn date(text: &str) -> Option<Box<dyn Val>> {
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    let time = date.and_time(NaiveTime::MIN).and_utc().fixed_offset();
    Some(Box::new(CelTimestamp::from(time)))
}

fn date_time(text: &str) -> Option<Box<dyn Val>> {
    let time = match DateTime::parse_from_rfc3339(text) {
        Ok(time) => time.to_utc(),
        Err(_) => NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S")
            .ok()?
            .and_utc(),
    };
    Some(Box::new(CelTimestamp::from(time.fixed_offset())))
}

/// Decodes base64 of the URL alphabet, with padding.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).unwrap_or_default());
        }
    }
    Some(bytes)
}

/// A value that does not fit its schema: reading it is an error.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Invalid(pub(super) String);

opaque!(Invalid, "error");

impl Invalid {
    /// Returns the error of the value that a map has at a key.
    pub(super) fn at_key(map: &dyn Val, key: &dyn Val) -> Option<String> {
        map.downcast_ref::<CelMap>()?;
        let value = map.as_indexer()?.get(key).ok()?;
        Some(value.downcast_ref::<Self>()?.0.clone())
    }

    /// Returns the error of the first item of a list that has one.
    pub(super) fn in_list(list: &dyn Val) -> Option<String> {
        let list = list.downcast_ref::<CelList>()?;
        let mut items = list.inner().iter();
        items.find_map(|item| Some(item.downcast_ref::<Self>()?.0.clone()))
    }
}

fn invalid(why: &str) -> Box<dyn Val> {
    Box::new(Invalid(why.to_owned()))
}

/// The error of a value that has another type than its schema.
fn unexpected(expected: &str, value: &Value) -> Box<dyn Val> {
    let found = match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    };
    invalid(&format!("invalid data, expected {expected}, got {found}"))
}

/// A value that the schema preserves without describing it: it can only be compared.
#[derive(Clone, Debug)]
struct Preserved(Value);

fn preserved(value: &Value) -> Box<dyn Val> {
    Box::new(Preserved(value.clone()))
}

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
