//! A module comes in, its equal types go out in classes, each with the place that keeps the definition first.
use super::key::Key;
use crate::ir::{Model, Module, TypeId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The classes of the types that a module defines; the roots of kinds are in none.
///
/// What a type holds stands before it in the arena, so that one look at each is enough.
pub(super) fn classes(model: &Model, module: &Module) -> Vec<Vec<TypeId>> {
    let roots: BTreeSet<TypeId> = model.kinds_of(module).map(|kind| kind.root).collect();
    let mut types = model.types_of(module);
    types.retain(|id| !roots.contains(id));
    types.sort_unstable();
    let names: BTreeMap<TypeId, &str> = types
        .iter()
        .map(|id| (*id, model.types[*id].name.as_str()))
        .collect();
    let mut classes = sort(model, &types, |_| "");
    // Names that overrides give keep types apart, and count for all that is equal otherwise.
    if names.values().any(|name| !name.is_empty()) {
        let mut chosen = BTreeMap::new();
        for class in &classes {
            let first = class
                .iter()
                .map(|id| names[id])
                .find(|name| !name.is_empty());
            for id in class {
                let own = Some(names[id]).filter(|name| !name.is_empty());
                chosen.insert(*id, own.or(first).unwrap_or_default());
            }
        }
        classes = sort(model, &types, |id| chosen[&id]);
    }
    classes
}

/// Types by what they are equal to, each class in the order of [`rank`].
fn sort<'m>(
    model: &'m Model,
    types: &[TypeId],
    name: impl Fn(TypeId) -> &'m str,
) -> Vec<Vec<TypeId>> {
    let mut first: BTreeMap<TypeId, TypeId> = BTreeMap::new();
    let mut seen: HashMap<Key<'m>, TypeId> = HashMap::new();
    let mut classes: BTreeMap<TypeId, Vec<TypeId>> = BTreeMap::new();
    for id in types {
        let equal = |id| first.get(&id).copied().unwrap_or(id);
        let Some(key) = Key::of(&model.types[*id], name(*id), equal) else {
            continue;
        };
        let like = *seen.entry(key).or_insert(*id);
        first.insert(*id, like);
        classes.entry(like).or_default().push(*id);
    }
    let mut classes: Vec<Vec<TypeId>> = classes.into_values().collect();
    for class in &mut classes {
        class.sort_by_cached_key(|id| rank(model, *id));
    }
    classes
}

/// How far a place is from keeping the definition: names of overrides first, then the nearest to its root.
fn rank(model: &Model, id: TypeId) -> (bool, usize, String, String) {
    let def = &model.types[id];
    let path = &def.origin.path;
    let kind = model.kind_of(id).map(|kind| kind.kind.clone());
    (
        def.name.is_empty(),
        path.segments().len(),
        kind.unwrap_or_default(),
        path.to_string(),
    )
}
