//! Makes random objects of a schema, the same ones for the same seed.

use serde_json::{Map, Value, json};

use super::{DEPTH, Extent, LARGEST, Room, number, patterns, search, text, value};
use crate::{
    cause::Cause,
    node::{Additional, Node},
    schema::Schema,
};

/// How many items a list has at most.
const MOST_ITEMS: u64 = 1000;

/// Makes random objects of a schema, without end; the same seed gives the same objects.
pub(super) struct Random(u64);

impl Schema {
    /// Makes a random object that the schema accepts, the same one for the same seed, and returns it with the violations that remain.
    ///
    /// Fields that are not required, null where the schema permits it, the number of items and most scalars are random; `status` is
    /// among the fields. `object` has `apiVersion`, `kind` and `metadata`.
    ///
    /// ```
    /// # use kube_codegen_schema::Schema;
    /// # use serde_json::json;
    /// let schema = Schema::new(&json!({"type": "object", "properties": {"spec": {
    ///     "type": "object",
    ///     "properties": {"size": {"type": "integer", "minimum": 3, "maximum": 9}},
    /// }}}))?;
    /// let object = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}});
    /// let all: Vec<_> = (0..20).map(|seed| schema.random(seed, &object)).collect();
    /// assert!(all.iter().all(|(_, violations)| violations.is_empty()));
    /// assert!(all.iter().any(|(object, _)| object["spec"]["size"] != all[0].0["spec"]["size"]));
    /// assert_eq!(schema.random(7, &object).0, all[7].0);
    /// # Ok::<(), kube_codegen_schema::Error>(())
    /// ```
    pub fn random(&self, seed: u64, object: &Value) -> (Value, Vec<Cause>) {
        let (_limits, note) = patterns::limit(self.root());
        let mut random = Random(seed.wrapping_mul(2).wrapping_add(1));
        let mut made = random.value(self.root(), "", DEPTH);
        if let (Value::Object(fields), Some(known)) = (&mut made, object.as_object()) {
            fields.extend(
                known
                    .iter()
                    .map(|(name, value)| (name.clone(), value.clone())),
            );
        }
        let (made, mut causes) = search::repair(self, made);
        causes.extend(note);
        (made, causes)
    }
}

impl Random {
    /// Returns a number below a bound (`SplitMix64`).
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound.max(1)
    }

    fn value(&mut self, schema: &Node, name: &str, depth: usize) -> Value {
        if schema.nullable && self.below(4) == 0 {
            return Value::Null;
        }
        if !schema.values.is_empty() {
            let index = usize::try_from(self.below(schema.values.len() as u64)).unwrap_or(0);
            return schema.values[index].clone();
        }
        match schema.type_.as_deref() {
            _ if schema.int_or_string => match self.below(2) {
                0 => number(schema, self.integer()),
                _ => value(schema, name, Extent::Full, depth),
            },
            Some("string") => self.text(schema, name),
            Some("integer" | "number") => number(schema, self.integer()),
            Some("boolean") => (self.below(2) == 0).into(),
            Some("array") => self.list(schema, name, depth),
            Some("object") => self.object(schema, depth),
            _ => self.json(2),
        }
    }

    fn integer(&mut self) -> i64 {
        let bound = [3, 100, 1_000_000][usize::try_from(self.below(3)).unwrap_or(0)];
        let small = i64::try_from(self.below(bound)).unwrap_or(0);
        if self.below(4) == 0 { -small } else { small }
    }

    fn text(&mut self, schema: &Node, name: &str) -> Value {
        let plain = text::string(schema, name, LARGEST);
        if schema.format.is_none() && schema.pattern.is_none() && self.below(2) == 0 {
            let text = format!("{plain}-{}", self.below(1000));
            let most = usize::try_from(schema.max_length.unwrap_or(i64::MAX)).unwrap_or(usize::MAX);
            if text.len() <= most {
                return text.into();
            }
        }
        plain.into()
    }

    fn list(&mut self, schema: &Node, name: &str, depth: usize) -> Value {
        let bound = |bound: Option<i64>| bound.and_then(|it| u64::try_from(it).ok());
        let least = bound(schema.min_items).unwrap_or(0);
        let most = bound(schema.max_items).unwrap_or(u64::MAX);
        let wanted = if depth == 0 { 0 } else { self.below(4) };
        let Some(inner) = &schema.items else {
            return json!([]);
        };
        let mut items: Vec<Value> = Vec::new();
        let mut size = 0;
        for _ in 0..wanted.clamp(least.min(most), most).min(MOST_ITEMS) {
            if size > LARGEST {
                break;
            }
            let item = self.value(
                inner,
                name.strip_suffix('s').unwrap_or(name),
                depth.saturating_sub(1),
            );
            size += item.to_string().len();
            let same = |other: &Value| match schema.list_type.as_deref() {
                Some("map") => schema
                    .list_map_keys
                    .iter()
                    .all(|key| item[key] == other[key]),
                Some("set") => item == *other,
                _ => false,
            };
            if !items.iter().any(same) {
                items.push(item);
            }
        }
        items.into()
    }

    fn object(&mut self, schema: &Node, depth: usize) -> Value {
        // Alternatives and counts are met by the usual sample.
        let base = super::object(schema, Extent::Minimal, depth, &mut Room(LARGEST));
        let Value::Object(mut fields) = base else {
            return base;
        };
        for (name, inner) in &schema.properties {
            let is_known = fields.contains_key(name);
            let is_wanted =
                depth > 0 && schema.one_of.is_empty() && schema.not.is_none() && self.below(3) > 0;
            if is_known || is_wanted {
                fields.insert(
                    name.clone(),
                    self.value(inner, name, depth.saturating_sub(1)),
                );
            }
        }
        match &schema.additional_properties {
            Some(Additional::Schema(inner)) if depth > 0 => {
                for _ in 0..self.below(3) {
                    let key = format!("key{}", self.below(100));
                    fields.insert(key, self.value(inner, "value", depth - 1));
                }
            }
            Some(Additional::Allowed(true)) => _ = fields.insert("any".to_owned(), self.json(2)),
            _ => {}
        }
        if schema.preserve_unknown_fields && self.below(2) == 0 {
            fields.insert(format!("unknown{}", self.below(3)), self.json(2));
        }
        Value::Object(fields)
    }

    /// Returns any JSON.
    fn json(&mut self, depth: u64) -> Value {
        match self.below(4 + 2 * depth.min(1)) {
            0 => self.integer().into(),
            1 => (self.below(2) == 0).into(),
            2 => format!("text{}", self.below(100)).into(),
            3 => json!({}),
            4 => json!([self.json(depth - 1), self.json(depth - 1)]),
            _ => {
                let mut fields = Map::new();
                fields.insert("a".to_owned(), self.json(depth - 1));
                fields.insert(format!("b{}", self.below(9)), self.json(depth - 1));
                Value::Object(fields)
            }
        }
    }
}
