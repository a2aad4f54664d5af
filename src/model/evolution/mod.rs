//! Compares the schemas of two versions, path by path, for `kube-codegen diff` and for generated conversions.
mod compare;
mod diff;
mod evidence;
mod names;
mod pairs;
pub(crate) mod priority;
mod shape;
mod walk;

use std::fmt;

use crate::input::path::SchemaPath;

#[cfg(feature = "cli")]
pub(crate) use compare::{RULES, differs};
pub(crate) use diff::diff;
#[cfg(feature = "cli")]
pub(crate) use diff::diff_releases;
pub(crate) use shape::{at, parse_path, same_items};

/// A difference between two versions at one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// What happened.
    pub(crate) class: Class,
    /// The path in the first version, if it has one.
    pub(crate) from: Option<SchemaPath>,
    /// The path in the second version, if it has one.
    pub(crate) to: Option<SchemaPath>,
    /// What differs, such as `maximum: 10, then 100`.
    pub(crate) details: Vec<String>,
}

/// What happened at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Class {
    /// The same schema is at another path, under the same name.
    Moved,
    /// The same schema has another name.
    Renamed,
    /// A declared pair of paths.
    Declared,
    /// The second version accepts more values.
    Widened,
    /// The second version accepts fewer values.
    Narrowed,
    /// Each version accepts values that the other does not.
    Changed,
    /// The type is another one, and neither includes the other.
    Retyped,
    /// Null is no longer a value.
    NotNullable,
    /// Null is a new value.
    Nullable,
    /// Unknown fields are no longer preserved.
    Pruned,
    /// Unknown fields are now preserved.
    Preserved,
    /// The second version requires the field and has no default for it.
    NowRequired,
    /// Only the first version requires the field without a default for it.
    NowOptional,
    /// Only the second version has the path.
    Added,
    /// Only the first version has the path.
    Removed,
    /// An object that only the second version has, around paths that moved.
    AddedAround,
    /// An object that only the first version has, around paths that moved.
    RemovedAround,
    /// The default is another one.
    Default,
    /// Validation rules, combinators or list types differ.
    Rules,
}

impl Class {
    /// Returns the name of the class in text and JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Moved => "moved",
            Self::Renamed => "renamed",
            Self::Declared => "declared",
            Self::Widened => "widened",
            Self::Narrowed => "narrowed",
            Self::Changed => "changed",
            Self::Retyped => "type changed",
            Self::NotNullable => "no longer nullable",
            Self::Nullable => "now nullable",
            Self::Pruned => "unknown fields pruned",
            Self::Preserved => "unknown fields preserved",
            Self::NowRequired => "now required",
            Self::NowOptional => "now optional",
            Self::Added => "added",
            Self::Removed => "removed",
            Self::AddedAround => "added around moved fields",
            Self::RemovedAround => "removed around moved fields",
            Self::Default => "default changed",
            Self::Rules => "rules changed",
        }
    }

    /// Returns whether a conversion of objects needs a decision of the user.
    pub(crate) fn needs_decision(self) -> bool {
        match self {
            Self::Moved
            | Self::Renamed
            | Self::Widened
            | Self::Narrowed
            | Self::Changed
            | Self::Retyped
            | Self::NowRequired
            | Self::NowOptional
            | Self::Added
            | Self::Removed => true,
            Self::Declared
            | Self::NotNullable
            | Self::Nullable
            | Self::Pruned
            | Self::Preserved
            | Self::AddedAround
            | Self::RemovedAround
            | Self::Default
            | Self::Rules => false,
        }
    }
}

impl Change {
    /// Returns the path in either version, the first one's if both have one.
    pub(crate) fn path(&self) -> SchemaPath {
        let path = self.from.as_ref().or(self.to.as_ref());
        path.cloned().unwrap_or_default()
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path())?;
        if let (Some(from), Some(to)) = (&self.from, &self.to)
            && from != to
        {
            write!(f, " -> {to}")?;
        }
        write!(f, ": {}", self.class.name())?;
        if !self.details.is_empty() {
            write!(f, " ({})", self.details.join("; "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
