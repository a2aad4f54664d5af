//! Makes objects that a schema accepts.
//!
//! The structure of a schema says most of what an object needs, and is followed from the root: types, required fields, defaults, enums, bounds and
//! patterns, each by itself (`text` makes strings of a pattern). What concerns several values at once, such as rules and combinators, is left to
//! `search`, which repairs the object until no violation remains. Both have limits of depth and size: a schema may demand more than anyone can store.

mod both;
mod hints;
mod patterns;
mod random;
mod search;
mod text;

use kube_codegen_formats::go::{self, Number};
use serde_json::{Map, Value};

use crate::{
    cause::Cause,
    embedded, lists,
    node::{Additional, Node},
    prune,
    schema::Schema,
    validate,
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
/// How many bytes a list, a map or a text of a sample has at most.
const LARGEST: usize = 1 << 16;
/// How many bytes a sample has at most, about: etcd stores no object that is much larger.
const WHOLE: usize = 1 << 20;

/// How many bytes a value that is made may still get. Past it, texts, lists and maps are shorter than the schema demands, and optional fields
/// are left out.
struct Room(usize);

impl Room {
    fn take(&mut self, bytes: usize) {
        self.0 = self.0.saturating_sub(bytes);
    }

    fn is_full(&self) -> bool {
        self.0 == 0
    }
}

impl Schema {
    /// Makes an object that the schema accepts, and returns it with the violations that remain: none, unless a pattern or a rule asks for
    /// more than the search finds. Patterns that are too large together are not all checked; a cause that is no violation says so.
    ///
    /// `object` has `apiVersion`, `kind` and `metadata`; its name changes if a rule demands another one.
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
        let (_limits, note) = patterns::limit(self.root());
        let mut sample = value(self.root(), "", extent, DEPTH);
        let known = object.as_object().into_iter().flatten();
        if let Value::Object(fields) = &mut sample {
            // The status is written by controllers.
            fields.remove("status");
            fields.extend(known.map(|(name, value)| (name.clone(), value.clone())));
        }
        let (sample, mut causes) = search::repair(self, sample);
        causes.extend(note);
        (sample, causes)
    }
}

/// Returns a value for a schema. `name` is the name of its field.
fn value(schema: &Node, name: &str, extent: Extent, depth: usize) -> Value {
    within(schema, name, extent, depth, &mut Room(WHOLE))
}

fn within(schema: &Node, name: &str, extent: Extent, depth: usize, room: &mut Room) -> Value {
    let value = match (given(schema), schema.type_.as_deref()) {
        (Some(given), _) => given.clone(),
        (None, Some("array")) if !schema.int_or_string => {
            return list(schema, name, extent, depth, room);
        }
        (None, Some("object")) if !schema.int_or_string => {
            return object(schema, extent, depth, room);
        }
        (None, _) => scalar(schema, name, room),
    };
    room.take(search::size(&value));
    value
}

/// Returns the value that the schema has: its default, its example, or one of its enum.
fn given(schema: &Node) -> Option<&Value> {
    let default = schema.default.as_ref().filter(|it| !it.is_object());
    let listed = || schema.values.iter().find(|value| !value.is_null());
    let example = || schema.example.as_ref().filter(|it| is_example(schema, it));
    default.or_else(example).or_else(listed)
}

/// Whether an example is worth showing: authors change a schema and forget them. Rules are fulfilled by the search.
fn is_example(schema: &Node, example: &Value) -> bool {
    let mut kept = example.clone();
    let mut causes = embedded::undecodable(schema, example);
    causes.extend(validate::validate(schema, example, None, ""));
    lists::validate(schema, example, "", &mut causes);
    !example.is_null() && causes.is_empty() && prune::prune(schema, &mut kept).is_empty()
}

fn scalar(schema: &Node, name: &str, room: &Room) -> Value {
    match schema.type_.as_deref() {
        _ if schema.int_or_string => match &schema.pattern {
            Some(pattern) => pattern.example(text::matching).into(),
            None => number(schema, 1),
        },
        Some("string") => text::string(schema, name, room.0).into(),
        Some("integer" | "number") => number(schema, 1),
        Some("boolean") => true.into(),
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
        go::int(found).into()
    } else {
        found.into()
    }
}

fn list(schema: &Node, name: &str, extent: Extent, depth: usize, room: &mut Room) -> Value {
    let least = usize::try_from(schema.min_items.unwrap_or_default()).unwrap_or_default();
    let is_shown = extent == Extent::Full && depth > 0 && !room.is_full();
    let wanted = least.max(usize::from(is_shown));
    let most = usize::try_from(schema.max_items.unwrap_or(i64::MAX)).unwrap_or(usize::MAX);
    let Some(inner) = schema.items.as_deref().filter(|_| wanted.min(most) > 0) else {
        return Value::Array(Vec::new());
    };
    let name = name.strip_suffix('s').unwrap_or(name);
    let item = within(inner, name, extent, depth.saturating_sub(1), room);
    let size = item.to_string().len().max(1);
    // The first one is there already.
    let most = most.min(LARGEST.min(room.0 + size) / size);
    room.take(size.saturating_mul(wanted.min(most).saturating_sub(1)));
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
            Some(number) => number.wrapping_add(index).into(),
            None => Value::Number(number),
        },
        (value, _) => value,
    }
}

