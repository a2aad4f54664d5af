//! HTTP servers for health checks, metrics and debugging (feature `server`).
//!
//! Kubernetes probes a health server over plain HTTP. Prometheus scrapes a secure server, over TLS and with a service account token:
//!
//! ```no_run
//! use kube_codegen_runtime::{informer::InformerFactory, metrics::Metrics, server::{Server, checks}};
//! use tokio_util::sync::CancellationToken;
//!
//! # async fn example(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let (metrics, factory, stop) = (Metrics::new(), InformerFactory::new(client.clone()), CancellationToken::new());
//! let health = Server::plain(":8081").healthz("ping", checks::ping).readyz("caches", checks::caches(&factory));
//! let scraped = Server::secure(":8443", &client).metrics(&metrics).informers(&factory);
//! tokio::try_join!(
//!     health.serve(stop.clone().cancelled_owned()),
//!     scraped.serve(stop.cancelled_owned()),
//! )?;
//! # Ok(()) }
//! ```
//!
//! | path | response |
//! |---|---|
//! | `/healthz`, `/readyz` | `ok`, or 500 with the failed checks. `?verbose` lists all checks; `?exclude=NAME` skips one |
//! | `/healthz/NAME`, `/readyz/NAME` | one check, with the reason if it fails |
//! | `/metrics` | the metrics, in Prometheus' text format or as `OpenMetrics` |
//! | `/debug/queues` | the waiting, running and scheduled items in each controller's [queue](crate::queue::QueueSnapshot), as JSON |
//! | `/debug/log` | the log filter (feature `cli`); on a server that checks access, `PUT` a level or directives to change it |
//! | `/debug/informers` | the [state](crate::informer::InformerStatus) of each informer, as JSON |
//!
//! A server accepts up to 1000 connections. A further connection closes the one that has been without a request for the longest, so
//! clients that connect but send nothing cannot lock others out. A request must arrive within 30 seconds, and connections without requests
//! are closed after this time.
mod access;
pub mod checks;
pub(crate) mod connections;
pub(crate) mod policy;
pub(crate) mod respond;
pub(crate) mod tls;

use std::{
    fmt, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use futures::FutureExt;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::{GracefulShutdown, Watcher},
};
use kube::Client;
use thiserror::Error;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    time::timeout,
};
#[cfg(feature = "webhook")]
use tokio_rustls::rustls::server::ResolvesServerCert;
use tracing::{debug, info, warn};

pub use self::policy::{CipherSuite, TlsPolicy, TlsVersion};
use self::{
    access::Access,
    checks::{Check, Checks},
    connections::{Admitted, Connections, Limits},
    respond::Routes,
    tls::Acceptor,
};
use crate::{informer::InformerFactory, metrics::Metrics};

/// How long a client may take for a TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Most bytes of the head of a request.
const REQUEST_HEAD: usize = 64 << 10;
/// How long the server waits before it accepts again after a failure.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How long running requests may take once the server stops.
const GRACE_PERIOD: Duration = Duration::from_secs(5);

/// An HTTP/1.1 server. See the [module](self) for an example.
#[must_use = "call `serve` or `bind`"]
pub struct Server {
    address: String,
    routes: Routes,
    tls: Option<Tls>,
    policy: TlsPolicy,
    #[cfg(feature = "webhook")]
    resolver: Option<Arc<dyn ResolvesServerCert>>,
    reload: Duration,
    metrics: Option<Metrics>,
    limits: Limits,
}

/// The certificate of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tls {
    /// A self-signed certificate for `localhost`, created at the start. Clients cannot verify it.
    #[default]
    SelfSigned,
    /// PEM files, which are read again every ten seconds. While they are unreadable, the last good certificate stays in use.
    Files {
        /// The certificate and its issuers.
        certificate: PathBuf,
        /// The private key.
        key: PathBuf,
    },
}

/// The reason why a server did not start, or ended.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The address is malformed, already in use, or not permitted.
    #[error("cannot listen on {address}")]
    Bind {
        /// The address as configured.
        address: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A certificate file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A certificate or key is malformed, or they do not match.
    #[error("the certificate is not usable: {0}")]
    Certificate(String),
    /// The crypto provider supports none of the accepted cipher suites.
    #[error("no connection could be accepted by the TLS policy: {0}")]
    Policy(String),
}

impl Server {
    /// Creates a server without TLS or authorization on `address`: host and port, or `:PORT` for all addresses of the machine.
    pub fn plain(address: impl Into<String>) -> Self {
        Self {
            address: address.into(),
            routes: Routes::default(),
            tls: None,
            policy: TlsPolicy::default(),
            #[cfg(feature = "webhook")]
            resolver: None,
            reload: Duration::from_secs(10),
            metrics: None,
            limits: Limits::default(),
        }
    }

