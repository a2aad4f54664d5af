//! Finds the types of the table by the name of a field, and the fields that hold a type.
//!
//! Each run of the program makes an index once, so it has no more than the search of every struct needs: the search looks at types that share a
//! field with the struct, and compares the docs and holders of those few.
use super::lookalikes::Lookalikes;
use super::table::ALL;
use super::types::{Field, Ty, Type};
use crate::base::options::Kubernetes;
use foldhash::{HashMap, HashMapExt};
use std::sync::OnceLock;

/// A shorter sentence is too common to identify a type.
const WORDS: usize = 4;

/// A field that holds a type, or a list of it.
struct Holder {
    /// The type that has the field.
    known: &'static Type,
    field: &'static Field,
}

/// The types that all Kubernetes versions from one on have.
pub(super) struct Index {
    /// That version.
    pub(super) at: Kubernetes,
    /// The types that have fields of the same names; few inputs ask for them.
    lookalikes: OnceLock<Lookalikes>,
    /// Types by the names of their fields.
    having: HashMap<&'static str, Vec<&'static Type>>,
    /// The fields that hold a type.
    holders: HashMap<&'static Type, Vec<Holder>>,
}

/// One for each version, created on first use.
static ALL_INDEXES: [OnceLock<Index>; Kubernetes::ALL.len()] =
    [const { OnceLock::new() }; Kubernetes::ALL.len()];

/// Returns the types that all versions from one on have.
fn types(at: Kubernetes) -> impl Iterator<Item = &'static Type> {
    ALL.iter().copied().filter(move |known| known.is_in(at))
}

/// Whether a field holds a list.
fn is_list(field: &Field) -> bool {
    matches!(field.ty, Ty::List(_))
}

impl Index {
    /// Returns the index of a version.
    pub(super) fn of(at: Kubernetes) -> &'static Self {
        ALL_INDEXES[at as usize].get_or_init(|| Self::new(at))
    }

    fn new(at: Kubernetes) -> Self {
        let mut index = Self {
            at,
            lookalikes: OnceLock::new(),
            having: HashMap::with_capacity(2 * ALL.len()),
            holders: HashMap::with_capacity(ALL.len()),
        };
        for known in types(at) {
            for field in known.fields(at) {
                index.having.entry(field.wire).or_default().push(known);
                if let Some(inner) = field.ty.holds() {
                    let holders = index.holders.entry(inner).or_default();
                    holders.push(Holder { known, field });
                }
            }
        }
        index
    }

    /// Returns the types that have fields of the same names.
    pub(super) fn lookalikes(&self) -> &Lookalikes {
        let make = || Lookalikes::of(types(self.at), self.at);
        self.lookalikes.get_or_init(make)
    }

    /// Whether a sentence is the first one of a type's docs, or of the docs of a field that holds it.
    pub(super) fn describes(&self, sentence: &str, known: &'static Type) -> bool {
        sentence.split(' ').nth(WORDS - 1).is_some()
            && (known.doc == sentence || self.of_type(known).any(|it| it.field.doc == sentence))
    }

    /// Returns the types whose fields of this name hold a type, or a list of it.
    pub(super) fn holders(
        &self,
        known: &'static Type,
        name: &str,
        in_list: bool,
    ) -> impl Iterator<Item = &'static Type> {
        let is_it = move |it: &&Holder| it.field.wire == name && is_list(it.field) == in_list;
        self.of_type(known).filter(is_it).map(|it| it.known)
    }

    fn of_type(&self, known: &'static Type) -> impl Iterator<Item = &Holder> {
        self.holders.get(known).into_iter().flatten()
    }

    /// Returns the types that fields of this name hold, or hold a list of, once for each field.
    pub(super) fn held(&self, name: &str, in_list: bool) -> impl Iterator<Item = &'static Type> {
        let fields = self.having(name).iter();
        let fields = fields.filter_map(move |known| known.field(name, self.at));
        fields
            .filter(move |field| is_list(field) == in_list)
            .filter_map(|field| field.ty.holds())
    }

    /// Returns the types that have a field of this name.
    pub(super) fn having(&self, field: &str) -> &[&'static Type] {
        self.having.get(field).map_or(&[], Vec::as_slice)
    }
}
