//! Partitions the types of a group into classes of equal types.
use super::key::Key;
use crate::base::options::Kubernetes;
use crate::model::evolution::priority::{self, Priority};
use crate::model::ir::{Ident, Model, Module, TypeId};
use foldhash::{HashMap, HashMapExt};
use std::collections::{BTreeMap, BTreeSet};

/// Equal types by version. The first location of the first version has the definition.
pub(super) type Class = Vec<Vec<TypeId>>;

/// Returns the classes of the types that a group defines, except the roots of kinds.
///
/// The arena has the parts of a type before it, so one pass over it suffices.
pub(super) fn classes(model: &Model, group: &[Module]) -> Vec<Class> {
    let mut versions: Vec<&Module> = group.iter().collect();
    versions.sort_by_cached_key(|version| rank_of_version(model, version));
    // The types, each with the index of its version.
    let mut types: BTreeMap<TypeId, usize> = BTreeMap::new();
    for (index, version) in versions.iter().enumerate() {
        let roots: BTreeSet<TypeId> = model.kinds_of(version).map(|kind| kind.root).collect();
        let own = model.types_of(version).into_iter();
        types.extend(own.filter(|id| !roots.contains(id)).map(|id| (id, index)));
    }
    let name = |id: TypeId| model.types[id].name.as_ref();
    let mut classes = partition(model, &types, |_| None);
    // Types with different names of overrides are different. A location without such a name takes that of its class.
    if types.keys().any(|id| name(*id).is_some()) {
        let mut chosen = BTreeMap::new();
        for class in &classes {
            // The first location of a version has a name if any location there has one.
            let mut firsts = class.iter().filter_map(|ids| ids.first());
            let any = firsts.find_map(|id| name(*id));
            for ids in class {
                let first = ids.first().and_then(|id| name(*id));
                chosen.extend(ids.iter().map(|id| (*id, name(*id).or(first).or(any))));
            }
        }
        classes = partition(model, &types, |id| chosen[&id]);
    }
    classes
}

/// Ranks the versions that may define a shared type, smallest first: the others then need no newer Kubernetes than before, and
/// nothing deprecated if possible.
fn rank_of_version<'m>(model: &Model, version: &'m Module) -> (Kubernetes, bool, Priority<'m>) {
    let mut kinds = model.kinds_of(version);
    let is_deprecated = kinds.all(|kind| kind.deprecated.is_some());
    let priority = priority::of(&version.version);
    (version.kubernetes, is_deprecated, priority)
}

/// Partitions types by their keys. Each class is in the order of versions, then of [`rank`].
fn partition<'m>(
    model: &'m Model,
    types: &BTreeMap<TypeId, usize>,
    name: impl Fn(TypeId) -> Option<&'m Ident>,
) -> Vec<Class> {
    let mut first: BTreeMap<TypeId, TypeId> = BTreeMap::new();
    let mut seen: HashMap<Key<'m>, TypeId> = HashMap::new();
    let mut classes: BTreeMap<TypeId, Vec<TypeId>> = BTreeMap::new();
    for id in types.keys() {
        let equal = |id| first.get(&id).copied().unwrap_or(id);
        let Some(key) = Key::of(&model.types, *id, name(*id), equal) else {
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

/// Ranks the locations of equal types in a version: those with the name of an override first, then the shallowest.
fn rank(model: &Model, id: TypeId) -> (bool, usize, String, String) {
    let def = &model.types[id];
    let path = &def.origin.path;
    let kind = model.kind_of(id).map(|kind| kind.kind.clone());
    (
        def.name.is_none(),
        path.segments().len(),
        kind.unwrap_or_default(),
        path.to_string(),
    )
}
