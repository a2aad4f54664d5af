//! Names the types that several locations of a version share, by what the locations have in common.
//!
//! Such a name is in messages of the compiler and in what `Debug` prints. It is the shortest one that says what the type is: the title
//! that all locations have, or else the property that they end with, as `IssuerRef` for `spec.issuerRef` of two kinds. A name that would fit
//! another shared type as well says too little; then the properties before the last one are added, as far as the locations have them in common.
//!
//! Users name the locations alone, so these names may change with the CRDs.
use super::taken::Taken;
use super::{idents, words};
use crate::model::ir::{Ident, Model, Module, Segment, Ty, TypeId};
use std::collections::BTreeMap;

/// The longest common part that is used.
const MAX: usize = 40;

/// Returns the names of the shared types of a module, each by the first of its locations. A type that an override names has none.
pub(super) fn names(model: &Model, module: usize, taken: &mut Taken) -> Vec<(TypeId, Ident)> {
    let classes = classes(model, &model.modules[module]);
    let mut classes: Vec<(TypeId, Vec<TypeId>)> = classes.into_iter().collect();
    classes.sort_by_cached_key(|(first, _)| {
        let path = &model.types[*first].origin.path;
        (path.segments().len(), path.to_string(), *first)
    });
    let classes: Vec<Vec<TypeId>> = classes
        .into_iter()
        .map(|(first, others)| [first].into_iter().chain(others).collect())
        .collect();
    let common: Vec<Vec<Ident>> = classes.iter().map(|it| common(model, it)).collect();
    let mut fits: BTreeMap<&Ident, usize> = BTreeMap::new();
    for name in common.iter().flatten() {
        *fits.entry(name).or_default() += 1;
    }
    let names = classes.iter().zip(&common).map(|(locations, common)| {
        // A name that fits another type as well is the second choice.
        let fit_no_other = common.iter().filter(|name| fits.get(name) == Some(&1));
        let candidates = fit_no_other.chain(common).cloned();
        let others = others(model, locations);
        let mut last = Ident::new("Shared");
        for name in candidates.chain(others) {
            if taken.take(&name) {
                return (locations[0], name);
            }
            last = name;
        }
        (locations[0], taken.first([last]))
    });
    names.collect()
}

/// Returns the first of the equal locations of a module, each with the others.
fn classes(model: &Model, module: &Module) -> BTreeMap<TypeId, Vec<TypeId>> {
    let mut classes: BTreeMap<TypeId, Vec<TypeId>> = BTreeMap::new();
    for (id, ty) in model.aliases_of(module) {
        if let Ty::Named(first) = ty
            && model.group_version(*first) == Some((&module.group, &module.version))
            && model.types[*first].name.is_none()
        {
            classes.entry(*first).or_default().push(id);
        }
    }
    classes
}

/// Returns the names that fit all locations, the shortest first.
fn common(model: &Model, locations: &[TypeId]) -> Vec<Ident> {
    let paths: Vec<Vec<String>> = locations.iter().map(|id| properties(model, *id)).collect();
    let all = common_end(&paths);
    let mut names: Vec<Vec<String>> = title(model, locations).into_iter().collect();
    let own = paths.first().map_or(&[][..], Vec::as_slice);
    let ends = (1..=own.len()).map(|count| words::words(&own[own.len() - count..].join(" ")));
    let ends = ends.take_while(|end| end.len() <= all.len());
    // These say where something is, not what it is.
    let ends =
        ends.filter(|end| !matches!(end.as_slice(), [word] if word == "spec" || word == "status"));
    names.extend(ends);
    names.push(all);
    let mut idents: Vec<Ident> = Vec::new();
    for name in names.iter().filter_map(|words| ident(words)) {
        if !idents.contains(&name) {
            idents.push(name);
        }
    }
    idents
}

/// Returns names that fit some of the locations, the best one first.
fn others(model: &Model, locations: &[TypeId]) -> Vec<Ident> {
    let paths: Vec<Vec<String>> = locations.iter().map(|id| properties(model, *id)).collect();
    let own = paths.first().map_or(&[][..], Vec::as_slice);
    let ends = (1..=own.len()).map(|count| words::words(&own[own.len() - count..].join(" ")));
    let names = [most_common_last(&paths)].into_iter().chain(ends);
    names.filter_map(|words| ident(&words)).collect()
}

fn ident(words: &[String]) -> Option<Ident> {
    (!words.is_empty()).then(|| idents::upper(&words::camel(words), "Shared"))
}

/// Returns the properties of a path, from the root.
fn properties(model: &Model, id: TypeId) -> Vec<String> {
    let segments = model.types[id].origin.path.segments().into_iter();
    let names = segments.filter_map(|segment| match segment {
        Segment::Property(name) => Some(name.to_string()),
        Segment::Items | Segment::Values => None,
    });
    names.collect()
}

/// Returns the words of the title that all locations have.
fn title(model: &Model, locations: &[TypeId]) -> Option<Vec<String>> {
    let mut titles = locations.iter().map(|id| model.types[*id].title.as_deref());
    let first = titles.next()??;
    let words = words::words(first);
    let is_name = first.len() <= MAX && words.len() <= 4;
    (is_name && titles.all(|title| title == Some(first))).then_some(words)
}

/// Returns the last words that all paths have in common.
fn common_end(paths: &[Vec<String>]) -> Vec<String> {
    let mut paths = paths.iter().map(|path| words::words(&path.join(" ")));
    let mut common = paths.next().unwrap_or_default();
    for path in paths {
        let both = common.iter().rev().zip(path.iter().rev());
        let count = both.take_while(|(a, b)| a == b).count();
        common.drain(..common.len() - count);
    }
    while common.iter().map(String::len).sum::<usize>() > MAX {
        common.remove(0);
    }
    common
}

/// Returns the words of the last property of most paths; of several, that of the first path.
fn most_common_last(paths: &[Vec<String>]) -> Vec<String> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (index, path) in paths.iter().enumerate() {
        if let Some(last) = path.last() {
            let (count, _) = counts.entry(last).or_insert((0, usize::MAX - index));
            *count += 1;
        }
    }
    let best = counts.into_iter().max_by_key(|(_, rank)| *rank);
    best.map_or_else(Vec::new, |(name, _)| words::words(name))
}
