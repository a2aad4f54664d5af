//! Names the views of fields of which at most one is set: their types by the location, their methods and variants by the fields.
use super::taken::Taken;
use super::{idents, words};
use crate::model::ir::{Choice, Ident, Model, Struct};
use std::collections::BTreeMap;

/// The longest name of a type.
const MAX: usize = 96;

/// Functions that programs call through the name of a type.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "clone", "cmp", "default", "deserialize", "eq", "fmt", "from", "from_iter", "from_str", "hash", "into", "ne", "new", "one_of", "partial_cmp",
    "serialize", "to_owned", "to_string", "try_from", "try_into",
];

/// Names the views at each location of a module, once the locations have their names.
pub(super) fn types(model: &mut Model, module: usize, taken: &mut Taken) {
    let ids: Vec<_> = model.locations_of(&model.modules[module]).collect();
    for id in ids {
        let choices = model.types.choices(id);
        if choices.is_empty() {
            continue;
        }
        let suffixes: Vec<String> = choices.iter().map(suffix).collect();
        let mut named = |name: &Ident| {
            let names = suffixes.iter().map(|suffix| {
                let space = MAX.saturating_sub(suffix.len());
                let head: String = name.as_str().chars().take(space).collect();
                taken.first([Ident::new(head + suffix)])
            });
            names.collect::<Vec<Ident>>()
        };
        let def = &model.types[id];
        let views = named(def.name());
        let shared_views = def.shared.as_ref().map(named).unwrap_or_default();
        let def = &mut model.types[id];
        def.views = views;
        def.shared_views = shared_views;
    }
}

fn suffix(choice: &Choice) -> String {
    let named_by = choice.named_by.as_deref();
    format!("OneOf{}", named_by.map(camel).unwrap_or_default())
}

/// Names the methods, variants and constructors of a struct, once its fields have their names.
pub(super) fn members(body: &mut Struct, is_root: bool) {
    let fields: BTreeMap<&str, &Ident> = body
        .fields
        .iter()
        .map(|field| (field.wire.as_str(), field.ident()))
        .collect();
    let mut functions = Taken::reserve(RESERVED);
    let mut constructors: BTreeMap<String, Ident> = BTreeMap::new();
    for choice in &mut body.choices {
        choice.method = Some(match &choice.named_by {
            None => Ident::new("one_of"),
            Some(wire) => {
                let name = fields.get(wire.as_str()).map_or("", |ident| ident.plain());
                functions.first([Ident::new(format!("one_of_{name}"))])
            }
        });
        let mut variants = Taken::reserve(&["None", "Several"]);
        for member in &mut choice.members {
            let variant = idents::upper(&camel(&member.wire), "V");
            member.variant = Some(variants.first([variant]));
            let Some(field) = fields.get(member.wire.as_str()).filter(|_| !is_root) else {
                continue;
            };
            let name = constructors.entry(member.wire.clone()).or_insert_with(|| {
                let new = Ident::new(format!("new_{}", field.plain()));
                functions.first([(*field).clone(), new])
            });
            member.constructor = Some(name.clone());
        }
    }
}

fn camel(wire: &str) -> String {
    let plain = words::camel(&words::words(wire));
    if plain.is_empty() {
        words::camel(&words::spelled(wire))
    } else {
        plain
    }
}
