//! Decodes `metadata` as Go's `ObjectMeta`: finds the values of a wrong type.

use kube_codegen_formats::{go::json, go_time};
use serde_json::{Map, Value};

use crate::path;

/// A type of Go.
#[derive(Clone, Copy)]
enum Type {
    /// A string, with the name of its type.
    Text(&'static str),
    Bool,
    Int64,
    Time,
    /// Any JSON.
    Raw,
    /// `map[string]string`
    Texts,
    /// A list, with the name of its type.
    List(&'static str, &'static Type),
    Struct(&'static Struct),
}

/// A struct of Go: its name and its fields in JSON.
struct Struct {
    name: &'static str,
    fields: &'static [(&'static str, Type)],
}

const TEXT: Type = Type::Text("string");

static OBJECT_META: Struct = Struct {
    name: "ObjectMeta",
    fields: &[
        ("annotations", Type::Texts),
        ("creationTimestamp", Type::Time),
        ("deletionGracePeriodSeconds", Type::Int64),
        ("deletionTimestamp", Type::Time),
        ("finalizers", Type::List("[]string", &TEXT)),
        ("generateName", TEXT),
        ("generation", Type::Int64),
        ("labels", Type::Texts),
        (
            "managedFields",
            Type::List("[]v1.ManagedFieldsEntry", &Type::Struct(&MANAGED_FIELDS)),
        ),
        ("name", TEXT),
        ("namespace", TEXT),
        (
            "ownerReferences",
            Type::List("[]v1.OwnerReference", &Type::Struct(&OWNER_REFERENCE)),
        ),
        ("resourceVersion", TEXT),
        ("selfLink", TEXT),
        ("uid", Type::Text("types.UID")),
    ],
};

static OWNER_REFERENCE: Struct = Struct {
    name: "OwnerReference",
    fields: &[
        ("apiVersion", TEXT),
        ("blockOwnerDeletion", Type::Bool),
        ("controller", Type::Bool),
        ("kind", TEXT),
        ("name", TEXT),
        ("uid", Type::Text("types.UID")),
    ],
};

static MANAGED_FIELDS: Struct = Struct {
    name: "ManagedFieldsEntry",
    fields: &[
        ("apiVersion", TEXT),
        ("fieldsType", TEXT),
        ("fieldsV1", Type::Raw),
        ("manager", TEXT),
        ("operation", Type::Text("v1.ManagedFieldsOperationType")),
        ("subresource", TEXT),
        ("time", Type::Time),
    ],
};

/// Removes the fields that `ObjectMeta` does not have, and adds their paths to `dropped`.
pub(crate) fn prune(metadata: &mut Map<String, Value>, path: &str, dropped: &mut Vec<String>) {
    known(&OBJECT_META, metadata, path, dropped);
}

fn known(schema: &Struct, fields: &mut Map<String, Value>, path: &str, dropped: &mut Vec<String>) {
    fields.retain(|name, value| {
        let path = path::field(path, name);
        let Some((_, type_)) = schema.fields.iter().find(|(field, _)| field == name) else {
            dropped.push(path);
            return false;
        };
        if let (Type::List(_, Type::Struct(schema)), Value::Array(items)) = (type_, value) {
            for (index, item) in items.iter_mut().enumerate() {
                if let Value::Object(fields) = item {
                    known(schema, fields, &path::index(&path, index), dropped);
                }
            }
        }
        true
    });
}

/// A value that cannot be decoded.
#[derive(Debug, PartialEq)]
pub(crate) struct Undecodable {
    /// Its path below the metadata.
    pub(crate) path: String,
    /// Go's words.
    pub(crate) why: String,
}

/// Returns the first value that Go cannot decode, in the order of the fields.
pub(crate) fn undecodable(metadata: &Value) -> Option<Undecodable> {
    let place = MetaPlace {
        owner: "",
        names: "",
        path: "",
    };
    let mut first = None;
    let aborted = decode(Type::Struct(&OBJECT_META), metadata, &place, &mut first);
    aborted.err().or(first)
}

/// Brings metadata that can be decoded into the form in which Go writes it, without what it does not know. Blank fields are left.
pub(crate) fn normalize(metadata: &mut Value) {
    normal(Type::Struct(&OBJECT_META), metadata);
}

/// Null is the zero value: in a struct as if the field were absent, in a list or map as an item.
fn normal(type_: Type, value: &mut Value) {
    if value.is_null() {
        *value = match type_ {
            Type::Text(_) => Value::String(String::new()),
            Type::Struct(_) => Value::Object(Map::new()),
            _ => return,
        };
    }
    match (type_, value) {
        (Type::Time, Value::String(text)) => {
            if let Some(utc) = go_time::utc(text) {
                *text = utc;
            }
        }
        (Type::Texts, Value::Object(fields)) => {
            fields.values_mut().for_each(|value| normal(TEXT, value));
        }
        (Type::List(_, item), Value::Array(items)) => {
            for value in items.iter_mut() {
                normal(*item, value);
            }
        }
        (Type::Struct(schema), Value::Object(fields)) => {
            let type_of = |name: &str| schema.fields.iter().find(|(field, _)| *field == name);
            fields.retain(|name, value| match type_of(name) {
                Some((_, type_)) if !value.is_null() => {
                    normal(*type_, value);
                    true
                }
                _ => false,
            });
            // The others are omitted where they are blank.
            if schema.name == OWNER_REFERENCE.name {
                for name in ["apiVersion", "kind", "name", "uid"] {
                    let field = fields.entry(name).or_insert(Value::Null);
                    normal(TEXT, field);
                }
            }
        }
        _ => {}
    }
}

