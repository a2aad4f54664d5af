//! A version of a CRD with its budget, and with samples that are made once.
use std::{
    borrow::Cow,
    cell::{Cell, OnceCell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};

use kube_codegen_schema::{Cause, Extent, Schema, validate_metadata};
use serde_json::{Value, json};

use super::{
    differing::differing,
    part::{EFFORT, Part},
};
use crate::input::path::{SchemaPath, Segment};

/// How many values the search validates for all changes of a version: some tens of seconds.
pub(super) const VALUES: usize = 30_000_000;
/// How many random objects a search ends with.
pub(super) const RANDOM: u64 = 60;

/// A version of a CRD, as the API server uses it.
#[derive(Debug)]
pub(super) struct Side<'a> {
    pub(super) definition: Cow<'a, Value>,
    /// `apiVersion`, `kind` and `metadata` of an object.
    pub(super) head: Value,
    schema: Schema,
    /// Whether unknown fields are kept everywhere (`spec.preserveUnknownFields`).
    pub(super) preserves: bool,
    /// Of the schema, what makes samples that are about a difference; all of it if nothing is known to differ.
    sampler: Option<Schema>,
    samples: OnceCell<Vec<Value>>,
    /// Random objects that this version accepts and the one that it is compared with rejects.
    disputed: OnceCell<Vec<Value>>,
    /// The smallest values of places, as far as they were asked for.
    smallest: RefCell<BTreeMap<SchemaPath, Option<Value>>>,
    /// The smallest values of objects that have a field, by the path of the field.
    smallest_with: RefCell<BTreeMap<SchemaPath, Option<Value>>>,
    /// How many more values the search may validate, here and in what is made of this version.
    left: Rc<Cell<usize>>,
}

impl<'a> Side<'a> {
    /// Reads a version; `None` if its schema cannot be read.
    pub(super) fn new(crd: &'a Value, version: &'a Value) -> Option<Self> {
        let text = |pointer: &str| crd.pointer(pointer).and_then(Value::as_str);
        let definition = version.pointer("/schema/openAPIV3Schema")?;
        let api_version = format!(
            "{}/{}",
            text("/spec/group").unwrap_or_default(),
            version["name"].as_str().unwrap_or_default()
        );
        let schema = Schema::new(definition).ok()?.with_effort(EFFORT);
        Some(Self {
            definition: Cow::Borrowed(definition),
            head: json!({
                "apiVersion": api_version,
                "kind": text("/spec/names/kind"),
                "metadata": {"name": "example"},
            }),
            schema: schema.with_scale(&version["subresources"]["scale"]).ok()?,
            preserves: crd.pointer("/spec/preserveUnknownFields") == Some(&Value::Bool(true)),
            sampler: None,
            samples: OnceCell::new(),
            disputed: OnceCell::new(),
            smallest: RefCell::default(),
            smallest_with: RefCell::default(),
            left: Rc::new(Cell::new(VALUES)),
        })
    }

    /// Returns the schema at a path; none if it declares no such path.
    pub(super) fn at(&self, path: &SchemaPath) -> Option<&Value> {
        self.definition.pointer(&path.pointer())
    }

    /// Returns the schema at a path; null if it declares no such path.
    pub(super) fn node(&self, path: &SchemaPath) -> &Value {
        self.at(path).unwrap_or(&Value::Null)
    }

    /// Limits how many values the search validates for all changes together.
    pub(super) fn limit(&self, values: usize) {
        self.left.set(values);
    }

