//! Connects clients to the server: in process as a tower service, and over HTTP/1.1 on the loopback interface.

use std::{
    convert::Infallible,
    io::{self, Error},
    net::SocketAddr,
    sync::{Arc, Weak},
    task::{Context, Poll},
};

use futures::future::BoxFuture;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use kube::client::Body;
use tokio::{
    net::{TcpListener, TcpStream},
    task::{AbortHandle, JoinSet},
};
use tower::{BoxError, Service};

use crate::{
    serve::{self, serve},
    shared::Shared,
};

/// The in-memory API server as a [`Service`], for use below your own layers and [`kube::Client::new`].
#[derive(Clone, Debug)]
pub struct ApiService(pub(crate) Arc<Shared>);

impl Service<Request<Body>> for ApiService {
    type Response = Response<serve::Body>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let shared = self.0.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let body = body.collect_bytes().await?;
            Ok(serve(shared, parts, body.into()).await?)
        })
    }
}

/// Binds a free port and serves on it until the task is aborted.
pub(crate) async fn listen(shared: &Arc<Shared>) -> io::Result<(SocketAddr, AbortHandle)> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let task = tokio::spawn(accept(listener, Arc::downgrade(shared)));
    Ok((address, task.abort_handle()))
}

async fn accept(listener: TcpListener, shared: Weak<Shared>) -> Infallible {
    // Dropping the task closes every connection.
    let mut connections = JoinSet::new();
    loop {
        // An error concerns one client that has already disconnected.
        if let Ok((stream, _)) = listener.accept().await {
            while connections.try_join_next().is_some() {}
            connections.spawn(connection(stream, shared.clone()));
        }
    }
}

async fn connection(stream: TcpStream, shared: Weak<Shared>) {
    let service = service_fn(move |request: Request<Incoming>| {
        let shared = shared.clone();
        async move {
            let shared = shared
                .upgrade()
                .ok_or_else(|| Error::other("the server was dropped"))?;
            let (parts, body) = request.into_parts();
            let body = body.collect().await.map_err(Error::other)?.to_bytes();
            serve(shared, parts, body.into()).await
        }
    });
    // Clients notice a broken connection themselves.
    let _closed = http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service)
        .await;
}