fn object(schema: &Node, extent: Extent, depth: usize, room: &mut Room) -> Value {
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
    let rejected: Vec<&str> = others.chain(not).map(String::as_str).collect();
    if extent == Extent::Full && depth > 0 {
        let all = schema.properties.keys().map(String::as_str);
        names.extend(all.filter(|name| !rejected.contains(name)));
    }
    let mut fields = Map::new();
    if schema.embedded_resource {
        fields.insert("apiVersion".to_owned(), "v1".into());
        fields.insert("kind".to_owned(), "ConfigMap".into());
    }
    for name in names {
        let inner = schema.properties.get(name).or_else(|| schema.additional());
        if room.is_full() && !schema.required.iter().any(|it| it == name) {
            continue;
        }
        if let (Some(inner), false) = (inner, fields.contains_key(name)) {
            let value = within(inner, name, extent, depth.saturating_sub(1), room);
            room.take(name.len());
            fields.insert(name.to_owned(), value);
        }
    }
    let least = schema.min_properties.unwrap_or_default();
    let is_wanted = extent == Extent::Full && depth > 0 && schema.properties.is_empty();
    let missing = least.max(i64::from(is_wanted)) - i64::try_from(fields.len()).unwrap_or(0);
    let mut size = 0;
    for index in 0..missing.max(0) {
        let depth = depth.saturating_sub(1);
        let (key, value) = match &schema.additional_properties {
            Some(Additional::Schema(inner)) => {
                (key(index), within(inner, "value", extent, depth, room))
            }
            Some(Additional::Allowed(true)) => (key(index), Value::Object(Map::new())),
            _ => {
                let mut absent = schema.properties.iter();
                match absent.find(|(name, _)| !fields.contains_key(*name)) {
                    Some((name, inner)) => (name.clone(), within(inner, name, extent, depth, room)),
                    None => break,
                }
            }
        };
        size += key.len() + value.to_string().len();
        if size > LARGEST || room.is_full() {
            break;
        }
        fields.insert(key, value);
    }
    Value::Object(fields)
}

