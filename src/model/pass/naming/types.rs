//! Names types by kind and schema path. A kind keeps its spelling whatever else there is.
//!
//! The name of a location depends on its path alone, unless it collides with another one: sharing, reuse, another field, CRD or
//! version change no name.
use super::modules::{self, Methods};
use super::taken::Taken;
use super::{choices, idents, shared, words};
use crate::base::diag::{Code, Diagnostics};
use crate::base::threads;
use crate::model::ir::{Ident, KindNames, Model, ModuleNames, SchemaPath, Segment, TypeId};
use fnv::FnvHasher;
use foldhash::HashMap;
use std::hash::Hasher as _;

/// The longest name that is given.
const MAX: usize = 96;

/// Length of [`mark`].
const MARK: usize = 5;

pub(super) fn name(model: &mut Model, diagnostics: &mut Diagnostics) {
    let names = modules::names(&model.modules);
    let mut all_taken = Vec::with_capacity(names.len());
    for (index, names) in names.into_iter().enumerate() {
        let mut taken = Taken::reserve(idents::RESERVED_TYPES);
        by_override(model, index, &mut taken, diagnostics);
        roots(model, index, &mut taken);
        clients(model, index, names, &mut taken);
        all_taken.push((index, taken));
    }
    // Modules are separate namespaces.
    let found = threads::map(&all_taken, |(module, taken)| {
        let mut taken = taken.clone();
        let names = by_path(model, *module, &mut taken);
        let shared = shared::names(model, *module, &mut taken);
        (names, shared, taken)
    });
    let mut all_taken = Vec::with_capacity(found.len());
    for (names, shared, taken) in found {
        all_taken.push(taken);
        for (id, name) in names {
            model.types[id].name = Some(name);
        }
        for (id, name) in shared {
            model.types[id].shared = Some(name);
        }
    }
    for (module, mut taken) in all_taken.into_iter().enumerate() {
        choices::types(model, module, &mut taken);
    }
}

fn by_override(model: &Model, module: usize, taken: &mut Taken, diagnostics: &mut Diagnostics) {
    for id in model.locations_of(&model.modules[module]) {
        if let Some(name) = &model.types[id].name
            && !taken.take(name)
        {
            diagnostics
                .report(
                    Code::NameTaken,
                    model.place(id, &model.types[id].origin.path),
                    format!("the type name `{name}` of an override is taken"),
                )
                .hint("choose another name");
        }
    }
}

fn roots(model: &mut Model, module: usize, taken: &mut Taken) {
    let roots: Vec<(TypeId, Ident)> = model
        .kinds_of(&model.modules[module])
        .map(|kind| (kind.root, verbatim(&kind.kind)))
        .collect();
    for (root, kind) in roots {
        let name = &mut model.types[root].name;
        if name.is_none() {
            let object = Ident::new(format!("{kind}Object"));
            *name = Some(taken.first([kind, object]));
        }
    }
}

/// Names the client, the informers, the lists and the listers of a module.
fn clients(model: &mut Model, module: usize, mut names: ModuleNames, taken: &mut Taken) {
    names.client = taken.first([names.client]);
    names.informers = taken.first([names.informers]);
    let mut methods = Methods::new();
    for kind in model.range_of(&model.modules[module]) {
        let kind = &mut model.kinds[kind];
        let root = model.types[kind.root].name();
        let [list, lister] = ["List", "Lister"].map(|suffix| Ident::new(format!("{root}{suffix}")));
        let [method, method_all] = methods.of(kind);
        kind.names = Some(KindNames {
            list: taken.first([verbatim(&kind.list_kind), list]),
            lister: taken.first([lister]),
            method,
            method_all,
            manifest: modules::manifest(kind),
        });
    }
    model.modules[module].names = Some(names);
}

/// Whether a name is shortened, the depth of its path, and how many symbols the path has.
type Rank = (bool, usize, usize);

