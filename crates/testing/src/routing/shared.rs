//! What all handles of a server share.

use std::{
    fmt,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use tokio::task::AbortHandle;

use crate::{
    auth::Auth,
    kinds::store::{Backend, Store},
    record::Record,
    storage::lock,
};

/// The state of a server.
pub(crate) struct Shared {
    pub(crate) backend: Arc<Backend>,
    pub(crate) record: Arc<Record>,
    pub(crate) auth: Mutex<Auth>,
    pub(crate) settings: Mutex<Settings>,
}

#[derive(Default)]
pub(crate) struct Settings {
    pub(crate) expired_as_410: bool,
    pub(crate) listener: Option<Listener>,
}

/// Where a server listens.
#[derive(Clone, Debug)]
pub(crate) struct Listener {
    pub(crate) address: SocketAddr,
    /// The certificate authority (PEM) of HTTPS; without it, the server speaks plain HTTP.
    pub(crate) authority: Option<String>,
    pub(crate) task: AbortHandle,
}

impl Shared {
    pub(crate) fn new(store: Store) -> Self {
        Self {
            backend: Arc::new(Backend::new(store)),
            record: Arc::default(),
            auth: Mutex::default(),
            settings: Mutex::default(),
        }
    }
}

/// Without tokens, and without objects, which may be Secrets.
impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(listener) = &lock(&self.settings).listener {
            listener.task.abort();
        }
    }
}
