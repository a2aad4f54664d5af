//! The emitters, by the names that `--emit` takes.
use super::InvalidValue;
use crate::base::diag::nearest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// A kind of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Emitter {
    /// Structs and enums, and their field tables.
    Types,
    /// Names, manifests and API traits of kinds.
    Resource,
    /// Typed clients and the clientset.
    Client,
    /// Listers.
    Lister,
    /// Shared informers and their factory.
    Informer,
    /// Printer columns.
    Columns,
    /// Views of the fields of which at most one is set.
    Choices,
    /// Conversion between the versions of a kind.
    Conversion,
    /// JSON schemas, only on request: they need the crate schemars.
    Schema,
}

use Emitter::{Choices, Client, Columns, Conversion, Informer, Lister, Resource, Schema, Types};

/// An emitter, its name, a description of its output, and the emitters whose output it uses.
type Row = (Emitter, &'static str, &'static str, &'static [Emitter]);

/// One row for each emitter, in the order in which they run.
#[rustfmt::skip]
const TABLE: [Row; 9] = [
    (Types, "types", "the structs and enums of each kind, with serde's traits", &[]),
    (Resource, "resource", "the names and the CRD of each kind, and the traits that kube's clients need", &[Types]),
    (Client, "client", "a typed client for each version, and a clientset over all of them", &[Resource]),
    (Lister, "lister", "a lister for each kind, which reads the cache of an informer", &[Resource]),
    (Informer, "informer", "shared informers of each kind, from one factory", &[Lister]),
    (Columns, "columns", "the printer columns of each kind, as kubectl shows them", &[Types]),
    (Choices, "choices", "enums and constructors for mutually exclusive fields", &[Types]),
    (Conversion, "conversion", "traits for converting between the versions of a kind", &[Types]),
    (Schema, "schema", "`JsonSchema` of schemars for each type (only on request)", &[Resource]),
];

impl Emitter {
    /// Returns all emitters, in the order in which they run.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.0)
    }

    /// Returns the emitters of a list and those they need; all but `schema` for an empty list.
    pub fn with_needed(chosen: &[Self]) -> BTreeSet<Self> {
        let mut needed = BTreeSet::new();
        let mut todo = chosen.to_vec();
        if todo.is_empty() {
            todo.extend(Self::all().filter(|it| *it != Schema));
        }
        while let Some(emitter) = todo.pop() {
            if needed.insert(emitter) {
                todo.extend(emitter.row().3);
            }
        }
        needed
    }

    /// Returns the name in `--emit`.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Describes the output in one phrase.
    pub fn about(self) -> &'static str {
        self.row().2
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }
}

impl FromStr for Emitter {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let text = text.trim();
        let mut all = Self::all();
        all.find(|emitter| emitter.name() == text).ok_or_else(|| {
            let names: Vec<&str> = Self::all().map(Self::name).collect();
            let hint = match nearest(text, names.iter().copied()).as_slice() {
                [] => format!("the emitters are {}", names.join(", ")),
                near => format!("did you mean `{}`?", near.join("` or `")),
            };
            InvalidValue(format!("unknown emitter `{}`; {hint}", text.escape_debug()))
        })
    }
}

impl TryFrom<String> for Emitter {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl From<Emitter> for String {
    fn from(emitter: Emitter) -> Self {
        emitter.name().to_owned()
    }
}

impl fmt::Display for Emitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_emitters() {
        assert!(Emitter::all().is_sorted());
        for emitter in Emitter::all() {
            assert_eq!(emitter.row().0, emitter);
            assert_eq!(emitter.name().parse(), Ok(emitter));
        }
    }

    #[test]
    fn needed_emitters_run_too() {
        assert_eq!(Emitter::with_needed(&[Types]), [Types].into());
        assert_eq!(
            Emitter::with_needed(&[Informer]),
            [Types, Resource, Lister, Informer].into()
        );
        let default = Emitter::with_needed(&[]).into_iter();
        assert!(default.eq(Emitter::all().filter(|it| *it != Schema)));
    }

    #[test]
    fn an_unknown_emitter_is_an_error_with_a_suggestion() {
        let error = |text: &str| text.parse::<Emitter>().unwrap_err().to_string();
        assert_eq!(
            error("type"),
            "unknown emitter `type`; did you mean `types`?"
        );
        assert!(error("zzz").ends_with(
            "types, resource, client, lister, informer, columns, choices, conversion, schema"
        ));
    }
}
