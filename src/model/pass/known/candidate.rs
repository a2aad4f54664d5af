//! Chooses the type of k8s-openapi that a struct most likely represents; never decides whether the two are compatible.
//!
//! An equal shape alone proves nothing: `{name: string}` can be anything.
use super::index::Index;
use super::sentence::first_sentence;
use super::types::Type;
use crate::model::ir::Struct;
use std::cmp::Reverse;
use std::ptr;

/// A struct and its context.
pub(super) struct Occurrence<'m> {
    /// The types to choose from.
    pub(super) index: &'m Index,
    /// The struct.
    pub(super) body: &'m Struct,
    /// The descriptions of the struct and of the property that holds it.
    pub(super) docs: [Option<&'m str>; 2],
    /// The struct that contains it.
    pub(super) parent: &'m Struct,
    /// The property that holds it, or a list of it.
    pub(super) name: Option<&'m str>,
    /// Whether the property holds a list of it.
    pub(super) is_list: bool,
    /// The type of the same property in the type that the parent almost matches.
    pub(super) expected: Option<&'static Type>,
}

/// Returns the type with the most evidence; `None` without evidence or if several types have the same.
pub(super) fn find(occurrence: &Occurrence<'_>) -> Option<&'static Type> {
    let index = occurrence.index;
    let fields = occurrence.body.fields.iter();
    let evidence = Evidence {
        occurrence,
        sentences: occurrence.docs.map(|doc| doc.map(first_sentence)),
        having: fields.map(|field| index.having(&field.wire)).collect(),
    };
    // Every type that shares a field, once for each field.
    let mut shared: Vec<&'static Type> = evidence.having.concat();
    shared.sort_unstable_by_key(|known| ptr::from_ref(*known));
    let scored = shared.chunk_by(|a, b| a == b).filter_map(|same| {
        let known = *same.first()?;
        Some((evidence.score(known, same.len())?, known))
    });
    let mut scored: Vec<_> = scored.collect();
    scored.sort_by_key(|(score, _)| Reverse(*score));
    match scored.as_slice() {
        [(_, known)] => Some(known),
        [(most, known), (next, _), ..] if most != next => Some(known),
        _ => None,
    }
}

/// What the index has for a struct.
struct Evidence<'p> {
    occurrence: &'p Occurrence<'p>,
    /// The first sentences of the descriptions.
    sentences: [Option<String>; 2],
    /// The types that have each field of the struct.
    having: Vec<&'p [&'static Type]>,
}

/// The strongest evidence first: expected by the parent, the description, how many properties of the parent match, and how few
/// fields are missing.
type Score = (bool, bool, usize, Reverse<usize>);

impl Evidence<'_> {
    /// Scores a type that shares `count` fields with the struct; `None` without evidence.
    fn score(&self, known: &'static Type, count: usize) -> Option<Score> {
        let it = self.occurrence;
        let at = it.index.at;
        let (own, all) = (it.body.fields.len(), known.fields(at).count());
        let is_expected = it.expected == Some(known);
        // A struct with many other fields is not an older version of the type.
        let has_most = count * 3 >= own * 2;
        if !is_expected && !has_most {
            return None;
        }
        let mut sentences = self.sentences.iter().flatten();
        let is_described = sentences.any(|sentence| it.index.describes(sentence, known));
        let siblings = siblings(it, known);
        let has_all = count == own;
        let is_complete = has_all && count == all;
        // The number of shared fields that at most `most` types have.
        let rare = |most: usize| {
            let having = self.having.iter();
            let rare = having.filter(|types| types.len() <= most && types.contains(&known));
            rare.count()
        };
        let mut fields = it.body.fields.iter();
        let keeps_times = !fields.any(|field| known.rounds(&field.wire));
        let by_name = siblings.is_some()
            && keeps_times
            && has_most
            && (is_complete
                || (rare(2) > 0 && count * 2 >= all)
                || (is_unambiguous(it) && count * 3 >= all * 2));
        let by_shape = has_all
            && keeps_times
            && ((is_complete && (count >= 5 || (count >= 2 && rare(1) >= 1)))
                || (rare(1) >= 2 && count * 3 >= all * 2));
        let is_named = || {
            let lookalikes = it.index.lookalikes();
            lookalikes.is_named(known, it.name, &self.sentences)
        };
        let by_mark = || is_complete && count >= 3 && is_named();
        (is_expected || (is_described && has_most) || by_name || by_shape || by_mark()).then_some((
            is_expected,
            is_described,
            siblings.unwrap_or(0),
            Reverse(all - count),
        ))
    }
}

/// Returns how many properties of the parent a type of Kubernetes has too that holds the type in a property of the same name.
fn siblings(occurrence: &Occurrence<'_>, known: &'static Type) -> Option<usize> {
    let index = occurrence.index;
    let holders = index.holders(known, occurrence.name?, occurrence.is_list);
    let shared = holders.map(|holder| {
        let fields = occurrence.parent.fields.iter();
        let shared = fields.filter(|field| holder.field(&field.wire, index.at).is_some());
        shared.count()
    });
    shared.max()
}

/// Returns whether properties of this name hold a single type throughout Kubernetes, apart from types that round times.
fn is_unambiguous(occurrence: &Occurrence<'_>) -> bool {
    let at = occurrence.index.at;
    let keeps_times = |known: &Type| !known.fields(at).any(|it| known.rounds(it.wire));
    occurrence.name.is_some_and(|name| {
        let held = occurrence.index.held(name, occurrence.is_list);
        let mut held = held.filter(|known| keeps_times(known));
        let first = held.next();
        first.is_some_and(|first| held.all(|known| known == first))
    })
}
