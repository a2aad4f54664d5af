//! The diagnostics that are left out.
use super::{Deny, InvalidValue};
use crate::base::diag::{Diagnostic, Diagnostics, Severity};
use crate::base::source::{self, Source};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Warnings and notes to leave out: those of a code, or `warnings` for all warnings, of all inputs or of some files. Errors remain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub struct Allow {
    /// What is left out.
    pub what: Deny,
    /// A glob pattern of a file's path or its end; all inputs without one.
    pub files: Option<String>,
}

impl Allow {
    /// Leaves out what is allowed.
    pub(crate) fn apply(all: &[Self], sources: &[Source], diagnostics: &mut Diagnostics) {
        diagnostics.retain(|it| !Self::allows(all, it, sources));
    }

    /// Returns whether a diagnostic is left out.
    pub fn allows(all: &[Self], diagnostic: &Diagnostic, sources: &[Source]) -> bool {
        let source = || diagnostic.place.source?.of(sources);
        let is_of = |pattern: &str| {
            let path = source().and_then(|source| source.path.as_deref());
            path.is_some_and(|path| source::matches(pattern, path))
        };
        diagnostic.severity < Severity::Error
            && all.iter().any(|allow| {
                Deny::denies(&[allow.what], diagnostic) && allow.files.as_deref().is_none_or(is_of)
            })
    }
}

impl FromStr for Allow {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let (what, files) = match text.split_once('=') {
            Some((what, files)) => (what, Some(files.trim().to_owned())),
            None => (text, None),
        };
        if let Some(pattern) = &files
            && let Err(why) = glob::Pattern::new(pattern)
        {
            let pattern = pattern.escape_debug();
            return Err(InvalidValue(format!("`{pattern}` is no pattern: {why}")));
        }
        Ok(Self {
            what: what.parse()?,
            files,
        })
    }
}

impl TryFrom<String> for Allow {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl From<Allow> for String {
    fn from(allow: Allow) -> Self {
        allow.to_string()
    }
}

impl fmt::Display for Allow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.what.fmt(f)?;
        match &self.files {
            Some(files) => write!(f, "={files}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag::{Code, Place};
    use crate::base::source::SourceId;

    #[test]
    fn warnings_of_some_files_are_left_out() {
        let sources =
            ["crds/own.yaml", "crds/foreign/theirs.yaml"].map(|path| Source::file(path, ""));
        let mut diagnostics = Diagnostics::new();
        for id in [0, 1] {
            for code in [Code::RawJson, Code::PlainEnum, Code::MissingField] {
                let place = Place {
                    source: Some(SourceId(id)),
                    ..Place::default()
                };
                diagnostics.report(code, place, "");
            }
        }
        let left = |allowed: &[&str]| {
            let all: Vec<Allow> = allowed.iter().map(|it| it.parse().unwrap()).collect();
            let left = diagnostics.iter();
            left.filter(|it| !Allow::allows(&all, it, &sources)).count()
        };
        assert_eq!(left(&[]), 6);
        assert_eq!(left(&["KC0401"]), 4);
        assert_eq!(left(&["warnings"]), 2);
        assert_eq!(left(&["warnings=crds/foreign"]), 4);
        assert_eq!(left(&["KC0401=foreign/*.yaml", "403=own.yaml"]), 4);
        assert_eq!(left(&["KC0201"]), 6);
        assert_eq!(left(&["warnings=other"]), 6);
        for wrong in ["errors", "KC0401=[", "=crds"] {
            assert!(wrong.parse::<Allow>().is_err(), "{wrong}");
        }
        let text = "KC0401=crds/*.yaml";
        assert_eq!(text.parse::<Allow>().unwrap().to_string(), text);
    }
}
