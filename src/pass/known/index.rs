//! A sentence, or the name of a field, comes in, the types of the table that have it go out.
use super::table::ALL;
use super::types::{Ty, Type};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A sentence of fewer words may stand anywhere.
const WORDS: usize = 4;

/// A type, and the types that have a field of it.
pub(super) struct Held {
    pub(super) known: &'static Type,
    pub(super) holders: Vec<&'static Type>,
}

#[derive(Default)]
struct Index {
    /// Types by what is said of them, or of a field that holds them.
    described: HashMap<&'static str, Vec<&'static Type>>,
    /// Types by the names of fields that hold them, and of those that hold lists of them.
    held: [HashMap<&'static str, Vec<Held>>; 2],
    /// Types by the names of their fields.
    having: HashMap<&'static str, Vec<&'static Type>>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index = Index::default();
    for known in ALL.iter().flat_map(|types| types.iter()) {
        index.say(known.doc, known);
        for field in known.fields {
            index.having.entry(field.wire).or_default().push(known);
            if let Some(inner) = field.ty.holds() {
                index.say(field.doc, inner);
                let is_list = matches!(field.ty, Ty::List(_));
                index.hold(field.wire, is_list, inner, known);
            }
        }
    }
    index
});

impl Index {
    fn say(&mut self, doc: &'static str, known: &'static Type) {
        let described = self.described.entry(doc).or_default();
        if doc.split(' ').count() >= WORDS && !described.contains(&known) {
            described.push(known);
        }
    }

    fn hold(
        &mut self,
        name: &'static str,
        is_list: bool,
        known: &'static Type,
        holder: &'static Type,
    ) {
        let held = self.held[usize::from(is_list)].entry(name).or_default();
        match held.iter_mut().find(|it| it.known == known) {
            Some(it) => it.holders.push(holder),
            None => held.push(Held {
                known,
                holders: vec![holder],
            }),
        }
    }
}

/// The types of which this is said, or of a field that holds them.
pub(super) fn described(sentence: &str) -> &'static [&'static Type] {
    INDEX.described.get(sentence).map_or(&[], Vec::as_slice)
}

/// What fields of this name hold, or have a list of.
pub(super) fn held(name: &str, is_list: bool) -> &'static [Held] {
    INDEX.held[usize::from(is_list)]
        .get(name)
        .map_or(&[], Vec::as_slice)
}

/// The types that have a field of this name.
pub(super) fn having(field: &str) -> &'static [&'static Type] {
    INDEX.having.get(field).map_or(&[], Vec::as_slice)
}
