//! The settings of an informer.
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Which objects an informer caches, and how it lists them.
///
/// ```
/// use kube_codegen_runtime::informer::{InformerConfig, InitialList};
///
/// let config = InformerConfig {
///     namespace: Some("default".into()),
///     initial_list: InitialList::Paged(500),
///     ..InformerConfig::default()
/// };
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InformerConfig {
    /// One namespace, or all. Ignored for cluster-scoped kinds.
    pub namespace: Option<String>,
    /// A label selector that the server evaluates (`app=web,tier!=cache`).
    pub label_selector: Option<String>,
    /// A field selector that the server evaluates (`metadata.name=a`); see the kind's selectable fields.
    pub field_selector: Option<String>,
    /// How lists are requested.
    pub initial_list: InitialList,
    /// Shortest duration of one watch request, in whole seconds. Each watch adds a random extra of up to the same duration, so that
    /// informers do not reconnect all at once.
    pub watch_timeout: Duration,
}

impl Default for InformerConfig {
    /// Everything in all namespaces, by streaming lists, with watches of 5 to 10 minutes as in client-go.
    fn default() -> Self {
        Self {
            namespace: None,
            label_selector: None,
            field_selector: None,
            initial_list: InitialList::default(),
            watch_timeout: Duration::from_secs(300),
        }
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

/// A transform that drops `metadata.managedFields`, which few controllers read and which often take half the memory of a small object.
pub fn strip_managed_fields(meta: &mut ObjectMeta) {
    meta.managed_fields = None;
}
