//! Unique names within one namespace.
use crate::model::ir::Ident;
use foldhash::HashSet;

/// The names that are taken.
#[derive(Clone, Default)]
pub(super) struct Taken(HashSet<Ident>);

impl Taken {
    /// Starts with names that may not be used.
    pub(super) fn reserve(names: &[&str]) -> Self {
        Self(names.iter().map(|name| Ident::new(*name)).collect())
    }

    /// Takes a name; returns whether it was free.
    pub(super) fn take(&mut self, name: &Ident) -> bool {
        self.0.insert(name.clone())
    }

    /// Takes the first free candidate, or else the last one with a number appended.
    pub(super) fn first<const N: usize>(&mut self, candidates: [Ident; N]) -> Ident {
        let mut last = None;
        for candidate in candidates {
            if self.take(&candidate) {
                return candidate;
            }
            last = Some(candidate);
        }
        let last = last.as_ref().map_or("", Ident::plain);
        let separator = if last.ends_with(|c: char| c.is_ascii_digit()) || last.contains('_') {
            "_"
        } else {
            ""
        };
        let stem = last.trim_end_matches('_');
        let mut number = 2_u64;
        loop {
            let name = Ident::new(format!("{stem}{separator}{number}"));
            if self.take(&name) {
                return name;
            }
            number += 1;
        }
    }
}
