//! Makes objects that a schema accepts.

mod random;
mod search;
mod text;

use serde_json::{Map, Value};

use crate::{
    cause::Cause,
    go::Number,
    node::{Additional, Node},
    schema::Schema,
};

/// How much a sample contains.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Extent {
    /// Required fields only.
    Minimal,
    /// All fields, one item per list and map.
    Full,
}

/// How deep a sample nests.
const DEPTH: usize = 24;

impl Schema {
    /// Makes an object that the schema accepts, and returns it with the violations that remain: none, unless a pattern or a rule asks for
    /// more than the search finds.
    ///
    /// `object` has `apiVersion`, `kind` and `metadata`.
    ///
    /// ```
    /// # use kube_codegen_schema::{Extent, Schema};
    /// # use serde_json::json;
    /// let schema = Schema::new(&json!({"type": "object", "properties": {"spec": {
    ///     "type": "object",
    ///     "required": ["size"],
    ///     "properties": {
    ///         "size": {"type": "integer", "minimum": 3},
    ///         "name": {"type": "string", "pattern": "^[a-z]{2}-[0-9]+$"},
    ///     },
    /// }}, "required": ["spec"]}))?;
    /// let object = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}});
    /// let (minimal, causes) = schema.sample(Extent::Minimal, &object);
    /// assert_eq!((&minimal["spec"], causes.len()), (&json!({"size": 3}), 0));
    /// let (full, _) = schema.sample(Extent::Full, &object);
    /// assert_eq!(full["spec"], json!({"size": 3, "name": "aa-0"}));
    /// # Ok::<(), kube_codegen_schema::Error>(())
    /// ```
    pub fn sample(&self, extent: Extent, object: &Value) -> (Value, Vec<Cause>) {
        let mut sample = value(self.root(), "", extent, DEPTH);
        let known = object.as_object().into_iter().flatten();
        if let Value::Object(fields) = &mut sample {
            // The status is written by controllers.
            fields.remove("status");
            fields.extend(known.map(|(name, value)| (name.clone(), value.clone())));
        }
        search::repair(self, sample)
    }
}

/// Returns a value for a schema. `name` is the name of its field.
fn value(schema: &Node, name: &str, extent: Extent, depth: usize) -> Value {
    if let Some(default) = schema.default.as_ref().filter(|it| !it.is_object()) {
        return default.clone();
    }
    if let Some(value) = schema.values.iter().find(|value| !value.is_null()) {
        return value.clone();
    }
    match schema.type_.as_deref() {
        _ if schema.int_or_string => match &schema.pattern {
            Some(pattern) => text::matching(&pattern.source).into(),
            None => number(schema, 1),
        },
        Some("string") => text::string(schema, name).into(),
        Some("integer" | "number") => number(schema, 1),
        Some("boolean") => true.into(),
        Some("array") => list(schema, name, extent, depth),
        Some("object") => object(schema, extent, depth),
        _ => Value::Object(Map::new()),
    }
}

/// Returns the number nearest to a wanted one.
fn number(schema: &Node, wanted: i64) -> Value {
    let wanted = Number::Int(wanted).as_f64();
    let step = schema.multiple_of.unwrap_or(1.0);
    let integer = schema.type_.as_deref() != Some("number");
    let mut found = wanted;
    if let Some(bound) = schema.minimum {
        let bound = if integer { bound.ceil() } else { bound };
        if schema.exclusive_minimum && found <= bound {
            found = bound + step;
        }
        found = found.max(bound);
    }
    if let Some(bound) = schema.maximum {
        let bound = if integer { bound.floor() } else { bound };
        if schema.exclusive_maximum && found >= bound {
            found = if integer {
                bound - 1.0
            } else {
                bound - step / 2.0
            };
        }
        found = found.min(bound);
    }
    if let Some(factor) = schema.multiple_of {
        found = (found / factor).ceil() * factor;
        if schema.maximum.is_some_and(|bound| found > bound) {
            found -= factor;
        }
    }
    if found.fract() == 0.0 {
        crate::go::int(found).into()
    } else {
        found.into()
    }
}