    /// Creates a server with TLS and authorization. Clients must send a bearer token that the API server accepts (`TokenReview`), and must
    /// be permitted to `get` the requested path (`SubjectAccessReview`, `nonResourceURLs`). Only `/healthz` and `/readyz` need no token.
    ///
    /// The program's service account needs permission to create `tokenreviews.authentication.k8s.io` and
    /// `subjectaccessreviews.authorization.k8s.io`. Results are cached: tokens for a minute, granted access for five minutes, denied
    /// access for 30 seconds.
    pub fn secure(address: impl Into<String>, client: &Client) -> Self {
        let mut server = Self::plain(address).tls(Tls::SelfSigned);
        server.routes.access = Some(Access::new(client.clone()));
        server
    }

    /// Sets the certificate for TLS.
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Sets the TLS versions and cipher suites that the server accepts, if it uses TLS.
    pub fn tls_policy(mut self, policy: TlsPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Returns the certificate file, if the certificate comes from a file.
    pub fn certificate_file(&self) -> Option<&Path> {
        match &self.tls {
            Some(Tls::Files { certificate, .. }) => Some(certificate),
            _ => None,
        }
    }

    /// Sets how often the certificate files are read again. The default is every ten seconds.
    pub fn reload_every(mut self, period: Duration) -> Self {
        self.reload = period.max(Duration::from_millis(10));
        self
    }

    /// Adds a check to `/healthz`. If it fails, Kubernetes restarts the container.
    pub fn healthz(mut self, name: impl Into<String>, check: impl Check) -> Self {
        self.routes.healthz.add(name, check);
        self
    }

    /// Adds a check to `/readyz`. While it fails, Kubernetes sends no requests to the container.
    pub fn readyz(mut self, name: impl Into<String>, check: impl Check) -> Self {
        self.routes.readyz.add(name, check);
        self
    }

    /// Like [`readyz`](Self::readyz), with a note for people who read that the check succeeds.
    pub(crate) fn readyz_with_note(
        mut self,
        name: impl Into<String>,
        check: impl Check,
        note: impl Fn() -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.routes.readyz.add_with_note(name, check, note);
        self
    }

    /// Serves `/metrics`, and `/debug/queues` with at most 100 waiting, 100 scheduled and 100 running objects of each controller.
    pub fn metrics(mut self, metrics: &Metrics) -> Self {
        self.routes.metrics = Some(metrics.clone());
        self.metrics = Some(metrics.clone());
        self
    }

    /// Serves `/debug/informers`. Does not keep the informers alive.
    pub fn informers(mut self, factory: &InformerFactory) -> Self {
        self.routes.informers = Some(Box::new(factory.weak_status()));
        self
    }

    /// Serves `/debug/informers` with all informers of the metrics.
    pub(crate) fn informers_of(mut self, metrics: &Metrics) -> Self {
        let metrics = metrics.clone();
        self.routes.informers = Some(Box::new(move || metrics.informer_status()));
        self
    }

    /// Serves webhooks to clients that need no token.
    #[cfg(feature = "webhook")]
    pub(crate) fn webhooks(mut self, webhooks: respond::Responder, metrics: &Metrics) -> Self {
        self.routes.webhooks = Some(webhooks);
        self.metrics = Some(metrics.clone());
        self
    }

    /// Serves TLS with the certificate that `resolver` has at the time of the handshake.
    #[cfg(feature = "webhook")]
    pub(crate) fn resolver(mut self, resolver: Arc<dyn ResolvesServerCert>) -> Self {
        self.resolver = Some(resolver);
        self
    }

    /// Listens and serves until `stop` completes; see [`bind`](Self::bind) and [`Listening::serve`].
    pub async fn serve(self, stop: impl Future<Output = ()> + Send) -> Result<(), ServerError> {
        self.bind().await?.serve(stop).await;
        Ok(())
    }

    /// Reads or creates the certificate, and listens. Connections wait until you call [`Listening::serve`].
    pub async fn bind(self) -> Result<Listening, ServerError> {
        let counters = self.metrics.as_ref().map(Metrics::certificates);
        let tls = match &self.tls {
            Some(tls) => {
                let counters = counters.unwrap_or_default();
                Some(Acceptor::new(tls, &self.policy, counters).await?)
            }
            None => None,
        };
        #[cfg(feature = "webhook")]
        let tls = match self.resolver {
            Some(resolver) => Some(Acceptor::given(resolver, &self.policy)?),
            None => tls,
        };
        let listener = listen(&self.address).await;
        let listener = listener.map_err(|source| ServerError::Bind {
            address: self.address.clone(),
            source,
        })?;
        Ok(Listening {
            listener,
            routes: Arc::new(self.routes),
            tls,
            reload: self.reload,
            connections: Connections::new(self.limits),
        })
    }
}

/// Listens on `HOST:PORT`; `:PORT` is both IPv6 and IPv4 where the machine has both.
async fn listen(address: &str) -> io::Result<TcpListener> {
    if !address.starts_with(':') {
        return TcpListener::bind(address).await;
    }
    match TcpListener::bind(format!("[::]{address}")).await {
        Err(error) if error.kind() != io::ErrorKind::AddrInUse => {
            TcpListener::bind(format!("0.0.0.0{address}")).await
        }
        result => result,
    }
}

/// A server that is listening.
#[must_use = "call `serve`"]
pub struct Listening {
    listener: TcpListener,
    routes: Arc<Routes>,
    tls: Option<Acceptor>,
    reload: Duration,
    connections: Arc<Connections>,
}

impl Listening {
    /// Returns the address. For port 0, it contains the port that the system chose.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` completes, then lets running requests finish for up to five seconds.
    pub async fn serve(self, stop: impl Future<Output = ()> + Send) {
        let graceful = GracefulShutdown::new();
        let reloading = async {
            loop {
                if let Some(tls) = &self.tls {
                    tls.reload().await;
                }
                tokio::time::sleep(self.reload).await;
            }
        };
        let accepting = self.accept(&graceful, || self.listener.accept());
        info!(address = ?self.local_addr().ok(), tls = self.tls.is_some(), "serving");
        tokio::select! {
            biased;
            () = stop => {}
            () = accepting => {}
            () = reloading => {}
        }
        let _ = timeout(GRACE_PERIOD, graceful.shutdown()).await;
    }

