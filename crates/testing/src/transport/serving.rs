//! Serves HTTP/1.1 connections within limits, whatever their clients do or leave undone.
//!
//! A client may send half a request, nothing at all, or a body without end, and there may be many of them. Each connection therefore has
//! [`PATIENCE`] for a handshake, for the head of its next request and for that request's body; only bytes that have arrived take memory,
//! and no more of them than the request may have. At most 4,096 connections are open; others wait in the queue of the system until one
//! ends, and so they do while the process is out of file descriptors. A response may take as long as it wants: watches do.

use std::{
    convert::Infallible,
    error::Error,
    io::{self, ErrorKind},
    net::SocketAddr,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http::{Request, Response};
use http_body::Body;
use http_body_util::{BodyExt as _, Either};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{sleep, timeout},
};

use super::websocket::Handshake;
pub use crate::routing::Watch;

/// How long a client may take for a handshake, for the head of a request, also while it sends none, and for its body.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How many connections are open: each watch has one of its own in HTTP/1.1.
const CONNECTIONS: usize = 4096;

/// How long nothing is accepted after an error of the system, such as too many open files: another attempt at once would fail as well.
const PAUSE: Duration = Duration::from_millis(100);

/// Accepts connections until it is dropped, which closes all of them.
pub async fn accept<F>(listener: TcpListener, serve: impl Fn(TcpStream) -> F) -> Infallible
where
    F: Future<Output = ()> + Send + 'static,
{
    accept_each(|| listener.accept(), serve).await
}

async fn accept_each<N, F>(next: impl Fn() -> N, serve: impl Fn(TcpStream) -> F) -> Infallible
where
    N: Future<Output = io::Result<(TcpStream, SocketAddr)>>,
    F: Future<Output = ()> + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        if connections.len() >= CONNECTIONS {
            connections.join_next().await;
            continue;
        }
        match next().await {
            Ok((stream, _)) => {
                connections.spawn(serve(stream));
            }
            Err(error) if is_of_client(&error) => {}
            Err(_) => sleep(PAUSE).await,
        }
    }
}

/// Returns whether an error concerns one client, which has already disconnected.
fn is_of_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::Interrupted
    )
}

/// Finishes a TLS handshake. A client that does not trust the certificate notices it itself.
#[cfg(feature = "tls")]
pub async fn handshake(
    acceptor: &tokio_rustls::TlsAcceptor,
    stream: TcpStream,
) -> Option<tokio_rustls::server::TlsStream<TcpStream>> {
    timeout(PATIENCE, acceptor.accept(stream)).await.ok()?.ok()
}

/// Serves the requests of one connection. An error of the service breaks it, which the client notices itself.
///
/// An answer that [`Watch`] marks is sent over WebSocket if the client wants that.
pub async fn connection<S, B, E, F>(stream: S, answer: impl Fn(Request<Incoming>) -> F)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    F: Future<Output = Result<Response<B>, E>>,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>> + Send,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    let opened = Mutex::new(None);
    let serve = |mut request: Request<Incoming>| {
        let handshake = Handshake::of(&mut request);
        let (answer, opened) = (answer(request), &opened);
        async move {
            let response = answer.await?;
            let Some(handshake) = handshake else {
                return Ok(response.map(Either::Left));
            };
            let (response, session) = handshake.answer(response);
            *opened.lock().unwrap_or_else(PoisonError::into_inner) = session;
            Ok::<_, E>(response)
        }
    };
    let closed = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(stream), service_fn(serve))
        .with_upgrades()
        .await;
    let session = opened.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let (Ok(()), Some(session)) = (closed, session) {
        session.await;
    }
}

/// Reads a body. Of one that is longer than `most`, it returns one byte more and forgets the rest, so that the client gets an answer.
///
/// # Errors
/// If the connection breaks, or [`ErrorKind::TimedOut`] if the body takes too long.
pub async fn collect(mut body: Incoming, most: usize) -> io::Result<Bytes> {
    let read = async {
        let mut read = BytesMut::new();
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(io::Error::other)?.into_data() else {
                continue;
            };
            let room = (most + 1).saturating_sub(read.len());
            read.extend_from_slice(&data[..data.len().min(room)]);
        }
        Ok(read.freeze())
    };
    let late = |_| io::Error::new(ErrorKind::TimedOut, "the body took too long");
    timeout(PATIENCE, read).await.map_err(late)?
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_error_of_the_system_pauses_and_one_of_a_client_does_not() {
        for (kind, pause) in [
            (ErrorKind::ConnectionAborted, Duration::ZERO),
            (ErrorKind::ConnectionReset, Duration::ZERO),
            (ErrorKind::Interrupted, Duration::ZERO),
            // Such as too many open files.
            (ErrorKind::Other, PAUSE),
        ] {
            let (attempts, started, last) =
                (Cell::new(0), Instant::now(), Cell::new(Duration::MAX));
            let next = || {
                attempts.set(attempts.get() + 1);
                last.set(started.elapsed());
                let goes_on = attempts.get() > 5;
                async move {
                    if goes_on {
                        std::future::pending::<()>().await;
                    }
                    Err(kind.into())
                }
            };
            let accepting = accept_each(next, |_| async {});
            assert!(timeout(60 * PAUSE, accepting).await.is_err());
            assert_eq!((attempts.get(), last.get()), (6, 5 * pause), "{kind}");
        }
    }
}
