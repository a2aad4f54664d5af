//! Names the types that several locations of a version share, by what the locations have in common.
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
    let names = classes.into_iter().map(|(first, others)| {
        let mut locations = vec![first];
        locations.extend(others);
        (first, name(model, &locations, taken))
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

fn name(model: &Model, locations: &[TypeId], taken: &mut Taken) -> Ident {
    let paths: Vec<Vec<String>> = locations.iter().map(|id| properties(model, *id)).collect();
    let candidates = title(model, locations).into_iter();
    let candidates = candidates.chain([common_end(&paths), most_common_last(&paths)]);
    let own = paths.first().map_or(&[][..], Vec::as_slice);
    let ends = (1..=own.len()).map(|count| words::words(&own[own.len() - count..].join(" ")));
    let candidates = candidates.chain(ends);
    let mut last = Ident::new("Shared");
    for words in candidates.filter(|words| !words.is_empty()) {
        last = idents::upper(&words::camel(&words), "Shared");
        if taken.take(&last) {
            return last;
        }
    }
    taken.first([last])
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
