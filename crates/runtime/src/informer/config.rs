//! The settings of an informer.
use std::{collections::BTreeSet, time::Duration};

use thiserror::Error;

/// Which objects an informer caches, and how it lists them.
///
/// ```
/// use kube_codegen_runtime::informer::{InformerConfig, InitialList};
///
/// let config = InformerConfig {
///     namespaces: ["team-a", "team-b"].into(),
///     initial_list: InitialList::Paged(500),
///     ..InformerConfig::default()
/// };
/// ```
///
/// Later versions have more fields: end with `..InformerConfig::default()`, as above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InformerConfig {
    /// Some namespaces, or all. Ignored for cluster-scoped kinds.
    pub namespaces: Namespaces,
    /// A label selector that the server evaluates (`app=web,tier!=cache`).
    pub label_selector: Option<String>,
    /// A field selector that the server evaluates (`metadata.name=a`); see the kind's selectable fields.
    pub field_selector: Option<String>,
    /// How lists are requested.
    pub initial_list: InitialList,
    /// Shortest duration of one watch request, in whole seconds. Each watch adds a random extra of up to the same duration, so that
    /// informers do not reconnect all at once.
    pub watch_timeout: Duration,
    /// Whether the cached objects have their `metadata.managedFields`, which often take as much memory as the rest of the object. Without, they are
    /// skipped while the object is read.
    pub keep_managed_fields: bool,
    /// Whether the objects are cached as compressed JSON, which takes an eighth of the memory. A read of an object that is not in use decodes it, which takes some microseconds:
    /// see [`InformerFactoryBuilder::compact`](super::InformerFactoryBuilder::compact).
    pub compact: bool,
    /// Whether lists are requested in compressed form (gzip), which have a twentieth of the bytes, and are less work to decrypt. A watch is never compressed: after a streaming list,
    /// the informer opens another.
    #[cfg(feature = "gzip")]
    pub gzip: bool,
    /// The name of the [member cluster](crate::clusters) whose objects these are, in log lines, metrics and `/debug/informers`; `None` in an operator of
    /// one cluster.
    pub cluster: Option<String>,
}

impl Default for InformerConfig {
    /// Everything in all namespaces except managed fields, by streaming lists, with watches of 5 to 10 minutes as in client-go.
    fn default() -> Self {
        Self {
            namespaces: Namespaces::All,
            label_selector: None,
            field_selector: None,
            initial_list: InitialList::default(),
            watch_timeout: Duration::from_secs(300),
            keep_managed_fields: false,
            compact: false,
            #[cfg(feature = "gzip")]
            gzip: false,
            cluster: None,
        }
    }
}

/// The namespaces whose objects an informer caches. Each of several has a list and watch of its own, so that a Role in each of them suffices.
///
/// ```
/// use kube_codegen_runtime::informer::Namespaces;
///
/// assert_eq!(Namespaces::from(""), Namespaces::All, "as in client-go");
/// assert_eq!(Namespaces::from(["b", "a"]), Namespaces::from(vec!["a", "b"]));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Namespaces {
    /// Every namespace, by one list and watch.
    #[default]
    All,
    /// These namespaces.
    Only(BTreeSet<String>),
}

impl Namespaces {
    /// Fails if a name cannot be a namespace's.
    pub(super) fn check(&self) -> Result<(), InvalidNamespace> {
        match self {
            Self::All => Ok(()),
            Self::Only(names) => names.iter().try_for_each(|name| check_namespace(name)),
        }
    }
}

impl From<&str> for Namespaces {
    fn from(name: &str) -> Self {
        [name].into()
    }
}

impl From<String> for Namespaces {
    fn from(name: String) -> Self {
        [name].into()
    }
}

impl<S: Into<String>, const N: usize> From<[S; N]> for Namespaces {
    fn from(names: [S; N]) -> Self {
        names.into_iter().collect()
    }
}

impl<S: Into<String>> From<Vec<S>> for Namespaces {
    fn from(names: Vec<S>) -> Self {
        names.into_iter().collect()
    }
}

impl<S: Into<String>> FromIterator<S> for Namespaces {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        let names: BTreeSet<String> = names.into_iter().map(Into::into).collect();
        if names.contains("") {
            Self::All
        } else {
            Self::Only(names)
        }
    }
}

/// A text that cannot be the name of a namespace.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{0:?} is not a valid namespace: it must have 1 to 63 lower-case letters, digits and hyphens, and begin and end with a letter or digit"
)]
pub struct InvalidNamespace(pub String);

/// Checks that `name` is a DNS label, as the API server does.
pub(super) fn check_namespace(name: &str) -> Result<(), InvalidNamespace> {
    let is_allowed = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    let is_label = (1..=63).contains(&name.len())
        && name.bytes().all(is_allowed)
        && !name.starts_with('-')
        && !name.ends_with('-');
    if is_label {
        Ok(())
    } else {
        Err(InvalidNamespace(name.to_owned()))
    }
}

/// How an informer lists. The same watch follows each of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum InitialList {
    /// A streaming list (KEP-3157): the server sends the objects one by one from its watch cache, with constant memory on both sides.
    /// Falls back to [`InitialList::WatchCache`] on a server without streaming lists.
    #[default]
    Streaming,
    /// One LIST from the server's watch cache, never older than what the informer has already seen.
    WatchCache,
    /// The most recent state in pages of this many objects: exact, but each page reads etcd.
    Paged(u32),
}
