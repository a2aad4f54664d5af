//! A struct and its place come in, the type of k8s-openapi that it means goes out, if anything tells; never whether it is compatible.
//!
//! Equal shape is no evidence by itself: a `{name: string}` may be anything.
use super::first_sentence;
use super::index::Index;
use super::types::Type;
use crate::ir::Struct;
use std::cmp::Reverse;
use std::ptr;

/// A struct, and what is said where it stands.
pub(super) struct Place<'m> {
    /// The types it may mean.
    pub(super) index: &'m Index,
    /// The struct.
    pub(super) body: &'m Struct,
    /// Its own description, and that of the property that holds it.
    pub(super) docs: [Option<&'m str>; 2],
    /// The struct that holds it.
    pub(super) parent: &'m Struct,
    /// The property that holds it, or a list of it.
    pub(super) name: Option<&'m str>,
    /// Whether it is a list of it.
    pub(super) is_list: bool,
    /// What it is in the type that the parent is meant as.
    pub(super) meant: Option<&'static Type>,
}

/// What the evidence says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing, or several types alike.
    Nothing,
    /// The struct is meant as this type.
    Meant(&'static Type),
}

/// What the struct means: the one type with the most evidence.
pub(super) fn find(place: &Place<'_>) -> Found {
    let sentences = place.docs.map(|doc| doc.map(first_sentence));
    let index = place.index;
    let said = sentences.iter().flatten();
    let fields = place.body.fields.iter();
    let look = Look {
        place,
        sentences: &sentences,
        described: said.map(|sentence| index.described(sentence)).collect(),
        having: fields.map(|field| index.having(&field.wire)).collect(),
    };
    // Types that share a field, as often as they share one.
    let mut shared: Vec<&'static Type> = look.having.concat();
    shared.sort_unstable_by_key(|known| ptr::from_ref(*known));
    let weighed = shared.chunk_by(|a, b| a == b).filter_map(|same| {
        let known = *same.first()?;
        Some((weigh(&look, known, same.len())?, known))
    });
    let mut weighed: Vec<_> = weighed.collect();
    weighed.sort_by_key(|(weight, _)| Reverse(*weight));
    match weighed.as_slice() {
        [(_, known)] => Found::Meant(known),
        [(most, known), (next, _), ..] if most != next => Found::Meant(known),
        _ => Found::Nothing,
    }
}

/// A place, and what the index has for it.
struct Look<'p> {
    place: &'p Place<'p>,
    /// What is said of it.
    sentences: &'p [Option<String>],
    /// The types of which that is said.
    described: Vec<&'p [&'static Type]>,
    /// The types that have each of its fields.
    having: Vec<&'p [&'static Type]>,
}

/// Of more evidence first: as part of the parent, by description, by the company that the property keeps, by how few fields are missing.
type Weight = (bool, bool, usize, Reverse<usize>);

/// How much tells that the struct means the type, of which it has so many fields; none if nothing does.
fn weigh(look: &Look<'_>, known: &'static Type, count: usize) -> Option<Weight> {
    let place = look.place;
    let (own, all) = (
        place.body.fields.len(),
        known.fields(place.index.at).count(),
    );
    let meant = place.meant == Some(known);
    // What has fields of its own is no older form of the type.
    let mostly = count * 3 >= own * 2;
    // Nothing else tells without that.
    if !meant && !mostly {
        return None;
    }
    let said = look.described.iter().any(|types| types.contains(&known));
    let company = company(place, known);
    let whole = count == own;
    let complete = whole && count == all;
    // Fields that few types have.
    let rare = |most: usize| {
        let having = look.having.iter();
        let rare = having.filter(|types| types.len() <= most && types.contains(&known));
        rare.count()
    };
    let may_fit = !place
        .body
        .fields
        .iter()
        .any(|field| known.rounds(&field.wire));
    let by_name = company.is_some()
        && may_fit
        && mostly
        && (complete
            || (rare(2) > 0 && count * 2 >= all)
            || (is_unambiguous(place) && count * 3 >= all * 2));
    let by_shape = whole
        && may_fit
        && ((complete && (count >= 5 || (count >= 2 && rare(1) >= 1)))
            || (rare(1) >= 2 && count * 3 >= all * 2));
    let by_twin =
        complete && count >= 3 && place.index.twins.tell(known, place.name, look.sentences);
    (meant || (said && mostly) || by_name || by_shape || by_twin).then_some((
        meant,
        said,
        company.unwrap_or(0),
        Reverse(all - count),
    ))
}

/// How many properties beside the struct are beside the type, too, where the type is held by a property of the same name.
fn company(place: &Place<'_>, known: &'static Type) -> Option<usize> {
    let held = place.index.held(place.name?, place.is_list).iter();
    let it = held.into_iter().find(|it| it.known == known)?;
    let shared = it.holders.iter().map(|holder| {
        let fields = place.parent.fields.iter();
        let shared = fields.filter(|field| holder.field(&field.wire, place.index.at).is_some());
        shared.count()
    });
    shared.max()
}

/// Whether a property of this name holds one and the same type wherever Kubernetes has it, save types that round times.
fn is_unambiguous(place: &Place<'_>) -> bool {
    let at = place.index.at;
    let may_fit = |known: &Type| !known.fields(at).any(|it| known.rounds(it.wire));
    place.name.is_some_and(|name| {
        let held = place.index.held(name, place.is_list).iter();
        held.filter(|it| may_fit(it.known)).count() == 1
    })
}
