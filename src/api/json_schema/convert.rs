//! Converts structural schemas to JSON Schema. Keywords that only the API server knows become what they mean, or are left out.
use serde_json::{Map, Value, json};

use crate::api::object_meta;

/// The deepest schema that is converted.
const MOST_DEPTH: usize = 512;

/// Formats that mean the same in JSON Schema and for the API server.
const FORMATS: [&str; 8] = [
    "date",
    "date-time",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uuid",
];

/// How schemas are converted.
pub(super) struct Convert {
    /// Whether objects that keep undeclared fields refuse them.
    pub(super) strict: bool,
    /// Whether unknown fields are kept everywhere: `spec.preserveUnknownFields`.
    pub(super) keeps: bool,
}

impl Convert {
    /// Converts the schema of a whole object. `apiVersion`, `kind` and `metadata` are left as they are.
    pub(super) fn root(&self, schema: &Value) -> Map<String, Value> {
        let mut schema = schema.clone();
        if let Some(properties) = schema["properties"].as_object_mut() {
            for name in ["apiVersion", "kind", "metadata"] {
                properties.remove(name);
            }
        }
        if !schema.is_object() {
            schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        }
        self.node(&schema, false, false, 0)
    }

    /// Converts a schema. Where null is dropped before anything is validated, it is accepted.
    /// `kept` says that a list around it keeps undeclared fields.
    pub(super) fn node(
        &self,
        schema: &Value,
        is_null_dropped: bool,
        kept: bool,
        depth: usize,
    ) -> Map<String, Value> {
        let mut out = Map::new();
        if depth > MOST_DEPTH {
            return out;
        }
        let is_null_accepted = is_null_dropped || schema["nullable"] == true;
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            match keyword.as_str() {
                "title" | "description" | "default" | "minLength" | "maxLength" | "minItems"
                | "maxItems" | "minProperties" | "maxProperties" | "multipleOf" => {
                    out.insert(keyword.clone(), value.clone());
                }
                "example" => _ = out.insert("examples".to_owned(), json!([value])),
                "pattern" => pattern(&mut out, value),
                _ => {}
            }
        }
        bounds(&mut out, schema);
        types(&mut out, schema, is_null_accepted);
        values(&mut out, schema, is_null_dropped);
        let preserves =
            kept || self.keeps || schema["x-kubernetes-preserve-unknown-fields"] == true;
        self.object(&mut out, schema, preserves, depth);
        self.list(&mut out, schema, preserves, depth);
        if schema["x-kubernetes-embedded-resource"] == true {
            embedded(&mut out);
        }
        let logic = logic(schema);
        if is_null_accepted && !logic.is_empty() {
            // Combinators do not see null.
            out.insert("anyOf".into(), json!([{"type": "null"}, logic]));
        } else {
            out.extend(logic);
        }
        out
    }

    fn object(&self, out: &mut Map<String, Value>, schema: &Value, preserves: bool, depth: usize) {
        let required = required(schema);
        let properties = schema["properties"].as_object();
        if let Some(properties) = properties {
            let converted = properties.iter().map(|(name, property)| {
                // Without its null, a required field is missing.
                let is_required = required.iter().any(|it| it == name);
                let is_null_dropped = property["nullable"] != true && !is_required;
                let inner = self.node(property, is_null_dropped, false, depth + 1);
                (name.clone(), inner.into())
            });
            out.insert("properties".into(), converted.collect::<Map<_, _>>().into());
        }
        if !required.is_empty() {
            out.insert("required".into(), required.into());
        }
        let is_object = schema["type"] == "object" || properties.is_some();
        match &schema["additionalProperties"] {
            values @ Value::Object(_) => {
                let is_null_dropped = values["nullable"] != true;
                let values = self.node(values, is_null_dropped, false, depth + 1);
                out.insert("additionalProperties".into(), values.into());
            }
            Value::Bool(true) => {}
            _ if !is_object => {}
            _ if preserves && !(self.strict && properties.is_some()) => {}
            // The root has fields of its own, which the caller adds.
            _ => _ = out.insert("additionalProperties".into(), false.into()),
        }
    }

    fn list(&self, out: &mut Map<String, Value>, schema: &Value, preserves: bool, depth: usize) {
        if schema["items"].is_object() {
            let items = self.node(&schema["items"], false, preserves, depth + 1);
            out.insert("items".into(), items.into());
        }
        if schema["x-kubernetes-list-type"] == "set" {
            out.insert("uniqueItems".into(), true.into());
        }
    }
}

/// Returns the fields that an object needs. What has a default is filled in.
fn required(schema: &Value) -> Vec<Value> {
    let names = schema["required"].as_array().into_iter().flatten();
    let has_default = |name: &&Value| {
        let property = name.as_str().map(|name| &schema["properties"][name]);
        property.is_some_and(|property| property.get("default").is_some())
    };
    names.filter(|name| !has_default(name)).cloned().collect()
}

