//! The schema of one place, for values of that place alone.
use kube_codegen_cel::Program;
use kube_codegen_schema::{Extent, Schema};
use serde_json::{Value, json};

/// How many bytes of objects are validated at most for one of them that is valid: one object of a large CRD would cost a second else.
pub(super) const EFFORT: usize = 2_000_000;

/// How many items a list gets at most.
pub(super) const MOST_ITEMS: usize = 1200;

/// The schema of a place, for values of that place alone.
pub(super) struct Part<'a> {
    pub(super) definition: &'a Value,
    schema: Schema,
}

impl<'a> Part<'a> {
    /// Reads it; `whole` is the schema that it is taken from, or one that is like it.
    pub(super) fn of(whole: &Schema, definition: &'a Value) -> Option<Self> {
        let schema =
            json!({"type": "object", "required": ["value"], "properties": {"value": definition}});
        Some(Self {
            definition,
            schema: whole.other(&schema).ok()?.with_effort(EFFORT),
        })
    }

    /// Reads the schema of a place inside this one.
    pub(super) fn inside<'d>(&self, definition: &'d Value) -> Option<Part<'d>> {
        Part::of(&self.schema, definition).filter(|it| it.definition.is_object())
    }

    fn head() -> Value {
        json!({"apiVersion": "v1", "kind": "Part", "metadata": {"name": "example"}})
    }

    /// Returns valid values, the smallest first, with `random` random ones.
    pub(super) fn samples(&self, random: u64) -> impl Iterator<Item = Value> {
        let extents = [Extent::Minimal, Extent::Full].into_iter();
        let samples = extents.map(|extent| self.schema.sample(extent, &Self::head()));
        let random = (0..random).map(|seed| self.schema.random(seed, &Self::head()));
        let all = samples.chain(random);
        all.filter(|(_, causes)| causes.is_empty())
            .map(|(mut object, _)| object["value"].take())
    }

    pub(super) fn accepts(&self, value: &Value) -> bool {
        let mut object = Self::head();
        object["value"] = value.clone();
        if !self.schema.prune(&mut object).is_empty() {
            return false;
        }
        self.schema.apply_defaults(&mut object);
        let causes = self.schema.validate(&object);
        causes.iter().all(|cause| !cause.is_violation())
    }

    /// Returns whether a value may replace another one.
    pub(super) fn accepts_update(&self, stored: &Value, update: &Value) -> bool {
        let [old, new] = [stored, update].map(|value| {
            let mut object = Self::head();
            object["value"] = value.clone();
            self.schema.apply_defaults(&mut object);
            object
        });
        let causes = self.schema.validate_update(&new, &old);
        causes.iter().all(|cause| !cause.is_violation())
    }

    /// Returns the values of a keyword that counts something: of the place, and of the combinators about it.
    pub(super) fn bounds(&self, keyword: &str) -> Vec<usize> {
        let bounds = self.layers().into_iter();
        let bounds = bounds.filter_map(|it| usize::try_from(it[keyword].as_u64()?).ok());
        bounds.collect()
    }

    /// Returns all schemas of the place: its own, and those of combinators.
    pub(super) fn layers(&self) -> Vec<&'a Value> {
        layers(self.definition)
    }
}

/// How many schemas of combinators are read.
const LAYERS: usize = 64;

/// Returns a schema and those of its combinators, which are about the same value.
pub(super) fn layers(schema: &Value) -> Vec<&Value> {
    let mut found = vec![schema];
    let mut at = 0;
    while let Some(layer) = found.get(at).copied()
        && found.len() < LAYERS
    {
        at += 1;
        found.extend(layer.get("not"));
        for keyword in ["allOf", "anyOf", "oneOf"] {
            found.extend(layer[keyword].as_array().into_iter().flatten());
        }
    }
    found
}

/// Returns the texts that the rules of a place name.
pub(super) fn literals(part: &Part<'_>) -> Vec<String> {
    let rules = part.definition["x-kubernetes-validations"].as_array();
    let rules = rules
        .into_iter()
        .flatten()
        .filter_map(|it| it["rule"].as_str());
    let programs = rules.filter_map(|it| Program::compile(it).ok());
    programs.flat_map(|it| it.literals()).collect()
}
