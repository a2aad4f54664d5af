//! Converts structural schemas to JSON Schema. Keywords that only the API server knows become what they mean, or are left out.
use serde_json::{Map, Value, json};

use crate::{
    api::object_meta,
    input::crd::{Additional, Schema, SchemaType},
};

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
    /// Whether objects that keep undeclared fields reject them.
    pub(super) strict: bool,
    /// Whether all objects keep undeclared fields.
    pub(super) preserves: bool,
}

impl Convert {
    /// Converts the schema of a whole object. `apiVersion`, `kind` and `metadata` are left as they are.
    pub(super) fn root(&self, schema: Option<&Schema>) -> Map<String, Value> {
        let mut schema = schema.cloned().unwrap_or_else(|| {
            let any = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
            *Schema::of(any)
        });
        for name in ["apiVersion", "kind", "metadata"] {
            schema.properties.as_mut().map(|it| it.remove(name));
        }
        self.node(&schema, false, false, 0)
    }

    /// Converts a schema. Where null is dropped before anything is validated, it is accepted.
    /// `kept` says that a list around it keeps undeclared fields.
    pub(super) fn node(
        &self,
        schema: &Schema,
        is_null_dropped: bool,
        kept: bool,
        depth: usize,
    ) -> Map<String, Value> {
        let mut out = Map::new();
        if depth > MOST_DEPTH {
            return out;
        }
        let is_null_accepted = is_null_dropped || schema.nullable;
        for (keyword, text) in [
            ("title", &schema.title),
            ("description", &schema.description),
        ] {
            out.extend(
                text.iter()
                    .map(|it| (keyword.to_owned(), it.clone().into())),
            );
        }
        if let Some(default) = &schema.default {
            out.insert("default".into(), default.clone());
        }
        if let Some(example) = schema.annotations.get("example") {
            out.insert("examples".into(), json!([example]));
        }
        bounds(&mut out, schema);
        types(&mut out, schema, is_null_accepted);
        values(&mut out, schema, is_null_dropped);
        let preserves = kept || self.preserves || schema.kubernetes.preserve_unknown_fields;
        self.object(&mut out, schema, preserves, depth);
        self.list(&mut out, schema, preserves, depth);
        if schema.kubernetes.embedded_resource {
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

    fn object(&self, out: &mut Map<String, Value>, schema: &Schema, preserves: bool, depth: usize) {
        let required = required(schema);
        if schema.properties.is_some() {
            let converted = schema.fields().map(|(name, property)| {
                // Without its null, a required field is missing.
                let is_null_dropped = !property.nullable && !required.contains(&name);
                let inner = self.node(property, is_null_dropped, false, depth + 1);
                (name.clone(), inner.into())
            });
            out.insert("properties".into(), converted.collect::<Map<_, _>>().into());
        }
        if !required.is_empty() {
            out.insert("required".into(), json!(required));
        }
        let is_object = schema.is(SchemaType::Object) || schema.properties.is_some();
        match &schema.additional {
            Some(Additional::Schema(values)) => {
                let values = self.node(values, !values.nullable, false, depth + 1);
                out.insert("additionalProperties".into(), values.into());
            }
            Some(Additional::Bool(true)) => {}
            _ if !is_object => {}
            _ if preserves && !(self.strict && schema.properties.is_some()) => {}
            // The root has fields of its own, which the caller adds.
            _ => _ = out.insert("additionalProperties".into(), false.into()),
        }
    }

    fn list(&self, out: &mut Map<String, Value>, schema: &Schema, preserves: bool, depth: usize) {
        if let Some(items) = schema.items() {
            let items = self.node(items, false, preserves, depth + 1);
            out.insert("items".into(), items.into());
        }
        if schema.kubernetes.list_type.as_deref() == Some("set") {
            out.insert("uniqueItems".into(), true.into());
        }
    }
}

/// Returns the fields that an object needs. What has a default is filled in.
fn required(schema: &Schema) -> Vec<&String> {
    let has_default = |name| schema.field(name).is_some_and(|it| it.default.is_some());
    let names = schema.required.iter();
    names.filter(|name| !has_default(name)).collect()
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

fn types(out: &mut Map<String, Value>, schema: &Schema, is_null_accepted: bool) {
    let mut types: Vec<&str> = if schema.kubernetes.int_or_string {
        vec!["integer", "string"]
    } else {
        schema.type_.iter().map(SchemaType::name).collect()
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

fn values(out: &mut Map<String, Value>, schema: &Schema, is_null_dropped: bool) {
    let Some(mut values) = schema.enum_.clone() else {
        return;
    };
    if is_null_dropped && !values.contains(&Value::Null) {
        values.push(Value::Null);
    }
    out.insert("enum".into(), values.into());
}

/// Exclusive bounds are flags in OpenAPI and numbers in JSON Schema. `int32` has bounds of its own.
fn bounds(out: &mut Map<String, Value>, schema: &Schema) {
    for (keyword, value) in &schema.constraints.all {
        let keyword = match *keyword {
            "minimum" if schema.flag("exclusiveMinimum") => "exclusiveMinimum",
            "maximum" if schema.flag("exclusiveMaximum") => "exclusiveMaximum",
            // The API server rejects `uniqueItems` outside of branches.
            "exclusiveMinimum" | "exclusiveMaximum" | "uniqueItems" => continue,
            "pattern" => {
                pattern(out, value);
                continue;
            }
            keyword => keyword,
        };
        out.insert(keyword.into(), value.clone());
    }
    match (&schema.type_, schema.format.as_deref()) {
        (Some(SchemaType::Integer), Some("int32")) => {
            for (bound, exclusive, value) in [
                ("minimum", "exclusiveMinimum", i32::MIN),
                ("maximum", "exclusiveMaximum", i32::MAX),
            ] {
                if !out.contains_key(bound) && !out.contains_key(exclusive) {
                    out.insert(bound.into(), value.into());
                }
            }
        }
        (Some(SchemaType::String), Some(format)) if FORMATS.contains(&format) => {
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
fn logic(schema: &Schema) -> Map<String, Value> {
    let mut out = Map::new();
    let is_either = schema.kubernetes.int_or_string;
    let pair = json!([{"type": "integer"}, {"type": "string"}]);
    for (keyword, branches) in schema.logic.lists() {
        if is_either && keyword == "anyOf" && pair.as_array().is_some_and(|it| it == branches) {
            continue;
        }
        let is_pair = |branch: &&Value| is_either && branch.get("anyOf") == Some(&pair);
        let branches = branches.iter().filter(|branch| !is_pair(branch));
        let branches: Vec<Value> = branches.map(branch).collect();
        if !branches.is_empty() {
            out.insert(keyword.into(), branches.into());
        }
    }
    if let Some(not) = &schema.logic.not {
        out.insert("not".into(), branch(not));
    }
    out
}

/// Converts a branch of a combinator.
fn branch(schema: &Value) -> Value {
    part(&Schema::of(schema.clone()))
}

/// Converts what a branch says of a value that the schema around it declares.
fn part(schema: &Schema) -> Value {
    let mut out = logic(schema);
    bounds(&mut out, schema);
    if let Some(unique) = schema.bound("uniqueItems") {
        out.insert("uniqueItems".into(), unique.clone());
    }
    if let Some(type_) = &schema.type_ {
        out.insert("type".into(), type_.name().into());
    }
    values(&mut out, schema, false);
    if !schema.required.is_empty() {
        out.insert("required".into(), json!(schema.required));
    }
    if schema.properties.is_some() {
        let parts = schema.fields().map(|(name, it)| (name.clone(), part(it)));
        out.insert("properties".into(), parts.collect());
    }
    for (keyword, inner) in [
        ("items", schema.items()),
        ("additionalProperties", schema.values()),
    ] {
        out.extend(inner.map(|it| (keyword.to_owned(), part(it))));
    }
    out.into()
}

/// Returns the schema of the metadata of an embedded resource.
pub(super) fn embedded_meta() -> Map<String, Value> {
    let convert = Convert {
        strict: false,
        preserves: false,
    };
    convert.node(&object_meta::object_meta(), false, false, 0)
}
