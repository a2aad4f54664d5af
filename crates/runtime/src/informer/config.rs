//! What an informer asks the API server for.
use std::time::Duration;

/// Which objects an informer holds, and how it lists them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InformerConfig {
    /// One namespace, or all. Does not matter for cluster-scoped kinds.
    pub namespace: Option<String>,
    /// Only objects whose labels the server finds matching.
    pub label_selector: Option<String>,
    /// Only objects whose fields the server finds matching; see the kind's selectable fields.
    pub field_selector: Option<String>,
    /// How the first list, and any later one, is asked for.
    pub initial_list: InitialList,
    /// How long one watch request may last, in whole seconds. Each informer adds up to as much again, so that many of them do not return at once.
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

/// Ways to list. All of them end in the same watch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitialList {
    /// A streaming list (KEP-3157): objects come one by one from the server's watch cache, at flat memory on either side.
    /// Falls back to [`InitialList::WatchCache`] on a server that does not offer it.
    #[default]
    Streaming,
    /// One LIST answered from the server's watch cache, never older than what the informer has already seen.
    WatchCache,
    /// The most recent state in pages of this many objects: exact at the price of a read of etcd per page.
    Paged(u32),
}
