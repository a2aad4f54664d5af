//! Random objects of a structural schema, as the API server would serve them.
mod text;

use fastrand::Rng;
use kube_codegen_schema::Schema;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::ptr;

/// What every object has; the API server describes it, not the schema.
pub const GIVEN: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// How often a part is made again until it fits its schema.
const ATTEMPTS: usize = 24;

/// Makes random objects; the same seed makes the same ones.
pub struct Objects {
    rng: Rng,
    /// About how many more values an object may get: beyond it, only what is required.
    left: usize,
    /// Whether some enums get a value that they do not list, as a newer server has.
    newer: bool,
    /// The schemas that were read, by their addresses: those of one root.
    schemas: HashMap<*const Value, Option<Schema>>,
    root: *const Value,
}

impl Objects {
    /// Starts at a seed. With `newer`, some values of enums are not listed in the schema, and times have any zone: the types
    /// of k8s-openapi write them in UTC.
    pub fn new(seed: u64, newer: bool) -> Self {
        Self {
            rng: Rng::with_seed(seed),
            left: 0,
            newer,
            schemas: HashMap::new(),
            root: ptr::null(),
        }
    }

    /// Makes an object of about `size` values; none if no attempt fits the schema, as where a rule excludes most values.
    pub fn object(
        &mut self,
        api_version: &str,
        kind: &str,
        schema: &Value,
        size: usize,
    ) -> Option<Value> {
        self.left = size;
        if self.root != ptr::from_ref(schema) {
            self.schemas.clear();
            self.root = schema;
        }
        let mut map = self.fields(schema, 0)?;
        map.insert("apiVersion".to_owned(), json!(api_version));
        map.insert("kind".to_owned(), json!(kind));
        map.insert("metadata".to_owned(), self.metadata());
        let object = Value::Object(map);
        (self.newer || self.fits(schema, &object)).then_some(object)
    }

    /// Returns whether the API server accepts a value, rules aside.
    fn fits(&mut self, schema: &Value, value: &Value) -> bool {
        let read = || Schema::new(schema).ok().map(Schema::without_rules);
        let known = self
            .schemas
            .entry(ptr::from_ref(schema))
            .or_insert_with(read);
        known
            .as_ref()
            .is_none_or(|it| it.validate(value).is_empty())
    }

    /// Makes a value that fits the schema; none if no attempt does.
    fn value(&mut self, schema: &Value, depth: usize) -> Option<Value> {
        if schema["nullable"] == true && self.rng.u8(..8) == 0 {
            return Some(Value::Null);
        }
        self.left = self.left.saturating_sub(1);
        (0..ATTEMPTS).find_map(|attempt| {
            let value = self.not_null(schema, depth, attempt)?;
            (self.newer || self.fits(schema, &value)).then_some(value)
        })
    }

    fn not_null(&mut self, schema: &Value, depth: usize, attempt: usize) -> Option<Value> {
        if let Some(values) = schema["enum"].as_array() {
            let declared: Vec<&Value> = values.iter().filter(|it| !it.is_null()).collect();
            if !self.newer || self.rng.u8(..5) > 0 {
                return self.rng.choice(declared).cloned();
            }
        }
        if schema["x-kubernetes-int-or-string"] == true {
            // A quantity that is a number would be written as text.
            let is_quantity = self.newer && schema["pattern"].is_string();
            return Some(if !is_quantity && self.rng.bool() {
                json!(self.integer(schema))
            } else {
                json!(self.text(schema, attempt))
            });
        }
        Some(match schema["type"].as_str() {
            Some("string") => json!(self.text(schema, attempt)),
            Some("integer") => json!(self.integer(schema)),
            Some("number") => self.number(schema),
            Some("boolean") => json!(self.rng.bool()),
            Some("array") => {
                let count = self.count(schema, "Items");
                let items = (0..count).map(|_| self.value(&schema["items"], depth + 1));
                Value::Array(distinct(schema, items.collect::<Option<_>>()?))
            }
            Some("object") if schema["x-kubernetes-embedded-resource"] == true => {
                self.resource(schema, depth)?
            }
            Some("object") => Value::Object(self.fields(schema, depth)?),
            _ => self.json(2),
        })
    }

    /// Makes the declared fields, the values of a map, and where they are kept, undeclared fields.
    fn fields(&mut self, schema: &Value, depth: usize) -> Option<Map<String, Value>> {
        let mut map = Map::new();
        let empty = Map::new();
        let declared = schema["properties"].as_object().unwrap_or(&empty);
        let required = schema["required"].as_array();
        for (name, property) in declared {
            let is_required =
                required.is_some_and(|names| names.iter().any(|it| it == name.as_str()));
            // The API server fills in defaults.
            let has_default = !self.newer && property.get("default").is_some();
            let is_wanted = is_required
                || has_default
                || (self.left > 0 && self.rng.usize(..=depth / 2 + 1) == 0);
            if !is_wanted || (depth == 0 && GIVEN.contains(&name.as_str())) {
                continue;
            }
            match self.value(property, depth + 1) {
                Some(value) => {
                    map.insert(name.clone(), value);
                }
                None if is_required => return None,
                None if has_default => {
                    map.insert(name.clone(), property["default"].clone());
                }
                None => {}
            }
        }
        let values = &schema["additionalProperties"];
        // The API server prunes an object without properties.
        let is_open = schema["x-kubernetes-preserve-unknown-fields"] == true || *values == true;
        if values.is_object() || is_open {
            let count = self.count(schema, "Properties");
            for _ in 0..count {
                let name = self.word();
                if declared.contains_key(&name) || GIVEN.contains(&name.as_str()) {
                    continue;
                }
                let value = if values.is_object() {
                    self.value(values, depth + 1)?
                } else {
                    self.json(2)
                };
                map.insert(name, value);
            }
        }
        Some(map)
    }

