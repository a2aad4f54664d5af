//! In: requests of the program under test. Out: the API server's answers, or what the rules make of them. Never a change of a request.

mod fault;
mod forward;
mod rule;
mod transform;

use std::{
    net::Ipv4Addr,
    path::{Path, PathBuf},
    sync::Arc,
};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use kube::Client;
use rcgen::{Certificate, KeyPair};
use tokio::{
    net::TcpListener,
    task::{AbortHandle, JoinSet},
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring, pki_types::PrivatePkcs8KeyDer},
};

pub use self::{
    fault::Fault,
    rule::{Rule, RuleHandle, Seen},
};
use self::{forward::Upstream, rule::Rules};
use crate::{
    access::Access,
    error::Error,
    identity::Identity,
    kubeconfig::{with_token, without_retry},
    reaper::Reaper,
};

/// An HTTPS proxy on 127.0.0.1 before the API server. Without rules it changes nothing. It ends when it is dropped, or with
/// the async runtime it was made on.
pub struct Proxy {
    access: Access,
    admin: kube::Config,
    rules: Arc<Rules>,
    accepting: AbortHandle,
}

impl Proxy {
    pub(crate) async fn start(admin: &kube::Config, reaper: &Arc<Reaper>) -> Result<Self, Error> {
        let failed = || Error::io("proxy's port");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .map_err(failed())?;
        let address = listener.local_addr().map_err(failed())?;
        let url = format!("https://{address}")
            .parse()
            .map_err(|_| failed()(std::io::ErrorKind::InvalidInput.into()))?;
        // Whoever shows this token gets the administrator's rights; other tokens are handed on.
        let identity = Identity::new()?;
        let mut config = kube::Config::new(url);
        config.root_cert = Some(vec![identity.ca_der]);
        let access = Access::of_config(with_token(&config, &identity.token)?, reaper)?;
        let tls = tls(&identity.server_certificate, &identity.server_key)?;
        let rules = Arc::new(Rules::default());
        let upstream = Arc::new(Upstream::new(admin, &identity.token, Arc::clone(&rules))?);
        let accepting = tokio::spawn(accept(listener, tls, upstream)).abort_handle();
        Ok(Self {
            access,
            admin: admin.clone(),
            rules,
            accepting,
        })
    }

    /// A client with all rights that goes through the proxy. It does not repeat what was refused: faults are seen as they are.
    pub fn client(&self) -> Result<Client, Error> {
        Ok(Client::try_from(self.config())?)
    }

    /// The configuration of [`Proxy::client`].
    pub fn config(&self) -> kube::Config {
        without_retry(&self.access.config)
    }

    /// A kubeconfig with all rights that goes through the proxy.
    pub fn kubeconfig(&self) -> &Path {
        &self.access.kubeconfig
    }

    /// As [`crate::ControlPlane::kubeconfig_for`], through the proxy.
    pub async fn kubeconfig_for(
        &self,
        namespace: &str,
        service_account: &str,
    ) -> Result<PathBuf, Error> {
        // The token itself is not asked for through the proxy, whose rules are for the program under test.
        let admin = Client::try_from(self.admin.clone())?;
        self.access
            .kubeconfig_for(&admin, namespace, service_account)
            .await
    }

    /// Adds a rule; of several that match a request the one added first is applied.
    pub fn add(&self, rule: Rule) -> RuleHandle {
        self.rules.add(rule)
    }

    /// Breaks the answers that are under way to requests that `rule` matches, watches above all, whatever its fault; says how many.
    pub fn cut(&self, rule: &Rule) -> usize {
        self.rules.cut(rule)
    }

    /// All requests so far, in the order of their arrival.
    pub fn requests(&self) -> Vec<Seen> {
        self.rules.seen()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// TLS, for clients of the Go library show no token without it.
fn tls(certificate: &Certificate, key: &KeyPair) -> Result<TlsAcceptor, Error> {
    let key = PrivatePkcs8KeyDer::from(key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|config| {
            config
                .with_no_client_auth()
                .with_single_cert(vec![certificate.der().clone()], key.into())
        })
        .map_err(|e| Error::io("proxy's certificate")(std::io::Error::other(e)))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Serves until it is aborted, which ends all connections with it.
async fn accept(listener: TcpListener, tls: TlsAcceptor, upstream: Arc<Upstream>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => {
                // A connection that is gone before it was accepted is its client's loss alone.
                let Ok((stream, _)) = accepted else { continue };
                let (tls, upstream) = (tls.clone(), Arc::clone(&upstream));
                connections.spawn(async move {
                    let Ok(stream) = tls.accept(stream).await else { return };
                    let service = service_fn(|request| Arc::clone(&upstream).answer(request));
                    // Its error is the client's going, or a fault that was asked for.
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                });
            }
        }
    }
}
