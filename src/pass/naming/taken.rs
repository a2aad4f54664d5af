//! The names of one namespace: who asks first has the name.
use foldhash::HashSet;

/// Names that are given.
#[derive(Clone, Default)]
pub(super) struct Taken(HashSet<String>);

impl Taken {
    /// These are not to be given.
    pub(super) fn reserve(names: &[&str]) -> Self {
        Self(names.iter().map(|name| (*name).to_owned()).collect())
    }

    /// Takes the name, if nobody has it.
    pub(super) fn take(&mut self, name: &str) -> bool {
        self.0.insert(name.to_owned())
    }

    /// Takes the first of the candidates that is free; if none is, the last one with a number.
    pub(super) fn first<'a>(&mut self, candidates: impl IntoIterator<Item = &'a str>) -> String {
        let mut last = "";
        for candidate in candidates {
            if self.take(candidate) {
                return candidate.to_owned();
            }
            last = candidate;
        }
        let joint = if last.ends_with(|c: char| c.is_ascii_digit()) || last.contains('_') {
            "_"
        } else {
            ""
        };
        let stem = last.trim_end_matches('_');
        let mut number = 2_u64;
        loop {
            let name = format!("{stem}{joint}{number}");
            if self.take(&name) {
                return name;
            }
            number += 1;
        }
    }
}
