//! An HTTPS proxy in front of the API server that injects faults into responses.

mod connection;
mod fault;
mod forward;
mod rule;
mod transform;

use std::{
    net::Ipv4Addr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use kube::Client;
use rcgen::{Certificate, KeyPair};
use tokio::{
    net::TcpListener,
    task::{AbortHandle, JoinSet},
    time::sleep,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring, pki_types::PrivatePkcs8KeyDer},
};

use self::{
    connection::Connection,
    forward::Upstream,
    rule::{Rules, Signal},
};
pub use self::{
    fault::Fault,
    rule::{RecordedRequest, Rule, RuleHandle},
};
use crate::{
    access::Access,
    error::Error,
    identity::Identity,
    kubeconfig::{with_token, without_retry},
    reaper::Reaper,
};

/// An HTTPS proxy on 127.0.0.1 in front of the API server. Without rules it changes nothing. It ends when it is dropped, or with
/// its async runtime.
///
/// ```no_run
/// # use kube_codegen_testenv::{ControlPlane, Error, Fault, Rule};
/// # async fn faults(plane: &ControlPlane) -> Result<(), Error> {
/// let proxy = plane.proxy().await?;
/// let rule = proxy.add(Rule::new(Fault::Garble).watch(true).times(1));
/// // ... run the operator with `proxy.kubeconfig()` ...
/// assert_eq!(rule.hits(), 1);
/// # Ok(()) }
/// ```
pub struct Proxy {
    access: Access,
    admin: kube::Config,
    rules: Arc<Rules>,
    reaper: Arc<Reaper>,
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
        // This token gives the administrator's rights; other tokens are forwarded.
        let identity = Identity::new()?;
        let mut config = kube::Config::new(url);
        config.root_cert = Some(vec![identity.ca_der]);
        let access = Access::from_config(with_token(&config, &identity.token)?, reaper)?;
        let tls = tls(&identity.server_certificate, &identity.server_key)?;
        let rules = Arc::new(Rules::default());
        let upstream = Arc::new(Upstream::new(
            admin,
            &identity.token,
            Arc::clone(&rules),
            Arc::clone(reaper),
        )?);
        let accepting = tokio::spawn(accept(listener, tls, upstream)).abort_handle();
        Ok(Self {
            access,
            admin: admin.clone(),
            rules,
            reaper: Arc::clone(reaper),
            accepting,
        })
    }

    /// Returns a client with all rights that uses the proxy. It does not retry, so that faults are visible.
    pub fn client(&self) -> Result<Client, Error> {
        Ok(Client::try_from(self.config())?)
    }

    /// Returns the configuration of [`Proxy::client`].
    pub fn config(&self) -> kube::Config {
        without_retry(&self.access.config)
    }

    /// Returns a kubeconfig with all rights that uses the proxy.
    pub fn kubeconfig(&self) -> &Path {
        &self.access.kubeconfig
    }

    /// Does what [`crate::ControlPlane::kubeconfig_for`] does, for the proxy.
    pub async fn kubeconfig_for(
        &self,
        namespace: &str,
        service_account: &str,
    ) -> Result<PathBuf, Error> {
        // The token is requested directly, since rules are for the program under test.
        let admin = Client::try_from(self.admin.clone())?;
        self.access
            .kubeconfig_for(&admin, namespace, service_account)
            .await
    }

    /// Adds a rule. If several rules match a request, the one added first applies.
    pub fn add(&self, rule: Rule) -> RuleHandle {
        self.rules.add(rule)
    }

    /// Breaks the open responses, such as watches, to requests that `rule` matches, whatever its fault; returns their number.
    pub fn cut(&self, rule: &Rule) -> usize {
        self.signal(rule, Signal::Cut)
    }

    /// Does to the open responses that `rule` matches what [`Fault::BlackHole`] does; returns their number.
    pub fn black_hole(&self, rule: &Rule) -> usize {
        self.signal(rule, Signal::BlackHole)
    }

    fn signal(&self, rule: &Rule, signal: Signal) -> usize {
        let count = self.rules.signal(rule, signal);
        let text = format!("{signal:?}: {count} open responses");
        self.reaper.recording().fault(text);
        count
    }

    /// Expires every bearer token that a client has sent so far: requests with it get 401, open responses go on. A client that reads its
    /// token again, as from a projected volume, recovers. Returns the number of tokens.
    pub fn expire_tokens(&self) -> usize {
        let count = self.rules.expire_tokens();
        self.reaper
            .recording()
            .fault(format!("{count} tokens expire"));
        count
    }

    /// Returns all requests so far, in the order of arrival.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.rules.requests()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Sets up TLS, without which Go clients send no token.
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

/// Serves until it is aborted, which closes all connections.
async fn accept(listener: TcpListener, tls: TlsAcceptor, upstream: Arc<Upstream>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else {
                    // The client has already disconnected, or too many files are open: another attempt at once would fail as well.
                    sleep(Duration::from_millis(10)).await;
                    continue;
                };
                let (tls, upstream) = (tls.clone(), Arc::clone(&upstream));
                let connection = Connection::new(&stream);
                connections.spawn(async move {
                    let Ok(stream) = tls.accept(stream).await else { return };
                    let service = service_fn(|request| Arc::clone(&upstream).answer(request, connection.clone()));
                    // The error is a disconnected client or an injected fault.
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                });
            }
        }
    }
}