    fn resource(&mut self, schema: &Value, depth: usize) -> Option<Value> {
        let mut map = self.fields(schema, depth)?;
        map.insert("apiVersion".to_owned(), json!("v1"));
        map.insert("kind".to_owned(), json!("ConfigMap"));
        map.remove("metadata");
        if self.rng.bool() {
            map.insert("metadata".to_owned(), self.metadata());
        }
        Some(Value::Object(map))
    }

    fn metadata(&mut self) -> Value {
        let mut metadata =
            json!({"name": format!("n{}", self.rng.u8(..)), "generation": self.rng.u32(..)});
        let optional = [
            ("labels", json!({"a": "b", "example.com/c": ""})),
            ("annotations", json!({"x": self.word()})),
            ("finalizers", json!(["example.com/f"])),
            ("creationTimestamp", json!("2024-02-29T01:02:03Z")),
            ("resourceVersion", json!("42")),
            ("namespace", json!("default")),
            (
                "ownerReferences",
                json!([{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": true}]),
            ),
            (
                "managedFields",
                json!([{"manager": "m", "operation": "Update", "apiVersion": "v1", "time": "2024-02-29T01:02:03Z",
                    "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:a": {}}}}]),
            ),
        ];
        for (name, value) in optional {
            if self.rng.u8(..4) == 0 {
                metadata[name] = value;
            }
        }
        metadata
    }

    /// Returns how many items or fields to make.
    fn count(&mut self, schema: &Value, what: &str) -> u64 {
        let bound = |keyword: String| schema[&keyword].as_u64();
        let least = bound(format!("min{what}")).unwrap_or(0);
        let most = bound(format!("max{what}")).unwrap_or(u64::MAX);
        let more = if self.left == 0 { 0 } else { self.rng.u64(..4) };
        (least + more).min(most)
    }

    /// Returns an integer within 64 bits, `int32` and the bounds; the API server checks no other format.
    fn integer(&mut self, schema: &Value) -> i64 {
        let (least, most) =
            if schema["format"] == "int32" || schema["x-kubernetes-int-or-string"] == true {
                (i32::MIN.into(), i32::MAX.into())
            } else {
                (i64::MIN, i64::MAX)
            };
        let least = schema["minimum"].as_i64().unwrap_or(least);
        let most = schema["maximum"].as_i64().unwrap_or(most).max(least);
        match self.rng.u8(..6) {
            0 => least,
            1 => most,
            2 | 3 => self.rng.i64(-20..500).clamp(least, most),
            _ => self.rng.i64(least..=most),
        }
    }

    fn number(&mut self, schema: &Value) -> Value {
        let least = schema["minimum"].as_f64().unwrap_or(-1e6);
        let most = schema["maximum"].as_f64().unwrap_or(1e6).max(least);
        match self.rng.u8(..4) {
            0 => json!(self.integer(schema)),
            1 if least <= 0.0 && most >= 0.0 => json!(-0.0),
            2 => json!((least + (most - least) * self.rng.f64()).round()),
            _ => json!(least + (most - least) * self.rng.f64()),
        }
    }

    /// Returns any JSON.
    fn json(&mut self, depth: usize) -> Value {
        let kinds = if depth == 0 { 7 } else { 9 };
        match self.rng.u8(..kinds) {
            0 => Value::Null,
            1 => json!(self.rng.bool()),
            2 => json!(self.rng.i64(..)),
            3 => json!(self.rng.u64(..)),
            4 => json!(self.rng.f64() * 1e3),
            5 | 6 => json!(self.word()),
            7 => (0..self.rng.usize(..3))
                .map(|_| self.json(depth - 1))
                .collect(),
            _ => (0..self.rng.usize(..3))
                .map(|_| (self.word(), self.json(depth - 1)))
                .collect(),
        }
    }
}

/// Removes the items that a set or a map lists twice.
fn distinct(schema: &Value, items: Vec<Value>) -> Vec<Value> {
    let keys = schema["x-kubernetes-list-map-keys"].as_array();
    let identity = |item: &Value| match schema["x-kubernetes-list-type"].as_str() {
        Some("set") => Some(item.clone()),
        Some("map") => keys.map(|keys| {
            let keys = keys.iter().filter_map(Value::as_str);
            keys.map(|key| item[key].clone()).collect()
        }),
        _ => None,
    };
    let mut seen = Vec::new();
    items
        .into_iter()
        .filter(|item| {
            identity(item).is_none_or(|identity| {
                let is_new = !seen.contains(&identity);
                seen.push(identity);
                is_new
            })
        })
        .collect()
}
