//! An HTTPS proxy in front of the API server that injects faults into responses.

mod connection;
mod fault;
mod forward;
mod rule;
mod transform;

use std::{
    io,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use http::Request;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use kube::Client;
use rcgen::{Certificate, KeyPair};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    task::{AbortHandle, JoinSet},
    time::{sleep, timeout},
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring, pki_types::PrivatePkcs8KeyDer},
};

use self::{
    connection::Connection,
    forward::{Answer, Upstream},
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

/// How long a client may take for a TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long a client may take for the head of a request, including the pause before it. Clients close their idle connections after 90
/// seconds; a shorter limit would break requests that no rule breaks.
const HEAD: Duration = Duration::from_secs(120);

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
                    let answer = |request| Arc::clone(&upstream).answer(request, connection.clone());
                    serve(stream, &tls, answer).await;
                });
            }
        }
    }
}

/// Serves one connection, unless its client takes too long to say what it wants.
async fn serve<F>(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    tls: &TlsAcceptor,
    answer: impl Fn(Request<Incoming>) -> F,
) where
    F: Future<Output = io::Result<Answer>>,
{
    let Ok(Ok(stream)) = timeout(HANDSHAKE, tls.accept(stream)).await else {
        return;
    };
    // The error is a disconnected client or an injected fault.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), service_fn(answer))
        .await;
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::Response;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex},
        time::Instant,
    };
    use tokio_rustls::{
        TlsConnector,
        rustls::{ClientConfig, RootCertStore, pki_types::ServerName},
    };

    use super::*;

    /// A connection to a proxy that answers each request with 200, and how a client that trusts it connects.
    fn served() -> (DuplexStream, TlsConnector) {
        let identity = Identity::new().unwrap();
        let tls = tls(&identity.server_certificate, &identity.server_key).unwrap();
        let (client, server) = duplex(4096);
        tokio::spawn(async move {
            let answer = |_| async { Ok(forward::full(Response::new(Bytes::new()))) };
            serve(server, &tls, answer).await;
        });
        let mut roots = RootCertStore::empty();
        roots.add(identity.ca_der.into()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        (client, TlsConnector::from(Arc::new(config)))
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_without_a_handshake_is_disconnected() {
        let (mut client, _) = served();
        let started = Instant::now();
        assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
        assert_eq!(started.elapsed(), HANDSHAKE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_without_a_whole_head_is_disconnected_and_an_idle_one_later_than_clients_do_it()
     {
        for (sent, answered) in [
            ("", false),
            ("GET / HTTP/1.1\r\nHost:", false),
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", true),
        ] {
            let (client, connector) = served();
            let name = ServerName::try_from("localhost").unwrap();
            let mut client = connector.connect(name, client).await.unwrap();
            client.write_all(sent.as_bytes()).await.unwrap();
            let (started, mut answer) = (Instant::now(), Vec::new());
            // The connection may end without the last message of TLS.
            let _ = client.read_to_end(&mut answer).await;
            assert_eq!(answer.starts_with(b"HTTP/1.1 200"), answered, "{sent:?}");
            assert_eq!(started.elapsed().as_secs(), HEAD.as_secs(), "{sent:?}");
        }
    }
}