    /// Returns whether the search has to end.
    pub(super) fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// Returns this version with another schema; `None` if that cannot be read.
    pub(super) fn with(&self, definition: Value) -> Option<Side<'static>> {
        Some(Side {
            schema: self.schema.other(&definition).ok()?,
            definition: Cow::Owned(definition),
            head: self.head.clone(),
            preserves: self.preserves,
            sampler: None,
            samples: OnceCell::new(),
            disputed: OnceCell::new(),
            smallest: RefCell::default(),
            smallest_with: RefCell::default(),
            left: Rc::clone(&self.left),
        })
    }

    /// Makes the samples of both about what differs.
    pub(super) fn pair(mut before: Self, mut after: Self) -> (Self, Self) {
        let (old, new) = (&before.definition, &after.definition);
        let samplers = [(&before, old, new), (&after, new, old)];
        let [of_before, of_after] =
            samplers.map(|(side, this, other)| side.like(&differing(this, other)));
        (before.sampler, after.sampler) = (of_before, of_after);
        if before.definition != after.definition {
            let sides = [(&before, &after), (&after, &before)];
            let [of_before, of_after] = sides.map(|(side, other)| side.samples_of_both(other));
            (before.samples, after.samples) = (of_before.into(), of_after.into());
        }
        (before, after)
    }

    /// Returns valid objects, and some of those of the other release: an object with what both need is rejected for one change alone.
    fn samples_of_both(&self, other: &Side<'_>) -> Vec<Value> {
        const OTHERS: usize = 2;
        let as_here = |object: &Value| {
            let mut object = object.clone();
            object["apiVersion"] = self.head["apiVersion"].clone();
            object
        };
        let others = other.samples().iter().take(OTHERS).map(as_here);
        let others = others
            .filter(|object| self.dropped(object).is_empty() && self.rejections(object).is_empty());
        let mut all = self.samples().to_vec();
        // The small ones first: a proof is found in them, and there is less of it to make smaller.
        for (index, object) in others.enumerate() {
            all.insert((2 * index + 1).min(all.len()), object);
        }
        all
    }

    fn sampler(&self) -> &Schema {
        self.sampler.as_ref().unwrap_or(&self.schema)
    }

    /// Reads a schema that is like this one.
    pub(super) fn like(&self, definition: &Value) -> Option<Schema> {
        Some(self.schema.other(definition).ok()?.with_effort(EFFORT))
    }

    /// Returns the schema of a place; `None` if it cannot be read.
    pub(super) fn part<'d>(&self, definition: &'d Value) -> Option<Part<'d>> {
        Part::of(&self.schema, definition)
    }

    /// Returns what the API server stores of an object.
    pub(super) fn stored(&self, object: &Value) -> Value {
        let mut stored = self.pruned(object);
        self.schema.apply_defaults(&mut stored);
        stored
    }

    /// Returns an object without the fields that the API server drops.
    pub(super) fn pruned(&self, object: &Value) -> Value {
        let mut pruned = object.clone();
        if !self.preserves {
            self.schema.prune(&mut pruned);
        }
        pruned
    }

    /// Returns the paths of the fields that the API server drops.
    pub(super) fn dropped(&self, object: &Value) -> Vec<String> {
        if self.preserves {
            return Vec::new();
        }
        self.schema.prune(&mut object.clone())
    }

    /// Returns why the API server rejects the creation of an object.
    pub(super) fn rejections(&self, object: &Value) -> Vec<Cause> {
        self.left.set(self.left.get().saturating_sub(size(object)));
        let stored = self.stored(object);
        let mut causes = validate_metadata(&stored);
        causes.extend(self.schema.validate(&stored));
        causes.retain(Cause::is_violation);
        causes
    }

    /// Returns why the API server rejects a change of the labels of a stored object.
    pub(super) fn update_rejections(&self, stored: &Value) -> Vec<Cause> {
        let mut stored = stored.clone();
        read_back(&mut stored);
        let mut new = stored.clone();
        new["metadata"]["labels"] = json!({"changed": "true"});
        self.replace_rejections(&stored, &new)
    }

    /// Returns why the API server rejects the replacement of a stored object by another one.
    pub(super) fn replace_rejections(&self, stored: &Value, update: &Value) -> Vec<Cause> {
        let (old, new) = (self.stored(stored), self.stored(update));
        let mut causes = self.schema.validate_update(&new, &old);
        causes.retain(Cause::is_violation);
        causes
    }

    /// Returns random objects that this version accepts and `other`, with which alone it is compared, rejects; made once.
    pub(super) fn disputed(&self, other: &Side<'_>) -> &[Value] {
        if self.is_spent() {
            return &[];
        }
        self.disputed.get_or_init(|| {
            let random = (0..RANDOM).map(|seed| self.sampler().random(seed, &self.head));
            let valid = random.filter(|(_, causes)| causes.is_empty());
            valid
                .map(|(object, _)| object)
                .filter(|object| self.dropped(object).is_empty())
                .filter(|object| !other.rejections(object).is_empty())
                .collect()
        })
    }

    /// Returns the smallest valid value of a place, made once; `None` if none is found.
    pub(super) fn smallest(&self, path: &SchemaPath) -> Option<Value> {
        let mut known = self.smallest.borrow_mut();
        let value = known
            .entry(path.clone())
            .or_insert_with(|| self.part(self.at(path)?)?.samples(8).next());
        value.clone()
    }

    /// Returns the smallest valid value of the object that has a field, with the field, made once; `None` if none is found, or if it is the whole object.
    pub(super) fn smallest_with(&self, path: &SchemaPath) -> Option<Value> {
        let mut known = self.smallest_with.borrow_mut();
        let value = known.entry(path.clone()).or_insert_with(|| {
            let (Some(Segment::Property(name)), Some(parent)) = (path.last(), path.parent()) else {
                return None;
            };
            parent.last()?;
            let mut definition = self.at(parent)?.clone();
            let required = definition.as_object_mut()?.entry("required");
            let required = required.or_insert_with(|| json!([])).as_array_mut()?;
            if !required.iter().any(|it| it == &**name) {
                required.push((**name).into());
            }
            self.part(&definition)?.samples(8).next()
        });
        value.clone()
    }

    /// Returns valid objects, made once.
    pub(super) fn samples(&self) -> &[Value] {
        self.samples.get_or_init(|| {
            let extents = [Extent::Minimal, Extent::Full];
            let samples = extents.map(|extent| self.sampler().sample(extent, &self.head));
            let random = (0..6).map(|seed| self.sampler().random(seed, &self.head));
            let all = samples.into_iter().chain(random);
            all.filter(|(_, causes)| causes.is_empty())
                .map(|(object, _)| object)
                .collect()
        })
    }
}

/// Returns how many values a value consists of.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(size).sum::<usize>() + 1,
        Value::Object(fields) => fields.values().map(size).sum::<usize>() + 1,
        _ => 1,
    }
}

/// Makes numbers what they are when the API server reads them from its storage: it writes whole ones without a fraction.
fn read_back(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let float = number.as_f64().filter(|_| number.is_f64());
            // Those near the range of integers and above it stay what they are.
            if let Some(whole) = float.filter(|it| it.fract() == 0.0 && it.abs() < 1e18) {
                #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
                let whole = whole as i64;
                *number = whole.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(read_back),
        Value::Object(fields) => fields.values_mut().for_each(read_back),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}
