//! Label selectors: the text form of `kubectl -l` comes in, a predicate over labels goes out. Semantics are those of apimachinery's `labels` package.
mod parse;

pub use parse::ParseSelectorError;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// A conjunction of requirements on an object's labels; without any it matches everything.
///
/// ```
/// use kube_codegen_runtime::lister::Selector;
/// let selector: Selector = "app=web, tier in (front, back), !legacy".parse()?;
/// assert!(!selector.matches(None));
/// assert_eq!(selector.to_string(), "app=web,tier in (back,front),!legacy");
/// # Ok::<(), kube_codegen_runtime::lister::ParseSelectorError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    requirements: Vec<Requirement>,
}

/// What one label must be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// The label exists.
    Exists(String),
    /// The label does not exist.
    DoesNotExist(String),
    /// The label has this value.
    Equals(String, String),
    /// The label has another value, or does not exist.
    NotEquals(String, String),
    /// The label has one of these values.
    In(String, BTreeSet<String>),
    /// The label has none of these values, or does not exist.
    NotIn(String, BTreeSet<String>),
    /// The label is an integer above this one.
    GreaterThan(String, i64),
    /// The label is an integer below this one.
    LessThan(String, i64),
}

impl Selector {
    /// Matches everything.
    pub fn everything() -> Self {
        Self::default()
    }

    /// The requirements, all of which must hold.
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }

    /// Whether an object with these labels is selected. No labels at all are the same as an empty map.
    pub fn matches(&self, labels: Option<&BTreeMap<String, String>>) -> bool {
        self.requirements
            .iter()
            .all(|requirement| requirement.matches(labels))
    }
}

impl Requirement {
    /// Whether the requirement holds for an object with these labels.
    pub fn matches(&self, labels: Option<&BTreeMap<String, String>>) -> bool {
        let value = |key: &String| labels.and_then(|labels| labels.get(key));
        let number = |key: &String| value(key).and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::Exists(key) => value(key).is_some(),
            Self::DoesNotExist(key) => value(key).is_none(),
            Self::Equals(key, wanted) => value(key) == Some(wanted),
            Self::NotEquals(key, refused) => value(key) != Some(refused),
            Self::In(key, wanted) => value(key).is_some_and(|value| wanted.contains(value)),
            Self::NotIn(key, refused) => value(key).is_none_or(|value| !refused.contains(value)),
            Self::GreaterThan(key, limit) => number(key).is_some_and(|number| number > *limit),
            Self::LessThan(key, limit) => number(key).is_some_and(|number| number < *limit),
        }
    }
}

impl FromIterator<Requirement> for Selector {
    fn from_iter<I: IntoIterator<Item = Requirement>>(requirements: I) -> Self {
        Self {
            requirements: requirements.into_iter().collect(),
        }
    }
}

impl From<&BTreeMap<String, String>> for Selector {
    /// Matches objects that have all of these labels.
    fn from(labels: &BTreeMap<String, String>) -> Self {
        labels
            .iter()
            .map(|(key, value)| Requirement::Equals(key.clone(), value.clone()))
            .collect()
    }
}

impl TryFrom<&LabelSelector> for Selector {
    type Error = ParseSelectorError;

    /// The selector of a Deployment, Service policy and the like. An operator that Kubernetes does not know is an error.
    fn try_from(selector: &LabelSelector) -> Result<Self, ParseSelectorError> {
        let mut requirements = selector
            .match_labels
            .as_ref()
            .map(Self::from)
            .unwrap_or_default()
            .requirements;
        for expression in selector.match_expressions.iter().flatten() {
            let key = expression.key.clone();
            let values = || {
                expression
                    .values
                    .iter()
                    .flatten()
                    .cloned()
                    .collect::<BTreeSet<_>>()
            };
            requirements.push(match expression.operator.as_str() {
                "In" => Requirement::In(key, values()),
                "NotIn" => Requirement::NotIn(key, values()),
                "Exists" => Requirement::Exists(key),
                "DoesNotExist" => Requirement::DoesNotExist(key),
                other => return Err(ParseSelectorError::operator(other)),
            });
        }
        Ok(Self { requirements })
    }
}

impl fmt::Display for Selector {
    /// The form that the API server's `labelSelector` parameter takes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, requirement) in self.requirements.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            requirement.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |values: &BTreeSet<String>| {
            values
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(",")
        };
        match self {
            Self::Exists(key) => f.write_str(key),
            Self::DoesNotExist(key) => write!(f, "!{key}"),
            Self::Equals(key, value) => write!(f, "{key}={value}"),
            Self::NotEquals(key, value) => write!(f, "{key}!={value}"),
            Self::In(key, values) => write!(f, "{key} in ({})", list(values)),
            Self::NotIn(key, values) => write!(f, "{key} notin ({})", list(values)),
            Self::GreaterThan(key, limit) => write!(f, "{key}>{limit}"),
            Self::LessThan(key, limit) => write!(f, "{key}<{limit}"),
        }
    }
}