fn list(schema: &Node, name: &str, extent: Extent, depth: usize) -> Value {
    let least = usize::try_from(schema.min_items.unwrap_or_default()).unwrap_or_default();
    let wanted = least.max(usize::from(extent == Extent::Full && depth > 0));
    let most = usize::try_from(schema.max_items.unwrap_or(i64::MAX)).unwrap_or(usize::MAX);
    let Some(inner) = schema.items.as_deref().filter(|_| wanted.min(most) > 0) else {
        return Value::Array(Vec::new());
    };
    let item = value(
        inner,
        name.strip_suffix('s').unwrap_or(name),
        extent,
        depth - 1,
    );
    let differ = schema.list_type.as_deref().is_some_and(|it| it != "atomic");
    let items = (0..wanted.min(most)).map(|index| {
        let mut item = item.clone();
        if differ && index > 0 {
            let keys = schema.list_map_keys.iter();
            let places = keys.map(|key| (item[key].clone(), key)).collect::<Vec<_>>();
            match &mut item {
                Value::Object(fields) => {
                    for (value, key) in places {
                        fields.insert(key.clone(), numbered(value, index));
                    }
                }
                item => *item = numbered(item.take(), index),
            }
        }
        item
    });
    items.collect()
}

/// Returns another value of the same type.
fn numbered(value: Value, index: usize) -> Value {
    match (value, i64::try_from(index)) {
        (Value::String(text), _) => format!("{text}{index}").into(),
        (Value::Number(number), Ok(index)) => match number.as_i64() {
            Some(number) => (number + index).into(),
            None => Value::Number(number),
        },
        (value, _) => value,
    }
}

fn object(schema: &Node, extent: Extent, depth: usize) -> Value {
    let mut names: Vec<&str> = schema.required.iter().map(String::as_str).collect();
    // The first branch decides which of the alternatives are set.
    let branches = [&schema.one_of, &schema.any_of];
    for branch in branches.iter().filter_map(|branches| branches.first()) {
        names.extend(branch.required.iter().map(String::as_str));
    }
    let others = schema
        .one_of
        .iter()
        .skip(1)
        .flat_map(|branch| &branch.required);
    let not = schema.not.iter().flat_map(|not| &not.required);
    let refused: Vec<&str> = others.chain(not).map(String::as_str).collect();
    if extent == Extent::Full && depth > 0 {
        let all = schema.properties.keys().map(String::as_str);
        names.extend(all.filter(|name| !refused.contains(name)));
    }
    let mut fields = Map::new();
    if schema.embedded_resource {
        fields.insert("apiVersion".to_owned(), "v1".into());
        fields.insert("kind".to_owned(), "ConfigMap".into());
    }
    for name in names {
        let inner = schema.properties.get(name).or_else(|| schema.additional());
        if let (Some(inner), false) = (inner, fields.contains_key(name)) {
            let value = value(inner, name, extent, depth.saturating_sub(1));
            fields.insert(name.to_owned(), value);
        }
    }
    let least = schema.min_properties.unwrap_or_default();
    let is_wanted = extent == Extent::Full && depth > 0 && schema.properties.is_empty();
    let missing = least.max(i64::from(is_wanted)) - i64::try_from(fields.len()).unwrap_or(0);
    for index in 0..missing.max(0) {
        let key = if index == 0 {
            "key".to_owned()
        } else {
            format!("key{index}")
        };
        match &schema.additional_properties {
            Some(Additional::Schema(inner)) => {
                fields.insert(key, value(inner, "value", extent, depth.saturating_sub(1)));
            }
            Some(Additional::Allowed(true)) => {
                fields.insert(key, Value::Object(Map::new()));
            }
            _ => {
                let next = schema
                    .properties
                    .iter()
                    .find(|(name, _)| !fields.contains_key(*name));
                if let Some((name, inner)) = next {
                    let value = value(inner, name, extent, depth.saturating_sub(1));
                    fields.insert(name.clone(), value);
                }
            }
        }
    }
    Value::Object(fields)
}
