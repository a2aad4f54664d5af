//! The settings of an informer.
use std::{collections::BTreeSet, time::Duration};

use thiserror::Error;

/// The settings of an informer: which objects it caches, and how it lists them.
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
/// Later versions may add fields, so end with `..InformerConfig::default()`, as above.
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
    /// The minimum duration of a watch request, in whole seconds. Each watch adds a random time of up to the same length, so that
    /// informers do not all reconnect at once.
    pub watch_timeout: Duration,
    /// Whether cached objects keep their `metadata.managedFields`, which often take as much memory as the rest of the object. With
    /// `false`, they are skipped while the object is decoded.
    pub keep_managed_fields: bool,
    /// Whether objects are cached as compressed JSON, which takes an eighth of the memory. Reading an object that was not used recently
    /// decodes it, which takes some microseconds per kilobyte: see
    /// [`InformerFactoryBuilder::compact`](super::InformerFactoryBuilder::compact).
    pub compact: bool,
    /// Whether to request lists with gzip compression, which are 20 times smaller and take less work to decrypt. Watches are never
    /// compressed: after a streaming list, the informer opens a separate watch.
    #[cfg(feature = "gzip")]
    pub gzip: bool,
    /// The name of the [member cluster](crate::clusters) that the objects belong to, for log lines, metrics and `/debug/informers`; `None`
    /// in a single-cluster operator.
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

/// The namespaces whose objects an informer caches. It lists and watches each of several namespaces separately, so a Role in each of them
/// is enough.
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
    /// All namespaces, with one list and watch.
    #[default]
    All,
    /// Only these namespaces.
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

/// How an informer requests its lists. The watch that follows is the same in all cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum InitialList {
    /// A streaming list (KEP-3157): the server sends the objects one by one from its watch cache, with constant memory on both sides.
    /// Servers without streaming lists fall back to [`InitialList::WatchCache`].
    #[default]
    Streaming,
    /// One LIST from the server's watch cache, never older than the state that the informer has already seen.
    WatchCache,
    /// The most recent state, in pages of this many objects. It is exact, but each page reads etcd.
    Paged(u32),
}
