//! Tries to disprove the choices of real CRDs: no object that the schema accepts has several of the fields, or none where one is required.
#![allow(clippy::expect_used, reason = "helpers of tests fail by panicking")]

use std::{collections::BTreeSet, env};

use kube_codegen::{
    options::Options,
    pipeline,
    private::ir::{Body, Choice, Model, TypeId},
    source::{self, Input, Source},
};
use kube_codegen_schema::Schema;
use serde_json::{Map, Value, json};

/// Returns how many objects are tried for each pair of fields.
fn tries() -> u64 {
    let number = env::var("KUBE_CODEGEN_TRIES");
    number.map_or(2, |text| text.parse().expect("a number"))
}

/// Tries the CRDs of another folder: `KUBE_CODEGEN_CHOICES`. Those of the corpus are tried by the test that generates their code.
#[test]
fn no_object_disproves_a_choice_of_other_crds() {
    let Some(folder) = env::var_os("KUBE_CODEGEN_CHOICES") else {
        return;
    };
    let sources = source::load(&[Input::Directory(folder.into())]).expect("readable CRDs");
    let mut found = Found::default();
    for source in &sources {
        let output = pipeline::run(std::slice::from_ref(source), &Options::default());
        found.look(source, &output.model);
    }
    found.judge(0);
}

#[derive(Default)]
pub(super) struct Found {
    choices: usize,
    required: usize,
    members: usize,
    tried: usize,
    /// Fields with which alone an object was accepted.
    accepted: usize,
    never: Vec<String>,
    disproved: BTreeSet<String>,
}

impl Found {
    /// Tries the choices of a CRD.
    pub(super) fn look(&mut self, source: &Source, model: &Model) {
        for (id, def) in model.types.iter() {
            let Body::Struct(body) = &def.body else {
                continue;
            };
            if body.choices.is_empty() {
                continue;
            }
            let Some(node) = schema_of(model, id) else {
                continue;
            };
            let schema = Schema::new(&node).expect("a schema that the generator accepts");
            let place = format!("{}: {}", source.name, def.origin.path);
            for choice in &body.choices {
                try_choice(&place, &node, &schema, choice, self);
            }
        }
    }

    /// Fails if a choice was disproved, or if not more than `least` were tried.
    pub(super) fn judge(&self, least: usize) {
        println!("never accepted: {:#?}", self.never);
        println!(
            "{} choices ({} where one is required) of {} fields, {} objects tried; with one field, {} were accepted",
            self.choices, self.required, self.members, self.tried, self.accepted
        );
        assert!(self.disproved.is_empty(), "{:#?}", self.disproved);
        // A schema that accepts nothing proves nothing.
        assert!(self.accepted >= self.members * 9 / 10, "{:#?}", self.never);
        assert!(self.choices > least, "{}", self.choices);
    }
}

/// Returns the schema of a type.
fn schema_of(model: &Model, id: TypeId) -> Option<Value> {
    let kind = model.kind_of(id)?;
    let manifest: Value = serde_json::from_str(&kind.manifest).ok()?;
    let versions = manifest["spec"]["versions"].as_array()?;
    let version = versions.iter().find(|it| it["name"] == *kind.version)?;
    let root = &version["schema"]["openAPIV3Schema"];
    root.pointer(&model.types[id].origin.path.pointer())
        .cloned()
}

fn try_choice(place: &str, node: &Value, schema: &Schema, choice: &Choice, found: &mut Found) {
    let members: Vec<&str> = choice.members.iter().map(|it| it.wire.as_str()).collect();
    found.choices += 1;
    found.required += usize::from(choice.is_required);
    found.members += members.len();
    let selectors: BTreeSet<&str> = choice
        .members
        .iter()
        .flat_map(|it| it.sets.iter().map(|(wire, _)| wire.as_str()))
        .collect();
    let count = |object: &Value| {
        members
            .iter()
            .filter(|it| object.get(**it).is_some())
            .count()
    };
    let mut bases = Vec::new();
    for seed in 0..tries() {
        let (object, problems) = schema.random(seed, &json!({}));
        found.tried += 1;
        let wrong = count(&object) > 1 || (choice.is_required && count(&object) == 0);
        if problems.is_empty() && wrong {
            found.disproved.insert(format!("{place}: {object}"));
        }
        bases.push(object);
    }
    for (at, member) in members.iter().enumerate() {
        let mut is_accepted = false;
        for (seed, base) in (0..).zip(&bases) {
            let alone = |with: &[&str]| {
                let fields = base.as_object().cloned().unwrap_or_default();
                object(node, schema, fields, &members, with, &selectors, seed)
            };
            is_accepted |= sound(schema, &alone(&[member])) || {
                let mut chosen = alone(&[member]);
                for (wire, text) in &choice.members[at].sets {
                    chosen[wire] = text.as_str().into();
                }
                sound(schema, &chosen)
            };
            for other in &members[at + 1..] {
                found.tried += 1;
                let both = alone(&[member, other]);
                if sound(schema, &both) {
                    found.disproved.insert(format!("{place}: {both}"));
                }
            }
            let empty = alone(&[]);
            if choice.is_required && sound(schema, &empty) {
                found.disproved.insert(format!("{place}: {empty}"));
            }
        }
        found.accepted += usize::from(is_accepted);
        if !is_accepted {
            found.never.push(format!("{place}: {member}"));
        }
    }
}

fn sound(schema: &Schema, object: &Value) -> bool {
    schema.validate(object).is_empty()
}

/// Makes an object with some members, random other fields, and any value of the fields that choose.
fn object(
    node: &Value,
    schema: &Schema,
    mut fields: Map<String, Value>,
    members: &[&str],
    with: &[&str],
    selectors: &BTreeSet<&str>,
    seed: u64,
) -> Value {
    let required: Vec<&str> = node["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if seed.is_multiple_of(2) {
        fields.retain(|name, _| required.contains(&name.as_str()));
    }
    fields.retain(|name, _| !members.contains(&name.as_str()));
    let value = |name: &str| {
        let inner = &node["properties"][name];
        let inner = Schema::new(inner).expect("a part of a schema");
        inner.random(seed, &json!({})).0
    };
    for name in with {
        fields.insert((*name).to_owned(), value(name));
    }
    for name in selectors {
        if let Some(values) = node["properties"][*name]["enum"].as_array() {
            let at = usize::try_from(seed).expect("small") % values.len();
            fields.insert((*name).to_owned(), values[at].clone());
        }
    }
    let mut object = Value::Object(fields);
    schema.apply_defaults(&mut object);
    object
}