/// Names the other types by their paths, whether they are defined there or not.
fn by_path(model: &Model, module: usize, taken: &mut Taken) -> Vec<(TypeId, Ident)> {
    let mut parts = Parts::default();
    let mut unnamed: Vec<(Rank, String, Ident, TypeId)> = model
        .locations_of(&model.modules[module])
        .filter(|id| model.types[*id].name.is_none())
        .filter_map(|id| {
            let path = &model.types[id].origin.path;
            let kind = model.types[model.kind_of(id)?.root].name().as_str();
            let segments = path.segments().len();
            let mut place = String::with_capacity(2 * MAX);
            place.extend([kind, "."]);
            path.write(&mut place);
            let symbols = place.bytes().filter(|c| matches!(c, b'_' | b'-')).count();
            let (name, is_short) = of_path(kind, path, &mut parts);
            Some(((is_short, segments, symbols), place, name, id))
        })
        .collect();
    // Of equal names, one that is not shortened keeps it, then the shallowest location, then the plainest path.
    unnamed.sort_unstable_by(
        |(rank, place, _, id), (other_rank, other_place, _, other)| {
            (rank, place, id).cmp(&(other_rank, other_place, other))
        },
    );
    let named = unnamed.into_iter().map(|(_, place, name, id)| {
        if taken.take(&name) {
            return (id, name);
        }
        let head: String = name.as_str().chars().take(MAX - MARK).collect();
        (id, taken.first([Ident::new(head + &mark(&place))]))
    });
    named.collect()
}

/// Returns the kind as the CRD spells it, as far as Rust allows.
fn verbatim(kind: &str) -> Ident {
    let mut letters: String = kind.chars().filter(char::is_ascii_alphanumeric).collect();
    if letters.is_empty() {
        letters = words::camel(&words::spelled(kind));
    }
    if let Some(first) = letters.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    idents::upper(&letters, "Kind")
}

/// Joins the kind and the properties of a path; also returns whether the name is shortened.
///
/// A name that would be too long keeps the first words of its longest inner properties, then loses them, the first one last.
fn of_path<'m>(kind: &str, path: &'m SchemaPath, known: &mut Parts<'m>) -> (Ident, bool) {
    let mut names: Vec<String> = Vec::new();
    for segment in path.segments() {
        if let Segment::Property(name) = segment {
            names.push(known.entry(name).or_insert_with(|| part(name)).clone());
        }
    }
    let mut length = kind.len() + names.iter().map(String::len).sum::<usize>();
    let is_short = length > MAX;
    while length > MAX && names.len() > 1 {
        let last = names.len() - 1;
        let longest = (1..last).max_by_key(|at| names[*at].len()).unwrap_or(0);
        // `Preferred` says enough of `PreferredDuringSchedulingIgnoredDuringExecution`.
        let ends = names[longest]
            .char_indices()
            .skip(1)
            .find(|(_, c)| c.is_uppercase());
        match ends {
            Some((end, _)) => {
                length -= names[longest].len() - end;
                names[longest].truncate(end);
            }
            None => length -= names.remove(longest).len(),
        }
    }
    let kind: String = kind.chars().take(MAX).collect();
    if let [name] = names.as_mut_slice()
        && length > MAX
    {
        *name = first_words(name, MAX - kind.len()).to_owned();
    }
    (Ident::new(kind + &names.concat()), is_short)
}

/// Returns as many words of a name as fit.
fn first_words(name: &str, space: usize) -> &str {
    let ends = name.char_indices().filter(|(_, c)| c.is_uppercase());
    let end = ends.map(|(at, _)| at).take_while(|at| *at <= space).last();
    &name[..end.unwrap_or(0)]
}

/// The parts of names that properties give, each computed once.
type Parts<'m> = HashMap<&'m str, String>;

fn part(name: &str) -> String {
    let plain = words::camel(&words::words(name));
    if plain.is_empty() {
        words::camel(&words::spelled(name))
    } else {
        plain
    }
}

/// Returns `H` and four hexadecimal digits that identify a text (FNV-1a, folded). Type names depend on it, so it never changes.
fn mark(text: &str) -> String {
    let mut hash = FnvHasher::default();
    hash.write(text.as_bytes());
    let hash = hash.finish();
    let folded = hash ^ (hash >> 16) ^ (hash >> 32) ^ (hash >> 48);
    format!("H{:04x}", folded & 0xffff)
}
