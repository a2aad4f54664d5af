//! The versions of a group come in, their equal types go out in classes, each with the place that keeps the definition first.
use super::key::Key;
use super::priority::{self, Priority};
use crate::ir::{Model, Module, TypeId};
use crate::options::Kubernetes;
use foldhash::{HashMap, HashMapExt};
use std::collections::{BTreeMap, BTreeSet};

/// The places whose types are equal, by version: the best one first, in each the best place first.
pub(super) type Class = Vec<Vec<TypeId>>;

/// The classes of the types that a group defines; the roots of kinds are in none.
///
/// What a type holds stands before it in the arena, so that one look at each is enough.
pub(super) fn classes(model: &Model, group: &[Module]) -> Vec<Class> {
    let mut versions: Vec<&Module> = group.iter().collect();
    versions.sort_by_cached_key(|version| rank_of_version(model, version));
    // Each with the index of its version.
    let mut types: BTreeMap<TypeId, usize> = BTreeMap::new();
    for (index, version) in versions.iter().enumerate() {
        let roots: BTreeSet<TypeId> = model.kinds_of(version).map(|kind| kind.root).collect();
        let own = model.types_of(version).into_iter();
        types.extend(own.filter(|id| !roots.contains(id)).map(|id| (id, index)));
    }
    let name = |id: TypeId| model.types[id].name.as_str();
    let mut classes = sort(model, &types, |_| "");
    // Names that overrides give keep types apart, and count for all that is equal otherwise.
    if types.keys().any(|id| !name(*id).is_empty()) {
        let mut chosen = BTreeMap::new();
        for class in &classes {
            // The first place of a version has a name if any place of it has one.
            let firsts = class.iter().filter_map(|places| places.first());
            let any = firsts.map(|id| name(*id)).find(|name| !name.is_empty());
            for places in class {
                let first = places.first().map(|id| name(*id));
                for id in places {
                    let names = [Some(name(*id)), first, any];
                    let mut names = names.into_iter().flatten();
                    chosen.insert(*id, names.find(|name| !name.is_empty()).unwrap_or_default());
                }
            }
        }
        classes = sort(model, &types, |id| chosen[&id]);
    }
    classes
}

/// How far a version is from keeping definitions: whoever takes them from it needs no newer Kubernetes than before, and
/// nothing that is deprecated, if it can be helped.
fn rank_of_version<'m>(model: &Model, version: &'m Module) -> (Kubernetes, bool, Priority<'m>) {
    let mut kinds = model.kinds_of(version);
    let is_deprecated = kinds.all(|kind| kind.deprecated.is_some());
    let priority = priority::of(&version.version);
    (version.kubernetes, is_deprecated, priority)
}

/// Types by what they are equal to, each class in the order of versions, then of [`rank`].
fn sort<'m>(
    model: &'m Model,
    types: &BTreeMap<TypeId, usize>,
    name: impl Fn(TypeId) -> &'m str,
) -> Vec<Class> {
    let mut first: BTreeMap<TypeId, TypeId> = BTreeMap::new();
    let mut seen: HashMap<Key<'m>, TypeId> = HashMap::new();
    let mut classes: BTreeMap<TypeId, Vec<TypeId>> = BTreeMap::new();
    for id in types.keys() {
        let equal = |id| first.get(&id).copied().unwrap_or(id);
        let Some(key) = Key::of(&model.types[*id], name(*id), equal) else {
            continue;
        };
        let like = *seen.entry(key).or_insert(*id);
        first.insert(*id, like);
        classes.entry(like).or_default().push(*id);
    }
    let by_version = |mut class: Vec<TypeId>| {
        class.sort_by_cached_key(|id| (types[id], rank(model, *id)));
        let versions = class.chunk_by(|a, b| types[a] == types[b]);
        versions.map(<[TypeId]>::to_vec).collect()
    };
    classes.into_values().map(by_version).collect()
}

/// How far a place is from standing for those that are equal in its version: names of overrides first, then the nearest to
/// its root.
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