/// Adds the fields that each embedded resource has.
fn embedded(out: &mut Map<String, Value>) {
    let properties = out.entry("properties").or_insert_with(|| json!({}));
    properties["apiVersion"] = json!({"type": "string", "minLength": 1});
    properties["kind"] = json!({"type": "string", "minLength": 1});
    let mut metadata = embedded_meta();
    metadata.insert("type".into(), json!(["object", "null"]));
    properties["metadata"] = metadata.into();
    let required = out.entry("required").or_insert_with(|| json!([]));
    if let Some(required) = required.as_array_mut() {
        for name in ["apiVersion", "kind"] {
            if !required.iter().any(|it| it == name) {
                required.push(name.into());
            }
        }
    }
}

fn types(out: &mut Map<String, Value>, schema: &Value, is_null_accepted: bool) {
    let mut types: Vec<&str> = if schema["x-kubernetes-int-or-string"] == true {
        vec!["integer", "string"]
    } else {
        schema["type"].as_str().into_iter().collect()
    };
    if types.is_empty() {
        return;
    }
    if is_null_accepted {
        types.push("null");
    }
    let types = match types.as_slice() {
        [only] => json!(only),
        several => json!(several),
    };
    out.insert("type".into(), types);
}

fn values(out: &mut Map<String, Value>, schema: &Value, is_null_dropped: bool) {
    let Some(values) = schema["enum"].as_array() else {
        return;
    };
    let mut values = values.clone();
    if is_null_dropped && !values.contains(&Value::Null) {
        values.push(Value::Null);
    }
    out.insert("enum".into(), values.into());
}

/// Exclusive bounds are flags in OpenAPI and numbers in JSON Schema. `int32` has bounds of its own.
fn bounds(out: &mut Map<String, Value>, schema: &Value) {
    for (bound, exclusive) in [
        ("minimum", "exclusiveMinimum"),
        ("maximum", "exclusiveMaximum"),
    ] {
        if let Some(value) = schema.get(bound) {
            let keyword = if schema[exclusive] == true {
                exclusive
            } else {
                bound
            };
            out.insert(keyword.into(), value.clone());
        }
    }
    let format = schema["format"].as_str().unwrap_or_default();
    match (schema["type"].as_str(), format) {
        (Some("integer"), "int32") => {
            for (bound, exclusive, value) in [
                ("minimum", "exclusiveMinimum", i32::MIN),
                ("maximum", "exclusiveMaximum", i32::MAX),
            ] {
                if !out.contains_key(bound) && !out.contains_key(exclusive) {
                    out.insert(bound.into(), value.into());
                }
            }
        }
        (Some("string"), format) if FORMATS.contains(&format) => {
            out.insert("format".into(), format.into());
        }
        _ => {}
    }
}

/// Keeps a pattern that means the same to regular expressions of Go and of JavaScript.
fn pattern(out: &mut Map<String, Value>, value: &Value) {
    const GO_ALONE: [&str; 9] = [
        "(?i", "(?s", "(?m", "(?U", "(?P", "[[:", "\\z", "\\A", "\\Q",
    ];
    let Some(pattern) = value.as_str() else {
        return;
    };
    if GO_ALONE.iter().any(|syntax| pattern.contains(syntax)) {
        out.insert(
            "$comment".into(),
            format!("pattern of Go: {pattern}").into(),
        );
    } else {
        out.insert("pattern".into(), pattern.into());
    }
}

/// Converts combinators. The alternatives of an integer or a string are in the type already.
fn logic(schema: &Value) -> Map<String, Value> {
    let mut out = Map::new();
    let is_either = schema["x-kubernetes-int-or-string"] == true;
    let pair = json!([{"type": "integer"}, {"type": "string"}]);
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let Some(branches) = schema[keyword].as_array() else {
            continue;
        };
        if is_either && keyword == "anyOf" && schema[keyword] == pair {
            continue;
        }
        let is_pair = |branch: &&Value| is_either && branch.get("anyOf") == Some(&pair);
        let branches = branches.iter().filter(|branch| !is_pair(branch));
        let branches: Vec<Value> = branches.map(branch).collect();
        if !branches.is_empty() {
            out.insert(keyword.into(), branches.into());
        }
    }
    if let Some(not) = schema.get("not") {
        out.insert("not".into(), branch(not));
    }
    out
}

/// Converts a branch of a combinator, which constrains values that the schema around it declares.
fn branch(schema: &Value) -> Value {
    let mut out = logic(schema);
    bounds(&mut out, schema);
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        match keyword.as_str() {
            "required" | "enum" | "type" | "minLength" | "maxLength" | "minItems" | "maxItems"
            | "minProperties" | "maxProperties" | "multipleOf" | "uniqueItems" => {
                out.insert(keyword.clone(), value.clone());
            }
            "pattern" => pattern(&mut out, value),
            "properties" => {
                let properties = value.as_object().into_iter().flatten();
                let properties = properties.map(|(name, inner)| (name.clone(), branch(inner)));
                out.insert(keyword.clone(), properties.collect::<Map<_, _>>().into());
            }
            "items" | "additionalProperties" if value.is_object() => {
                out.insert(keyword.clone(), branch(value));
            }
            _ => {}
        }
    }
    out.into()
}

/// Returns the schema of the metadata of an embedded resource.
pub(super) fn embedded_meta() -> Map<String, Value> {
    Convert {
        strict: false,
        keeps: false,
    }
    .node(&object_meta::object_meta(), false, false, 0)
}