/// Where a value is: its struct, the fields up to it, and its path with keys and indexes.
struct MetaPlace<'a> {
    owner: &'a str,
    names: &'a str,
    path: &'a str,
}

/// Decodes a value. Go keeps the first wrong type and goes on, but ends at a wrong time.
fn decode(
    type_: Type,
    value: &Value,
    place: &MetaPlace<'_>,
    first: &mut Option<Undecodable>,
) -> Result<(), Undecodable> {
    let name = match (type_, value) {
        (_, Value::Null)
        | (Type::Raw, _)
        | (Type::Text(_), Value::String(_))
        | (Type::Bool, Value::Bool(_)) => return Ok(()),
        (Type::Time, value) => return time(value, place),
        (Type::Int64, value) if json(value).parse::<i64>().is_ok() => return Ok(()),
        (Type::Texts, Value::Object(fields)) => {
            for (name, value) in sorted(fields) {
                let path = path::field(place.path, name);
                let place = MetaPlace {
                    path: &path,
                    ..*place
                };
                decode(TEXT, value, &place, first)?;
            }
            return Ok(());
        }
        (Type::List(_, item), Value::Array(items)) => {
            for (index, value) in items.iter().enumerate() {
                let path = path::index(place.path, index);
                let place = MetaPlace {
                    path: &path,
                    ..*place
                };
                decode(*item, value, &place, first)?;
            }
            return Ok(());
        }
        (Type::Struct(schema), Value::Object(fields)) => {
            for (name, value) in sorted(fields) {
                let known = schema.fields.iter().find(|(field, _)| field == name);
                if let Some((_, type_)) = known {
                    let place = MetaPlace {
                        owner: schema.name,
                        names: &path::field(place.names, name),
                        path: &path::field(place.path, name),
                    };
                    decode(*type_, value, &place, first)?;
                }
            }
            return Ok(());
        }
        (Type::Text(name) | Type::List(name, _), _) => name.to_owned(),
        (Type::Bool, _) => "bool".to_owned(),
        (Type::Int64, _) => "int64".to_owned(),
        (Type::Texts, _) => "map[string]string".to_owned(),
        (Type::Struct(schema), _) => format!("v1.{}", schema.name),
    };
    let found = match (type_, value) {
        (Type::Int64, Value::Number(_)) => format!("number {}", json(value)),
        _ => json_type(value).to_owned(),
    };
    first.get_or_insert_with(|| Undecodable {
        path: place.path.to_owned(),
        why: wrong(&found, place, &name),
    });
    Ok(())
}

/// The keys of an object are sorted when Go writes the metadata before it decodes them.
fn sorted(fields: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_by_key(|(name, _)| *name);
    fields
}

fn time(value: &Value, place: &MetaPlace<'_>) -> Result<(), Undecodable> {
    let why = match value {
        Value::String(text) => match go_time::error(text) {
            None => return Ok(()),
            Some(why) => why,
        },
        value => wrong(json_type(value), place, "string"),
    };
    Err(Undecodable {
        path: place.path.to_owned(),
        why,
    })
}

/// Returns Go's words for a value of a wrong type.
fn wrong(found: &str, place: &MetaPlace<'_>, type_: &str) -> String {
    let into = if place.names.is_empty() {
        "value".to_owned()
    } else {
        format!("struct field {}.{}", place.owner, place.names)
    };
    format!("json: cannot unmarshal {found} into Go {into} of type {type_}")
}

fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn null_is_the_zero_value() {
        let mut metadata = json!({"name": null, "labels": {"a": null}, "finalizers": [null], "ownerReferences": [{"kind": "A", "controller": null, "other": 1}, null]});
        normalize(&mut metadata);
        let empty = json!({"apiVersion": "", "kind": "", "name": "", "uid": ""});
        let owner = json!({"apiVersion": "", "kind": "A", "name": "", "uid": ""});
        assert_eq!(
            metadata,
            json!({"labels": {"a": ""}, "finalizers": [""], "ownerReferences": [owner, empty]})
        );
    }

    #[test]
    fn the_first_value_of_a_wrong_type_is_found_as_in_go() {
        for (metadata, path, why) in [
            (
                json!({"name": 70000, "labels": {"b": "x", "a": ["x"]}}),
                "labels.a",
                "json: cannot unmarshal array into Go struct field ObjectMeta.labels of type string",
            ),
            (
                json!({"name": 70000}),
                "name",
                "json: cannot unmarshal number into Go struct field ObjectMeta.name of type string",
            ),
            (
                json!([]),
                "",
                "json: cannot unmarshal array into Go value of type v1.ObjectMeta",
            ),
            (
                json!({"ownerReferences": [{"controller": "yes"}]}),
                "ownerReferences[0].controller",
                "json: cannot unmarshal string into Go struct field OwnerReference.ownerReferences.controller of type bool",
            ),
            (
                json!({"generation": 1.5}),
                "generation",
                "json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64",
            ),
            (
                json!({"annotations": 3, "deletionTimestamp": 7}),
                "deletionTimestamp",
                "json: cannot unmarshal number into Go struct field ObjectMeta.deletionTimestamp of type string",
            ),
        ] {
            let expected = Undecodable {
                path: path.to_owned(),
                why: why.to_owned(),
            };
            assert_eq!(undecodable(&metadata), Some(expected), "{metadata}");
        }
        for metadata in [
            json!(null),
            json!({"name": null, "labels": {"a": null}, "generation": 1.0, "finalizers": [null], "unknown": 3}),
            json!({"creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": [{"fieldsV1": {"f:a": {}}}]}),
        ] {
            assert_eq!(undecodable(&metadata), None, "{metadata}");
        }
    }
}
