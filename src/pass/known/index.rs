//! A sentence, or the name of a field, comes in, the types of the table that have it from a version of Kubernetes on go out.
use super::table::ALL;
use super::twin::Twins;
use super::types::{Ty, Type};
use crate::options::Kubernetes;
use foldhash::{HashMap, HashMapExt};
use std::sync::OnceLock;

/// A sentence of fewer words may stand anywhere.
const WORDS: usize = 4;

/// A type, and the types that have a field of it.
pub(super) struct Held {
    pub(super) known: &'static Type,
    pub(super) holders: Vec<&'static Type>,
}

/// What tells of the types that all versions from one on have.
pub(super) struct Index {
    /// That version.
    pub(super) at: Kubernetes,
    /// What tells types apart that have fields of the same names.
    pub(super) twins: Twins,
    /// Types by what is said of them, or of a field that holds them.
    described: HashMap<&'static str, Vec<&'static Type>>,
    /// Types by the names of fields that hold them, and of those that hold lists of them.
    held: [HashMap<&'static str, Vec<Held>>; 2],
    /// Types by the names of their fields.
    having: HashMap<&'static str, Vec<&'static Type>>,
}

/// One for each version, made when it is asked for.
static ALL_INDEXES: [OnceLock<Index>; Kubernetes::ALL.len()] =
    [const { OnceLock::new() }; Kubernetes::ALL.len()];

impl Index {
    /// The index of the types that all versions from this one on have.
    pub(super) fn of(at: Kubernetes) -> &'static Self {
        ALL_INDEXES[at as usize].get_or_init(|| Self::new(at))
    }

    fn new(at: Kubernetes) -> Self {
        let types = || {
            let all = ALL.iter().flat_map(|types| types.iter().copied());
            all.filter(move |known| known.is_in(at))
        };
        let mut index = Self {
            at,
            twins: Twins::of(types(), at),
            described: HashMap::new(),
            held: Default::default(),
            having: HashMap::new(),
        };
        for known in types() {
            index.say(known.doc, known);
            for field in known.fields(at) {
                index.having.entry(field.wire).or_default().push(known);
                if let Some(inner) = field.ty.holds() {
                    index.say(field.doc, inner);
                    let is_list = matches!(field.ty, Ty::List(_));
                    index.hold(field.wire, is_list, inner, known);
                }
            }
        }
        index
    }

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

    /// The types of which this is said, or of a field that holds them.
    pub(super) fn described(&self, sentence: &str) -> &[&'static Type] {
        self.described.get(sentence).map_or(&[], Vec::as_slice)
    }

    /// What fields of this name hold, or have a list of.
    pub(super) fn held(&self, name: &str, is_list: bool) -> &[Held] {
        self.held[usize::from(is_list)]
            .get(name)
            .map_or(&[], Vec::as_slice)
    }

    /// The types that have a field of this name.
    pub(super) fn having(&self, field: &str) -> &[&'static Type] {
        self.having.get(field).map_or(&[], Vec::as_slice)
    }
}
