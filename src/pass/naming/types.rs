//! Types get the kind and the path as their name; the kinds themselves keep their spelling whatever else there is.
use super::taken::Taken;
use super::{hash, idents, words};
use crate::diag::{Code, Diagnostics};
use crate::ir::{Model, SchemaPath, Segment, TypeId};
use crate::threads;
use foldhash::HashMap;

/// The longest name that is given.
const MAX: usize = 60;

pub(super) fn name(model: &mut Model, diagnostics: &mut Diagnostics) {
    let mut rest = Vec::with_capacity(model.modules.len());
    for index in 0..model.modules.len() {
        let mut taken = Taken::reserve(idents::RESERVED_TYPES);
        by_override(model, index, &mut taken, diagnostics);
        roots(model, index, &mut taken);
        aliases(model, index, &mut taken);
        rest.push((index, taken));
    }
    // The names of one module are none of another's business.
    let named = threads::map(&rest, |(module, taken)| {
        by_path(model, *module, taken.clone())
    });
    for (id, name) in named.into_iter().flatten() {
        model.types[id].name = name;
    }
}

fn by_override(model: &Model, module: usize, taken: &mut Taken, diagnostics: &mut Diagnostics) {
    for id in model.places_of(&model.modules[module]) {
        let name = &model.types[id].name;
        if !name.is_empty() && !taken.take(name) {
            let place = model.place(id, &model.types[id].origin.path);
            diagnostics
                .report(
                    Code::NameTaken,
                    place,
                    format!("the type name `{name}` of an override is taken"),
                )
                .hint("choose another name");
        }
    }
}

fn roots(model: &mut Model, module: usize, taken: &mut Taken) {
    let roots: Vec<(TypeId, String)> = model
        .kinds_of(&model.modules[module])
        .map(|kind| (kind.root, verbatim(&kind.kind)))
        .collect();
    for (root, kind) in roots {
        if model.types[root].name.is_empty() {
            let object = format!("{kind}Object");
            model.types[root].name = taken.first([kind.as_str(), object.as_str()]);
        }
    }
}

/// Names of the client, the informers, the lists and the listers.
fn aliases(model: &mut Model, module: usize, taken: &mut Taken) {
    let own = &mut model.modules[module];
    let with_client = format!("{}Client", own.client);
    own.client = taken.first([own.client.as_str(), with_client.as_str()]);
    own.informers = taken.first([own.informers.as_str()]);
    let Model {
        kinds,
        types,
        modules,
    } = model;
    let own = &modules[module];
    for kind in kinds
        .iter_mut()
        .filter(|kind| kind.group == own.group && kind.version == own.version)
    {
        let root = &types[kind.root].name;
        let (list, lister) = (format!("{root}List"), format!("{root}Lister"));
        let list_kind = verbatim(&kind.list_kind);
        kind.names.list = taken.first([list_kind.as_str(), list.as_str()]);
        kind.names.lister = taken.first([lister.as_str()]);
    }
}

fn by_path(model: &Model, module: usize, mut taken: Taken) -> Vec<(TypeId, String)> {
    let mut parts = Parts::default();
    // Every place has its name, whatever became of its type: what gives way to another type renames nothing.
    let mut unnamed: Vec<((usize, usize), String, String, TypeId)> = model
        .places_of(&model.modules[module])
        .filter(|id| model.types[*id].name.is_empty())
        .filter_map(|id| {
            let path = &model.types[id].origin.path;
            let kind = &model.types[model.kind_of(id)?.root].name;
            let segments = path.segments().len();
            let mut place = String::with_capacity(2 * MAX);
            place.extend([kind, "."]);
            path.write(&mut place);
            let symbols = place.bytes().filter(|c| matches!(c, b'_' | b'-')).count();
            let name = of_path(kind, path, &place, &mut parts);
            Some(((segments, symbols), place, name, id))
        })
        .collect();
    // Where two names fold together, the one nearer to the root keeps it, then the plainer spelling.
    unnamed.sort_unstable_by(
        |(rank, place, _, id), (other_rank, other_place, _, other)| {
            (rank, place, id).cmp(&(other_rank, other_place, other))
        },
    );
    let named = unnamed.into_iter().map(|(_, place, name, id)| {
        if taken.take(&name) {
            return (id, name);
        }
        let head: String = name.chars().take(MAX - hash::LEN).collect();
        let marked = head + &hash::mark(&place);
        (id, taken.first([marked.as_str()]))
    });
    named.collect()
}

/// The kind as the CRD spells it, as far as Rust allows.
fn verbatim(kind: &str) -> String {
    let mut letters: String = kind.chars().filter(char::is_ascii_alphanumeric).collect();
    if letters.is_empty() {
        letters = words::camel(&words::spelled(kind));
    }
    if let Some(first) = letters.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    idents::upper(&letters, "Kind")
}

/// Kind and properties; a name that would be too long keeps the kind, as much of the end as fits, and a mark of the whole path.
fn of_path<'m>(kind: &str, path: &'m SchemaPath, place: &str, known: &mut Parts<'m>) -> String {
    let mut whole = String::from(kind);
    let segments = path.segments();
    let names = segments
        .iter()
        .copied()
        .filter_map(|segment| match segment {
            Segment::Property(name) => Some(&**name),
            Segment::Items | Segment::Values => None,
        });
    let mut starts = Vec::with_capacity(segments.len());
    for name in names {
        starts.push(whole.len());
        whole.push_str(known.entry(name).or_insert_with(|| part(name)));
    }
    if whole.len() <= MAX {
        return whole;
    }
    let room = (MAX - hash::LEN).saturating_sub(kind.len());
    let from_behind = starts.iter().rev().copied();
    let tail = from_behind
        .take_while(|start| whole.len() - start <= room)
        .last();
    let tail = match (tail, starts.last()) {
        (Some(start), _) => &whole[start..],
        (None, Some(last)) => start(&whole[*last..], room),
        (None, None) => "",
    };
    let head: String = kind.chars().take(MAX - hash::LEN).collect();
    format!("{head}{tail}{}", hash::mark(place))
}

/// As many words of a name as there is room for.
fn start(name: &str, room: usize) -> &str {
    let ends = name.char_indices().filter(|(_, c)| c.is_uppercase());
    let end = ends.map(|(at, _)| at).take_while(|at| *at <= room).last();
    &name[..end.unwrap_or(0)]
}

/// What the properties of a module are in names, each made once.
type Parts<'m> = HashMap<&'m str, String>;

fn part(name: &str) -> String {
    let plain = words::camel(&words::words(name));
    if plain.is_empty() {
        words::camel(&words::spelled(name))
    } else {
        plain
    }
}
