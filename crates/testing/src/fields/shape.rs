//! Decides how lists and maps merge, by their schema.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::{
    kinds::{
        builtin,
        kind::{Types, Version},
    },
    values::object::{at, flag, list, text},
};

/// The schema of `metadata`.
static METADATA: LazyLock<Value> = LazyLock::new(|| {
    let text = json!({"type": "string"});
    let number = json!({"type": "integer"});
    let map = json!({"type": "object", "additionalProperties": text});
    json!({"type": "object", "properties": {
        "name": text, "generateName": text, "namespace": text, "selfLink": text, "uid": text, "resourceVersion": text,
        "creationTimestamp": {}, "deletionTimestamp": {}, "generation": number, "deletionGracePeriodSeconds": number,
        "labels": map, "annotations": map,
        "finalizers": {"type": "array", "items": text, "x-kubernetes-list-type": "set"},
        "ownerReferences": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["uid"],
            "items": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {
                "apiVersion": text, "kind": text, "name": text, "uid": {"type": "string", "default": ""},
                "controller": {"type": "boolean"}, "blockOwnerDeletion": {"type": "boolean"},
            }},
        },
        "managedFields": {"type": "array", "items": {"type": "object", "properties": {
            "manager": text, "operation": text, "subresource": text, "apiVersion": text, "time": {}, "fieldsType": text,
            "fieldsV1": {"type": "object"},
        }}},
    }})
});

/// The schema of a scale.
pub(super) static SCALE: LazyLock<Value> = LazyLock::new(|| {
    let number = json!({"type": "integer"});
    let text = json!({"type": "string"});
    json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"replicas": number}},
        "status": {"type": "object", "properties": {"replicas": number, "selector": text}},
    }})
});

/// What is known about a value in an object.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape<'a> {
    /// A custom resource.
    Root(&'a Value),
    Schema(&'a Value),
    /// Nothing: maps merge by field, lists are atomic.
    Deduced,
    /// Nothing, inside a list of unknown items.
    Atomic,
}

/// How a value merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As a whole: a scalar, or an atomic list or map.
    Leaf,
    List,
    Map,
}

/// Why an item has no place in its list.
pub(crate) type Unidentified = String;

impl<'a> Shape<'a> {
    pub(crate) fn root(version: &'a Version) -> Self {
        match (&version.types, builtin::schema_of(version)) {
            (Types::Builtin(_), Some(schema)) => Self::Schema(schema),
            (_, Some(schema)) => Self::Root(schema),
            (_, None) => Self::Deduced,
        }
    }

