//! Finds the types of the table by a sentence of their docs or by the name of a field.
use super::lookalikes::Lookalikes;
use super::table::ALL;
use super::types::{Ty, Type};
use crate::base::options::Kubernetes;
use foldhash::{HashMap, HashMapExt};
use std::sync::OnceLock;

/// A shorter sentence is too common to identify a type.
const WORDS: usize = 4;

/// A type, and the types that hold it in a field.
pub(super) struct Held {
    pub(super) known: &'static Type,
    pub(super) holders: Vec<&'static Type>,
}

/// The types that all Kubernetes versions from one on have.
pub(super) struct Index {
    /// That version.
    pub(super) at: Kubernetes,
    /// The types that have fields of the same names.
    pub(super) lookalikes: Lookalikes,
    /// Types by the first sentence of their docs, or of the docs of a field that holds them.
    described: HashMap<&'static str, Vec<&'static Type>>,
    /// Types by the names of fields that hold them, and by those that hold lists of them.
    held: [HashMap<&'static str, Vec<Held>>; 2],
    /// Types by the names of their fields.
    having: HashMap<&'static str, Vec<&'static Type>>,
}

/// One for each version, created on first use.
static ALL_INDEXES: [OnceLock<Index>; Kubernetes::ALL.len()] =
    [const { OnceLock::new() }; Kubernetes::ALL.len()];

impl Index {
    /// Returns the index of a version.
    pub(super) fn of(at: Kubernetes) -> &'static Self {
        ALL_INDEXES[at as usize].get_or_init(|| Self::new(at))
    }

    fn new(at: Kubernetes) -> Self {
        let types = || ALL.iter().copied().filter(move |known| known.is_in(at));
        let mut index = Self {
            at,
            lookalikes: Lookalikes::of(types(), at),
            described: HashMap::new(),
            held: Default::default(),
            having: HashMap::new(),
        };
        for known in types() {
            index.describe(known.doc, known);
            for field in known.fields(at) {
                index.having.entry(field.wire).or_default().push(known);
                if let Some(inner) = field.ty.holds() {
                    index.describe(field.doc, inner);
                    let is_list = matches!(field.ty, Ty::List(_));
                    index.hold(field.wire, is_list, inner, known);
                }
            }
        }
        index
    }

    fn describe(&mut self, doc: &'static str, known: &'static Type) {
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

    /// Returns the types that a sentence describes.
    pub(super) fn described(&self, sentence: &str) -> &[&'static Type] {
        self.described.get(sentence).map_or(&[], Vec::as_slice)
    }

    /// Returns the types that fields of this name hold, or hold a list of.
    pub(super) fn held(&self, name: &str, is_list: bool) -> &[Held] {
        self.held[usize::from(is_list)]
            .get(name)
            .map_or(&[], Vec::as_slice)
    }

    /// Returns the types that have a field of this name.
    pub(super) fn having(&self, field: &str) -> &[&'static Type] {
        self.having.get(field).map_or(&[], Vec::as_slice)
    }
}
