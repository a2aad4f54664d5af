//! The Kubernetes versions that k8s-openapi can be built for.
use super::InvalidValue;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A Kubernetes version that k8s-openapi has a cargo feature for.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Kubernetes {
    /// 1.33
    #[default]
    V1_33,
    /// 1.34
    V1_34,
    /// 1.35
    V1_35,
    /// 1.36
    V1_36,
    /// 1.37
    V1_37,
}

impl Kubernetes {
    /// All versions, oldest first. After a change, regenerate the table of reusable types: `cargo xtask known-types`.
    pub const ALL: [Self; 5] = [
        Self::V1_33,
        Self::V1_34,
        Self::V1_35,
        Self::V1_36,
        Self::V1_37,
    ];

    /// Returns the version as Kubernetes writes it: `1.33`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V1_33 => "1.33",
            Self::V1_34 => "1.34",
            Self::V1_35 => "1.35",
            Self::V1_36 => "1.36",
            Self::V1_37 => "1.37",
        }
    }

    /// Returns the feature of k8s-openapi that selects it: `v1_33`.
    pub fn feature(self) -> String {
        format!("v{}", self.as_str().replace('.', "_"))
    }

    /// Returns the previous version; `None` for the oldest.
    pub fn before(self) -> Option<Self> {
        Self::ALL.into_iter().rfind(|it| *it < self)
    }
}

impl FromStr for Kubernetes {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        // `kubectl version` prints v1.35.2.
        let version = text.trim();
        let version = version.strip_prefix('v').unwrap_or(version);
        let is_patch = |rest: &str| {
            let patch = rest.strip_prefix('.');
            rest.is_empty() || patch.is_some_and(|it| it.parse::<u16>().is_ok())
        };
        let mut all = Self::ALL.into_iter();
        all.find(|it| version.strip_prefix(it.as_str()).is_some_and(is_patch))
            .ok_or_else(|| {
                InvalidValue(format!(
                    "k8s-openapi does not support Kubernetes `{}`; the supported versions are {}",
                    text.escape_debug(),
                    Self::ALL.map(Self::as_str).join(", ")
                ))
            })
    }
}

impl TryFrom<String> for Kubernetes {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl From<Kubernetes> for String {
    fn from(version: Kubernetes) -> Self {
        version.to_string()
    }
}

impl fmt::Display for Kubernetes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Kubernetes;

    #[test]
    fn versions_parse_and_are_sorted() {
        for version in Kubernetes::ALL {
            assert_eq!(version.to_string().parse(), Ok(version));
        }
        for text in ["v1.35", "1.35.2", "v1.35.0", " 1.35 "] {
            assert_eq!(text.parse(), Ok(Kubernetes::V1_35), "{text}");
        }
        assert!(Kubernetes::ALL.is_sorted());
        assert_eq!(Kubernetes::ALL.first(), Some(&Kubernetes::default()));
        assert_eq!(Kubernetes::V1_33.before(), None);
        assert_eq!(Kubernetes::V1_35.before(), Some(Kubernetes::V1_34));
        assert_eq!(Kubernetes::V1_35.feature(), "v1_35");
    }

    #[test]
    fn an_unsupported_version_is_an_error_with_the_supported_ones() {
        for text in [
            "1.32", "1.3", "1.333", "1.33.", "1.33.x", "vv1.33", "", "latest",
        ] {
            let error = text.parse::<Kubernetes>().unwrap_err().to_string();
            assert!(error.contains(&format!("Kubernetes `{text}`;")), "{error}");
            assert!(error.ends_with("1.33, 1.34, 1.35, 1.36, 1.37"), "{error}");
        }
    }
}