    /// Returns what is known about a field; `None` if there can be no such field.
    pub(crate) fn field<'b>(&self, name: &'b str) -> Option<Shape<'b>>
    where
        'a: 'b,
    {
        match *self {
            Self::Root(_) if name == "metadata" => Some(Shape::Schema(&METADATA)),
            Self::Root(_) if matches!(name, "apiVersion" | "kind") => Some(Shape::Deduced),
            Self::Root(schema) | Self::Schema(schema) => {
                if let Some(inner) = at(schema, "/properties").get(name) {
                    return Some(Shape::Schema(inner));
                }
                match schema.get("additionalProperties") {
                    _ if is_embedded(schema) && name == "metadata" => {
                        Some(Shape::Schema(&METADATA))
                    }
                    _ if is_embedded(schema) && OF_EMBEDDED.contains(&name) => Some(Shape::Deduced),
                    _ if flag(schema, "/x-kubernetes-preserve-unknown-fields") => {
                        Some(Shape::Deduced)
                    }
                    Some(inner @ Value::Object(_)) => Some(Shape::Schema(inner)),
                    Some(Value::Bool(true)) => Some(Shape::Deduced),
                    // An object without properties may have any field.
                    None if schema.get("properties").is_none() => Some(Shape::Deduced),
                    _ => None,
                }
            }
            Self::Deduced => Some(Shape::Deduced),
            Self::Atomic => Some(Shape::Atomic),
        }
    }

    /// Returns whether the schema declares a field of this name.
    pub(crate) fn declares(&self, name: &str) -> bool {
        match *self {
            Self::Root(_) if matches!(name, "apiVersion" | "kind" | "metadata") => true,
            Self::Root(schema) | Self::Schema(schema) => {
                let is_own = is_embedded(schema) && OF_EMBEDDED.contains(&name);
                is_own || at(schema, "/properties").get(name).is_some()
            }
            Self::Deduced | Self::Atomic => false,
        }
    }

    /// Returns what is known about the items.
    pub(crate) fn items(&self) -> Self {
        match *self {
            Self::Root(schema) | Self::Schema(schema) => {
                schema.get("items").map_or(Self::Atomic, Self::Schema)
            }
            Self::Deduced | Self::Atomic => Self::Atomic,
        }
    }

    /// Returns how a value merges.
    pub(crate) fn form(&self, value: &Value) -> Form {
        match value {
            Value::Object(_) if !self.is_atomic_map() => Form::Map,
            Value::Array(_) if self.is_associative() => Form::List,
            _ => Form::Leaf,
        }
    }

    fn is_atomic_map(&self) -> bool {
        match *self {
            Self::Root(schema) | Self::Schema(schema) => {
                text(schema, "/x-kubernetes-map-type") == "atomic"
            }
            Self::Deduced => false,
            Self::Atomic => true,
        }
    }

    /// Returns whether items are identified by their keys or values.
    fn is_associative(&self) -> bool {
        match *self {
            Self::Root(schema) | Self::Schema(schema) => {
                matches!(text(schema, "/x-kubernetes-list-type"), "set" | "map")
            }
            Self::Deduced | Self::Atomic => false,
        }
    }

    /// Returns the type that the schema demands of a value, if it is one type.
    pub(crate) fn expected(&self) -> Option<&'a str> {
        match *self {
            Self::Root(schema) | Self::Schema(schema) => schema
                .get("type")
                .and_then(Value::as_str)
                .filter(|_| !flag(schema, "/x-kubernetes-int-or-string"))
                // Times decode themselves.
                .filter(|_| !text(schema, "/x-type").ends_with("Time")),
            Self::Deduced | Self::Atomic => None,
        }
    }

    /// Returns what identifies an item in its list, in the form of `FieldsV1`.
    pub(crate) fn identity(&self, item: &Value) -> Result<String, Unidentified> {
        let set = || match item {
            Value::Null => Err(
                "associative list without keys has an element that's an explicit null".to_owned(),
            ),
            Value::Object(_) => {
                Err("associative list without keys has an element that's a map type".to_owned())
            }
            Value::Array(_) => {
                Err("not supported: associative list with lists as elements".to_owned())
            }
            _ => Ok(format!("v:{item}")),
        };
        match *self {
            Self::Root(schema) | Self::Schema(schema) => {
                if text(schema, "/x-kubernetes-list-type") == "set" {
                    return set();
                }
                let keys = list(schema, "/x-kubernetes-list-map-keys");
                let keys = keys.iter().filter_map(Value::as_str);
                let default = |key: &str| at(schema, "/items/properties").get(key)?.get("default");
                identity(keys, item, default)
            }
            Self::Deduced | Self::Atomic => Err(String::new()),
        }
    }
}

/// The fields that each embedded resource has.
const OF_EMBEDDED: &[&str] = &["apiVersion", "kind", "metadata"];

fn is_embedded(schema: &Value) -> bool {
    flag(schema, "/x-kubernetes-embedded-resource")
}

fn identity<'k, 'v>(
    keys: impl Iterator<Item = &'k str>,
    item: &'v Value,
    default: impl Fn(&str) -> Option<&'v Value>,
) -> Result<String, Unidentified> {
    match item {
        Value::Null => {
            return Err("associative list with keys may not have a null element".to_owned());
        }
        Value::Object(_) => {}
        _ => {
            return Err("associative list with keys may not have non-map elements".to_owned());
        }
    }
    let mut named = Map::new();
    let mut missing = Vec::new();
    for key in keys {
        match item.get(key).or_else(|| default(key)) {
            Some(value) => drop(named.insert(key.to_owned(), value.clone())),
            None => missing.push(format!("{key:?}")),
        }
    }
    if named.is_empty() {
        return Err(format!(
            "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values for any key fields)",
            missing.join(" ")
        ));
    }
    Ok(format!("k:{}", Value::Object(named)))
}