    /// Accepts connections for ever.
    async fn accept<F>(&self, graceful: &GracefulShutdown, next: impl Fn() -> F)
    where
        F: Future<Output = io::Result<(TcpStream, SocketAddr)>>,
    {
        let mut failed = false;
        for id in 0.. {
            match next().await {
                Ok((stream, _)) => {
                    failed = false;
                    let admitted = self.connections.admit(id).await;
                    self.spawn(stream, admitted, graceful.watcher());
                }
                // This client has gone before it was accepted; the others are not affected.
                Err(error) if is_of_one_client(&error) => {
                    debug!("a connection ended before it was accepted: {error}");
                }
                // The process has too many open files, for example. Without a pause, this would spin.
                Err(error) => {
                    if !failed {
                        warn!("cannot accept a connection: {error}");
                    }
                    failed = true;
                    self.connections.end_longest_idle();
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Serves one connection in the background.
    fn spawn(
        &self,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        admitted: Admitted,
        watcher: Watcher,
    ) {
        let (routes, tls) = (Arc::clone(&self.routes), self.tls.clone());
        let head = self.connections.limits.head;
        tokio::spawn(async move {
            let serving = async {
                let Some(tls) = tls else {
                    return serve_connection(stream, routes, &admitted, head, watcher).await;
                };
                match timeout(HANDSHAKE, tls.accept(stream)).await {
                    Ok(Ok(stream)) => {
                        serve_connection(stream, routes, &admitted, head, watcher).await;
                    }
                    Ok(Err(error)) => debug!("TLS handshake failed: {error}"),
                    Err(_) => debug!("TLS handshake took longer than {HANDSHAKE:?}"),
                }
            };
            tokio::select! {
                // Work that is done ends the connection by itself.
                biased;
                () = serving => {}
                () = admitted.over() => debug!("closed a connection without work"),
            }
        });
    }
}

/// Returns whether a failure to accept a connection says nothing about the next one.
fn is_of_one_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionReset | Interrupted
    )
}

async fn serve_connection(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    routes: Arc<Routes>,
    admitted: &Admitted,
    head: Duration,
    watcher: Watcher,
) {
    let service = service_fn(|request| {
        let (routes, work) = (Arc::clone(&routes), admitted.work());
        async move { routes.respond(request, work).await }.map(Ok::<_, std::convert::Infallible>)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_buf_size(REQUEST_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = watcher.watch(connection).await {
        debug!("connection ended: {error}");
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("address", &self.address)
            .field("tls", &self.tls)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listening")
            .field("address", &self.local_addr().ok())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex},
        time::Instant,
    };

    use super::*;

    /// Connects a client by memory instead of a socket, so that no bytes are on their way when a paused clock jumps to the next timer.
    async fn connected(listening: &Listening, graceful: &GracefulShutdown) -> DuplexStream {
        let (client, server) = duplex(1 << 10);
        let admitted = listening.connections.admit(0).await;
        listening.spawn(server, admitted, graceful.watcher());
        client
    }

    /// Answers of a server with these limits, to the bytes that a client sends. The client reads until the server closes the connection.
    async fn served(limits: Limits) -> SocketAddr {
        let mut server = Server::plain("127.0.0.1:0").healthz("ping", checks::ping);
        server.limits = limits;
        let listening = server.bind().await.unwrap();
        let address = listening.local_addr().unwrap();
        tokio::spawn(listening.serve(std::future::pending()));
        address
    }

    async fn begun(address: SocketAddr, bytes: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        stream
    }

    async fn rest(mut stream: TcpStream) -> String {
        let mut answer = Vec::new();
        let read = stream.read_to_end(&mut answer);
        // A connection that is reset has ended too.
        _ = timeout(Duration::from_secs(20), read)
            .await
            .expect("it is still open");
        String::from_utf8(answer).unwrap()
    }

    #[tokio::test]
    async fn clients_that_send_nothing_or_half_a_request_keep_nobody_out() {
        let address = served(Limits {
            connections: 4,
            ..Limits::default()
        })
        .await;
        let mut silent = Vec::new();
        for number in 0..40 {
            let sent = ["", "G", "GET /healthz HTTP/1.1\r\nHost: a\r\n", "\r\n"][number % 4];
            silent.push(begun(address, sent).await);
        }
        for _ in 0..8 {
            let request = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
            let answer = rest(begun(address, request).await).await;
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        }
        rest(silent.remove(0)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_whole_head_or_a_next_request_is_closed() {
        let server = Server::plain("127.0.0.1:0").healthz("ping", checks::ping);
        let listening = server.bind().await.unwrap();
        let graceful = GracefulShutdown::new();
        for (sent, status) in [
            ("", ""),
            ("GET /healthz HTTP/1.1\r\nHost:", ""),
            ("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200"),
        ] {
            let started = Instant::now();
            let mut client = connected(&listening, &graceful).await;
            client.write_all(sent.as_bytes()).await.unwrap();
            let mut answer = String::new();
            client.read_to_string(&mut answer).await.unwrap();
            assert_eq!(answer.get(..12).unwrap_or_default(), status, "{sent:?}");
            // The clock of timers counts whole milliseconds.
            let (elapsed, head) = (started.elapsed(), listening.connections.limits.head);
            let in_time = head..=head + Duration::from_millis(1);
            assert!(in_time.contains(&elapsed), "{sent:?}: {elapsed:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_no_response_does_not_keep_its_connection() {
        let mut server = Server::plain("127.0.0.1:0");
        server = server.healthz("long", || std::future::ready(Err("x".repeat(1 << 20))));
        let listening = server.bind().await.unwrap();
        let graceful = GracefulShutdown::new();
        let (started, mut client) = (Instant::now(), connected(&listening, &graceful).await);
        let request = b"GET /healthz/long HTTP/1.1\r\nHost: a\r\n\r\n";
        client.write_all(request).await.unwrap();
        // The response has begun, and the rest of it has no room.
        client.read_u8().await.unwrap();
        let Limits { idle, .. } = listening.connections.limits;
        while started.elapsed() + Duration::from_secs(1) < idle {
            assert_eq!(listening.connections.count(), 1);
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(listening.connections.count(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_has_gone_costs_no_other_its_connection() {
        use std::{
            io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted, Other},
            sync::atomic::{AtomicUsize, Ordering},
        };
        for (kind, ends_one) in [
            (ConnectionAborted, false),
            (ConnectionReset, false),
            (Interrupted, false),
            // Such as too many open files.
            (Other, true),
        ] {
            let listening = Server::plain("127.0.0.1:0").bind().await.unwrap();
            let idle = listening.connections.admit(0).await;
            let (failures, started) = (AtomicUsize::new(0), tokio::time::Instant::now());
            let graceful = GracefulShutdown::new();
            let accepting = listening.accept(&graceful, || {
                let number = failures.fetch_add(1, Ordering::Relaxed);
                async move {
                    if number == 3 {
                        std::future::pending::<()>().await;
                    }
                    Err(kind.into())
                }
            });
            let ended = timeout(Duration::from_secs(10), accepting).await;
            assert!(ended.is_err());
            assert_eq!(failures.load(Ordering::Relaxed), 4, "{kind}");
            let over = idle.over().now_or_never().is_some();
            assert_eq!(over, ends_one, "{kind}");
            assert_eq!(started.elapsed(), Duration::from_secs(10));
        }
    }

    #[tokio::test]
    async fn a_head_has_a_limit() {
        let address = served(Limits::default()).await;
        let long = format!(
            "GET /healthz HTTP/1.1\r\nHost: a\r\nA: {}\r\n",
            "a".repeat(REQUEST_HEAD)
        );
        let answer = rest(begun(address, &long).await).await;
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 431"),
            "{answer}"
        );
    }
}