fn key(index: i64) -> String {
    match index {
        0 => "key".to_owned(),
        index => format!("key{index}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn head(name: &str) -> Value {
        json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name}})
    }

    #[test]
    #[cfg(feature = "cel")]
    fn a_name_that_a_rule_demands_is_found() {
        for (rule, name) in [
            ("self.metadata.name == 'cluster'", "cluster"),
            (
                "'b' != 'c' && self.metadata.name in ['default', 'cluster']",
                "default",
            ),
            ("self.metadata.name.startsWith('team-')", "team-example"),
            ("self.metadata.name.endsWith('-default')", "example-default"),
            ("self.metadata.name.matches('^v[0-9]{2}$')", "v00"),
            ("self.metadata.name == self.spec.name", "example"),
            ("size(self.metadata.name) < 20", "example"),
        ] {
            let schema = json!({"type": "object", "required": ["spec"], "x-kubernetes-validations": [{"rule": rule}],
                "properties": {"spec": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}}});
            let schema = Schema::new(&schema).unwrap();
            for extent in [Extent::Minimal, Extent::Full] {
                let (sample, causes) = schema.sample(extent, &head("example"));
                assert_eq!(causes, [], "{rule}");
                assert_eq!(sample["metadata"]["name"], name, "{rule}");
            }
        }
    }

    #[test]
    fn a_name_that_the_schema_restricts_is_found() {
        let schema = json!({"type": "object", "properties": {"metadata": {"type": "object", "properties": {
            "name": {"type": "string", "pattern": "^x[0-9]+$"}}}}});
        let (sample, causes) = Schema::new(&schema)
            .unwrap()
            .sample(Extent::Minimal, &head("example"));
        assert_eq!(
            (&sample["metadata"]["name"], causes.len()),
            (&json!("x0"), 0)
        );
    }

    #[test]
    fn lists_below_many_levels_have_their_items() {
        let mut schema = json!({"type": "array", "minItems": 1, "items": {"type": "string"}});
        for _ in 0..30 {
            schema = json!({"type": "object", "required": ["a"], "properties": {"a": schema}});
        }
        let (_, causes) = Schema::new(&schema)
            .unwrap()
            .sample(Extent::Minimal, &head("example"));
        assert_eq!(causes, []);
    }

    #[test]
    fn an_example_is_used_if_it_is_valid() {
        for (schema, expected) in [
            (json!({"type": "string", "example": "a.b"}), json!("a.b")),
            (
                json!({"type": "string", "pattern": "^[a-z]$", "example": "aa"}),
                json!("a"),
            ),
            (json!({"type": "integer", "example": "1"}), json!(1)),
            (
                json!({"type": "string", "default": "d", "example": "e"}),
                json!("d"),
            ),
            (
                json!({"type": "array", "items": {"type": "string"}, "example": ["x", "y"]}),
                json!(["x", "y"]),
            ),
            (
                json!({"type": "object", "properties": {"a": {"type": "string"}}, "example": {"a": "x"}}),
                json!({"a": "x"}),
            ),
            (
                json!({"type": "object", "properties": {"a": {"type": "string"}}, "example": {"b": "x"}}),
                json!({}),
            ),
            (
                json!({"x-kubernetes-int-or-string": true, "example": "50%"}),
                json!("50%"),
            ),
            (json!({"type": "string", "example": null}), json!("example")),
        ] {
            let whole =
                json!({"type": "object", "required": ["spec"], "properties": {"spec": schema}});
            let (sample, causes) = Schema::new(&whole)
                .unwrap()
                .sample(Extent::Minimal, &head("example"));
            assert_eq!((&sample["spec"], causes.len()), (&expected, 0), "{schema}");
        }
    }

    #[test]
    fn a_text_has_both_its_format_and_its_pattern() {
        for (format, pattern) in [
            (
                "duration",
                "^(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?$",
            ),
            ("duration", "^[0-9]+(\\.[0-9]+)?(ms|s|m|h)$"),
            ("duration", "^([0-9]+h)?([0-9]+m)?$"),
            ("duration", "[0-9]*s?"),
            ("date-time", "Z$"),
            ("date", "^.{10}$"),
            ("uri", "^https?://.*"),
            ("uri", "^(https|ssh)://"),
            ("uri", "[.]git$"),
            ("ipv4", "^10[.]"),
            ("cidr", ":"),
            ("hostname", "^[a-z]+$"),
            ("email", "@"),
            ("uuid", "^[A-F0-9-]*$"),
        ] {
            let text = json!({"type": "string", "format": format, "pattern": pattern});
            let schema =
                json!({"type": "object", "required": ["spec"], "properties": {"spec": text}});
            let schema = Schema::new(&schema).unwrap();
            let (sample, causes) = schema.sample(Extent::Minimal, &head("example"));
            assert_eq!(causes, [], "{format} {pattern}: {}", sample["spec"]);
        }
    }

    #[test]
    fn many_large_fields_are_not_larger_than_an_object_may_be() {
        for large in [
            json!({"type": "string", "minLength": 60_000}),
            json!({"type": "array", "minItems": 9000, "items": {"type": "string"}}),
            json!({"type": "object", "minProperties": 9000, "additionalProperties": {"type": "integer"}}),
        ] {
            let fields = (0..300).map(|index| (format!("field{index}"), large.clone()));
            let mut spec = json!({"type": "object", "properties": fields.collect::<Map<_, _>>()});
            for required in [json!([]), (0..300).map(|it| format!("field{it}")).collect()] {
                spec["required"] = required;
                let schema =
                    json!({"type": "object", "required": ["spec"], "properties": {"spec": spec}});
                let schema = Schema::new(&schema).unwrap().with_effort(0);
                let (sample, _) = schema.sample(Extent::Full, &head("example"));
                let size = sample.to_string().len();
                assert!(size <= 2 * WHOLE, "{size}");
                assert!(size > WHOLE / 8, "{size}");
            }
        }
    }

    #[test]
    fn a_sample_is_not_larger_than_a_request() {
        const MOST: i64 = i64::MAX;
        for wide in [
            json!({"type": "array", "minItems": MOST, "items": {"type": "array", "minItems": MOST, "items": {"type": "boolean"}}}),
            json!({"type": "array", "minItems": 2, "x-kubernetes-list-type": "set", "items": {"type": "integer", "default": MOST}}),
            json!({"type": "object", "minProperties": MOST, "additionalProperties": {"type": "string"}}),
            json!({"type": "object", "minProperties": MOST, "properties": {"a": {"type": "string"}}}),
            json!({"type": "string", "minLength": MOST}),
            json!({"type": "string", "pattern": "^(((a{900}){900}){900}){900}$"}),
            json!({"type": "string", "pattern": "^(((){900}){900}){900}$"}),
        ] {
            let schema =
                json!({"type": "object", "required": ["spec"], "properties": {"spec": wide}});
            let schema = Schema::new(&schema).unwrap();
            let samples = [
                schema.sample(Extent::Full, &head("example")).0,
                schema.random(1, &head("example")).0,
            ];
            for sample in samples {
                assert!(sample.to_string().len() <= 5 * LARGEST, "{wide}");
            }
        }
    }
}
