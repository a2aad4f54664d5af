//! The name of a package: checked once, safe as a path, a Rust crate and a Kubernetes name from then on.
use std::fmt;
use std::str::FromStr;

/// A name that cargo takes for a package and Kubernetes for a Deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageName(String);

/// Names that cargo refuses for a package, or that shadow what the crate depends on.
const RESERVED: &[&str] = &[
    "alloc",
    "clap",
    "core",
    "futures",
    "kube",
    "kube-codegen",
    "kube-codegen-record",
    "kube-codegen-runtime",
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
    /// The name as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of the library in Rust code.
    pub fn ident(&self) -> String {
        self.0.replace('-', "_")
    }
}

impl FromStr for PackageName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let refused = |why: &str| {
            Err(format!(
                "`{}` is no name for a package: {why}",
                name.escape_debug()
            ))
        };
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
            return refused("it begins with a letter from a to z");
        }
        if !name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
            || name.ends_with('-')
        {
            return refused("it is made of a to z, 0 to 9 and single dashes between them");
        }
        if name.contains("--") {
            return refused("it has two dashes in a row");
        }
        if name.len() > 63 {
            return refused("it is longer than 63 characters");
        }
        if RESERVED.contains(&name) {
            return refused("it is the name of a crate, or of a folder, that is needed");
        }
        if syn::parse_str::<syn::Ident>(&name.replace('-', "_")).is_err() {
            return refused("it is a keyword of Rust");
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
    fn is_a_package_and_a_kubernetes_name() {
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
