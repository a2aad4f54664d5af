//! Connects clients to the server: in process as a tower service, and over HTTP/1.1 on the loopback interface.
//!
//! It uses `routing`, which answers the requests.

#[doc(hidden)]
pub mod serving;
#[cfg(feature = "tls")]
mod tls;
mod websocket;

use std::{
    io::{self, Error, ErrorKind},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, Weak},
    task::{Context, Poll},
};

use futures::future::BoxFuture;
use http::{Request, Response};
use hyper::body::Incoming;
use kube::client::Body;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
};
use tower::{BoxError, Service};

use crate::{
    request::User,
    routing::{self, LARGEST, Listener, Shared, serve, timed_out},
};

#[cfg(feature = "tls")]
pub use tls::Tls;

/// The in-memory API server as a [`Service`], for use below your own layers and [`kube::Client::new`].
#[derive(Clone, Debug)]
pub struct ApiService(pub(crate) Arc<Shared>, pub(crate) Option<User>);

impl Service<Request<Body>> for ApiService {
    type Response = Response<routing::Body>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let (shared, user) = (self.0.clone(), self.1.clone());
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let body = body.collect_bytes().await?;
            Ok(serve(shared, parts, body.into(), user).await?)
        })
    }
}

/// A free port of the loopback interface.
pub(crate) const FREE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Binds a free port and serves on it until the task is aborted.
pub(crate) async fn listen(shared: &Arc<Shared>) -> io::Result<Listener> {
    let listener = TcpListener::bind(FREE).await?;
    let address = listener.local_addr()?;
    let shared = Arc::downgrade(shared);
    let serve = move |stream: TcpStream| connection(stream, shared.clone(), None);
    let task = tokio::spawn(serving::accept(listener, serve));
    Ok(Listener {
        address,
        authority: None,
        task: task.abort_handle(),
    })
}

/// As [`listen`], over TLS and at an address.
#[cfg(feature = "tls")]
pub(crate) async fn listen_tls(
    shared: &Arc<Shared>,
    tls: &tls::Tls,
    address: SocketAddr,
) -> io::Result<Listener> {
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    let acceptor = tokio_rustls::TlsAcceptor::from(tls.config.clone());
    let shared = Arc::downgrade(shared);
    let serve = move |stream: TcpStream| {
        let (acceptor, shared) = (acceptor.clone(), shared.clone());
        async move {
            if let Some(stream) = serving::handshake(&acceptor, stream).await {
                let user = tls::user(stream.get_ref().1);
                connection(stream, shared, user).await;
            }
        }
    };
    let task = tokio::spawn(serving::accept(listener, serve));
    Ok(Listener {
        address,
        authority: Some(tls.authority().to_owned()),
        task: task.abort_handle(),
    })
}

/// Serves the requests of one client; `user` is that of its certificate.
async fn connection<S>(stream: S, shared: Weak<Shared>, user: Option<User>)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let answer = move |request: Request<Incoming>| {
        let (shared, user) = (shared.clone(), user.clone());
        async move {
            let shared = shared
                .upgrade()
                .ok_or_else(|| Error::other("the server was dropped"))?;
            let (parts, body) = request.into_parts();
            match serving::collect(body, LARGEST).await {
                Ok(body) => serve(shared, parts, body.into(), user).await,
                Err(error) if error.kind() == ErrorKind::TimedOut => Ok(timed_out()),
                Err(error) => Err(error),
            }
        }
    };
    serving::connection(stream, answer).await;
}
