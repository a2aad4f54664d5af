//! The diagnostics that are treated as errors.
use super::InvalidValue;
use crate::base::diag::{Code, Diagnostic, Diagnostics, Severity};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Diagnostics to treat as errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Deny {
    /// Every warning: `warnings`.
    Warnings,
    /// Every diagnostic with a code, whatever its severity: `KC0402`.
    Code(Code),
}

impl Deny {
    /// Returns whether a diagnostic is denied.
    pub fn denies(all: &[Self], diagnostic: &Diagnostic) -> bool {
        all.iter().any(|deny| match deny {
            Self::Warnings => diagnostic.severity == Severity::Warning,
            Self::Code(code) => *code == diagnostic.code,
        })
    }

    /// Returns whether a diagnostic makes a command fail: it is an error or denied.
    #[cfg(feature = "cli")]
    pub(crate) fn fails(all: &[Self], diagnostic: &Diagnostic) -> bool {
        diagnostic.severity == Severity::Error || Self::denies(all, diagnostic)
    }

    /// Returns how many of the diagnostics are denied.
    pub fn count(all: &[Self], diagnostics: &Diagnostics) -> usize {
        let diagnostics = diagnostics.iter();
        diagnostics.filter(|it| Self::denies(all, it)).count()
    }
}

impl FromStr for Deny {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let text = text.trim();
        if text == "warnings" {
            return Ok(Self::Warnings);
        }
        match Code::named(text) {
            Some(code) => Ok(Self::Code(code)),
            None => Err(InvalidValue(format!(
                "`{}` is neither `warnings` nor a diagnostic code",
                text.escape_debug()
            ))),
        }
    }
}

impl TryFrom<String> for Deny {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl From<Deny> for String {
    fn from(deny: Deny) -> Self {
        deny.to_string()
    }
}

impl fmt::Display for Deny {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warnings => "warnings",
            Self::Code(code) => code.as_str(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag::Place;

    #[test]
    fn warnings_and_codes_are_denied() {
        let mut diagnostics = Diagnostics::new();
        diagnostics.report(Code::RawJson, Place::nowhere(), "a warning");
        diagnostics
            .report(Code::PlainEnum, Place::nowhere(), "a note")
            .severity = Severity::Note;
        let code: Deny = "kc0403".parse().unwrap();
        assert_eq!(code, Deny::Code(Code::PlainEnum));
        assert_eq!(Deny::count(&[], &diagnostics), 0);
        assert_eq!(Deny::count(&[Deny::Warnings], &diagnostics), 1);
        assert_eq!(Deny::count(&[code], &diagnostics), 1);
        assert_eq!(Deny::count(&[code, Deny::Warnings, code], &diagnostics), 2);
        assert!("KC9999".parse::<Deny>().is_err());
        assert!("errors".parse::<Deny>().is_err());
    }
}
