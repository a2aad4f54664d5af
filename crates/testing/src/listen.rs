//! The server behind a socket on the loopback interface: HTTP/1.1 in, the same answers as in process out; never TLS.
use std::convert::Infallible;
use std::io::Error;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};

use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::Shared;
use super::serve::serve;

/// Binds a free port and serves until the server's last handle is dropped.
pub(super) async fn listen(
    shared: &Arc<Shared>,
) -> std::io::Result<(SocketAddr, tokio::task::AbortHandle)> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let task = tokio::spawn(accept(listener, Arc::downgrade(shared)));
    Ok((address, task.abort_handle()))
}

async fn accept(listener: TcpListener, shared: Weak<Shared>) -> Infallible {
    // Dropped with the task, and every connection with it.
    let mut connections = JoinSet::new();
    loop {
        // A client that is gone before it was accepted is no reason to stop.
        if let Ok((stream, _)) = listener.accept().await {
            while connections.try_join_next().is_some() {}
            connections.spawn(connection(stream, shared.clone()));
        }
    }
}

async fn connection(stream: TcpStream, shared: Weak<Shared>) {
    let service = service_fn(move |request: http::Request<Incoming>| {
        let shared = shared.clone();
        async move {
            let shared = shared
                .upgrade()
                .ok_or_else(|| Error::other("the server is gone"))?;
            let (parts, body) = request.into_parts();
            let body = body.collect().await.map_err(Error::other)?.to_bytes();
            serve(shared, parts, body.into()).await
        }
    });
    // A broken connection is the client's to notice.
    let _closed = http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service)
        .await;
}
