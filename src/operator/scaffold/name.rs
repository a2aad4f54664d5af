//! Validates package names.
use std::{fmt, str::FromStr};

/// A name that is valid as a cargo package, a directory and a Kubernetes object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PackageName(String);

/// Names that cargo rejects, or that conflict with a dependency.
const RESERVED: &[&str] = &[
    "alloc",
    "clap",
    "core",
    "futures",
    "kube",
    "kube-codegen",
    "kube-codegen-record",
    "kube-codegen-runtime",
    "kube-codegen-simulation",
    "kube-codegen-testing",
    "k8s-openapi",
    "proc-macro",
    "serde-json",
    "std",
    "test",
    "thiserror",
    "tokio",
    "tracing",
    "tracing-subscriber",
    "humantime",
    "build",
    "deps",
    "examples",
    "incremental",
    "nul",
    "con",
    "aux",
    "prn",
];

impl PackageName {
    /// Returns the name.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name of the crate in Rust code.
    pub(crate) fn ident(&self) -> String {
        self.0.replace('-', "_")
    }
}

impl FromStr for PackageName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let invalid = |why: &str| {
            Err(format!(
                "`{}` is not a valid package name: {why}",
                name.escape_debug()
            ))
        };
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
            return invalid("it must start with a lowercase letter");
        }
        if name.contains('_') {
            let hint = name.replace('_', "-");
            return invalid(&format!(
                "Kubernetes does not allow underscores in names; use `{}`",
                hint.escape_debug()
            ));
        }
        if !name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
            || name.ends_with('-')
        {
            return invalid(
                "only lowercase letters, digits and single dashes between them are allowed",
            );
        }
        if name.contains("--") {
            return invalid("it contains two dashes in a row");
        }
        if name.len() > 63 {
            return invalid("it is longer than 63 characters");
        }
        if RESERVED.contains(&name) {
            return invalid("it is reserved for a dependency or by cargo");
        }
        if syn::parse_str::<syn::Ident>(&name.replace('-', "_")).is_err() {
            return invalid("it is a Rust keyword");
        }
        Ok(Self(name.to_owned()))
    }
}

impl fmt::Display for PackageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_valid_in_cargo_and_in_kubernetes() {
        for good in ["crdkind-operator", "a", "x2"] {
            assert_eq!(good.parse::<PackageName>().unwrap().as_str(), good);
        }
        for bad in [
            "",
            "-a",
            "a-",
            "2x",
            "A",
            "a_b",
            "a--b",
            "../x",
            "a/b",
            "a b",
            "a\nb",
            "é",
            "fn",
            "tokio",
            "test",
            &"a".repeat(64),
        ] {
            assert!(bad.parse::<PackageName>().is_err(), "{bad:?}");
        }
    }
}
