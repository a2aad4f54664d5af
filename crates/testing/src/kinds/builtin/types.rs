//! The recorded types of the built-in kinds, as schemas.
//!
//! A schema has the keywords of OpenAPI and, from Go's types, `x-type` (the name of the type), `x-go` (the Go type of the field)
//! and `x-zero` (whether the zero value of the field is written or omitted; absent for pointers). Two lists name the few properties that an
//! object may get without having them: `x-written`, those whose zero value is written, and `x-defaulted`, those with a default.

use std::{
    collections::BTreeMap,
    io::Read as _,
    sync::{LazyLock, Mutex},
};

use flate2::read::GzDecoder;
use serde_json::{Map, Value, json};

use super::fields::is_blank;
use crate::{storage::lock, values::object::text};

static TYPES: LazyLock<Map<String, Value>> = LazyLock::new(|| {
    let mut text = String::new();
    // The tests read the file.
    let _checked = GzDecoder::new(&include_bytes!("types.json.gz")[..]).read_to_string(&mut text);
    serde_json::from_str(&text).unwrap_or_default()
});

static RESOLVED: Mutex<BTreeMap<String, &'static Value>> = Mutex::new(BTreeMap::new());

/// Returns the schema of a recorded type, without references.
pub(crate) fn schema(name: &str) -> &'static Value {
    let mut resolved = lock(&RESOLVED);
    if let Some(schema) = resolved.get(name) {
        return schema;
    }
    // There is one for each kind, for the life of the process.
    let schema: &'static Value = Box::leak(Box::new(resolve(&json!({"$ref": name}))));
    resolved.insert(name.to_owned(), schema);
    schema
}

/// Adds a recorded type, and those that it refers to, in the form of OpenAPI.
pub(crate) fn describe(name: &str, schemas: &mut Map<String, Value>) {
    if schemas.contains_key(name) {
        return;
    }
    let Some(schema) = TYPES.get(name) else {
        return;
    };
    let mut found = Vec::new();
    let described = plain(schema, &mut found);
    schemas.insert(name.to_owned(), described);
    for name in found {
        describe(&name, schemas);
    }
}

/// Adds the recorded descriptions to types in the form of OpenAPI.
#[cfg(feature = "descriptions")]
pub(crate) fn explain(schemas: &mut Map<String, Value>) {
    let mut text = String::new();
    // The tests read the file.
    let file = include_bytes!("descriptions.json.gz");
    let _checked = GzDecoder::new(&file[..]).read_to_string(&mut text);
    let mut all: Map<String, Value> = serde_json::from_str(&text).unwrap_or_default();
    for (name, schema) in schemas {
        let Some(Value::Object(texts)) = all.get_mut(name).map(Value::take) else {
            continue;
        };
        for (field, text) in texts {
            if field.is_empty() {
                schema["description"] = text;
            } else if let Some(Value::Object(property)) = schema["properties"].get_mut(&field) {
                // A reference has no fields beside it.
                if let Some(target) = property.remove("$ref") {
                    property.insert("allOf".to_owned(), json!([{"$ref": target}]));
                }
                property.insert("description".to_owned(), text);
            }
        }
    }
}

fn plain(schema: &Value, found: &mut Vec<String>) -> Value {
    match schema {
        Value::Object(fields) => {
            let kept = fields
                .iter()
                .filter(|(name, _)| !matches!(name.as_str(), "x-go" | "x-zero" | "x-proto"));
            let kept = kept.map(|(name, value)| match (name.as_str(), value) {
                ("$ref", Value::String(target)) => {
                    found.push(target.clone());
                    (
                        name.clone(),
                        format!("#/components/schemas/{target}").into(),
                    )
                }
                _ => (name.clone(), plain(value, found)),
            });
            let mut out: Map<String, Value> = kept.collect();
            if out.len() > 1
                && let Some(target) = out.remove("$ref")
            {
                out.insert("allOf".to_owned(), json!([{"$ref": target}]));
            }
            out.into()
        }
        Value::Array(items) => items.iter().map(|it| plain(it, found)).collect(),
        _ => schema.clone(),
    }
}

fn resolve(schema: &Value) -> Value {
    let Value::Object(fields) = schema else {
        return schema.clone();
    };
    let mut out = Map::new();
    if let Some(Value::String(name)) = fields.get("$ref")
        && let Some(Value::Object(target)) = TYPES.get(name).map(resolve)
    {
        out = target;
        let name = name
            .trim_start_matches("io.k8s.api.")
            .trim_start_matches("io.k8s.apimachinery.pkg.");
        out.insert("x-type".to_owned(), name.into());
    }
    for (name, value) in fields {
        let value = match (name.as_str(), value) {
            ("$ref", _) => continue,
            ("properties", Value::Object(properties)) => properties
                .iter()
                .map(|(name, value)| (name.clone(), resolve(value)))
                .collect(),
            ("items" | "additionalProperties", value) => resolve(value),
            (_, value) => value.clone(),
        };
        out.insert(name.clone(), value);
    }
    if let Some(properties) = out.get("properties").and_then(Value::as_object) {
        let names = |has: fn(&Value) -> bool| -> Value {
            let those = properties.iter().filter(|(_, property)| has(property));
            those.map(|(name, _)| name.as_str()).collect()
        };
        let written = names(|property| text(property, "/x-zero") == "write");
        let defaulted = names(|property| {
            let default = property.get("default");
            default.is_some_and(|it| !is_blank(Some(it)) && *it != json!({}))
        });
        out.insert("x-written".to_owned(), written);
        out.insert("x-defaulted".to_owned(), defaulted);
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::object::at;

    #[test]
    fn recorded_types_have_the_facts_of_go() {
        let pod = schema("io.k8s.api.core.v1.Pod");
        let containers = at(pod, "/properties/spec/properties/containers");
        assert_eq!(text(containers, "/x-go"), "[]v1.Container");
        assert_eq!(text(containers, "/x-zero"), "write");
        assert_eq!(text(containers, "/items/x-type"), "core.v1.Container");
        assert_eq!(text(containers, "/items/properties/image/x-zero"), "omit");
        assert_eq!(
            at(containers, "/items/x-written"),
            &json!(["name", "resources"])
        );
    }
}
