//! Keeps the certificate in use the one of the Secret, and the Secret's fresh.
use std::{
    fmt,
    sync::Arc,
    time::{Duration, SystemTime},
};

use kube::Client;
use parking_lot::RwLock;
use tokio_rustls::rustls::{
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use tracing::info;

use super::{CertificateError, Material, OwnCertificates, issue::next, secret::Store};
use crate::server::{policy, tls};

/// How often a write that another replica prevented is tried again.
const ATTEMPTS: usize = 10;

/// The certificate in use. A clone is a handle on the same.
#[derive(Clone, Default)]
pub(in crate::webhook) struct Loaded(Arc<RwLock<Option<Pair>>>);

/// A certificate, parsed and as PEM.
type Pair = (Arc<CertifiedKey>, Material);

impl Loaded {
    fn material(&self) -> Option<Material> {
        Some(self.0.read().as_ref()?.1.clone())
    }

    /// Fails unless there is a certificate that is valid at this moment.
    pub(in crate::webhook) fn check(&self) -> Result<(), String> {
        let material = self.material().ok_or("there is no certificate yet")?;
        match material.ends() {
            Some(ends) if SystemTime::now() < ends => Ok(()),
            _ => Err("the certificate has expired".to_owned()),
        }
    }

    fn load(&self, material: &Material) -> Result<(), CertificateError> {
        let (chain, key) = material.pair();
        let parsed = tls::parse(chain.as_bytes(), key.as_bytes(), &policy::provider());
        let parsed = parsed.map_err(|error| CertificateError::Issue(error.to_string()))?;
        *self.0.write() = Some((Arc::new(parsed), material.clone()));
        Ok(())
    }
}

impl ResolvesServerCert for Loaded {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0.read().as_ref()?.0))
    }
}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded").finish_non_exhaustive()
    }
}

/// Keeps the certificates of one operator.
pub(in crate::webhook) struct Keeper {
    store: Store,
    operator: String,
    names: Vec<String>,
    settings: OwnCertificates,
    loaded: Loaded,
}

impl Keeper {
    pub(in crate::webhook) fn new(
        client: &Client,
        operator: &str,
        names: Vec<String>,
        settings: OwnCertificates,
    ) -> Self {
        let namespace = settings.namespace.as_deref();
        let namespace = namespace.unwrap_or_else(|| client.default_namespace());
        let name = settings.secret.clone();
        let name = name.unwrap_or_else(|| format!("{operator}-webhook-cert"));
        Self {
            store: Store::new(client.clone(), namespace.to_owned(), name, operator),
            operator: operator.to_owned(),
            names,
            settings,
            loaded: Loaded::default(),
        }
    }

    pub(in crate::webhook) fn loaded(&self) -> Loaded {
        self.loaded.clone()
    }

    /// Reads the Secret, renews what is due, uses the certificate, and returns the CAs to publish.
    ///
    /// `published` are the CAs that were published last.
    pub(in crate::webhook) async fn step(
        &self,
        published: Option<&str>,
    ) -> Result<String, CertificateError> {
        let periods = &self.settings.periods;
        let mut attempt = 0;
        let material = loop {
            attempt += 1;
            let read = self.store.read().await?;
            // A Secret that was deleted is written again: clients trust its CA.
            let current = read.material.clone().or_else(|| self.loaded.material());
            let all = current
                .as_ref()
                .is_some_and(|one| published == Some(&one.bundle()));
            let now = SystemTime::now();
            let wanted = next(
                current.as_ref(),
                &self.operator,
                &self.names,
                periods,
                all,
                now,
            )?;
            if read.material.as_ref() == Some(&wanted) {
                break wanted;
            }
            if self.store.write(read, &wanted).await? {
                info!(secret = %self.store.name(), "renewed the certificates of the webhooks");
                break wanted;
            }
            if attempt == ATTEMPTS {
                return Err(CertificateError::Contended(self.store.name()));
            }
        };
        if self.loaded.material().as_ref() != Some(&material) {
            self.loaded.load(&material)?;
        }
        Ok(material.bundle())
    }

    /// Returns how long to wait for the next step.
    pub(in crate::webhook) fn pause(&self) -> Duration {
        let check = self.settings.periods.check();
        let due = self.loaded.material().and_then(|material| material.due());
        let due = due.and_then(|due| due.duration_since(SystemTime::now()).ok());
        due.filter(|due| !due.is_zero())
            .map_or(check, |due| due.min(check))
    }
}
