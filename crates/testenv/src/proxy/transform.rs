//! Transforms the body of a response according to a fault, as a stream.

use std::io;

use bytes::{Bytes, BytesMut};
use futures::{Stream, StreamExt as _};
use hyper::body::Frame;
use tokio::{
    sync::{mpsc, watch},
    time::sleep,
};

use super::{Fault, connection::Connection, rule::Signal};

/// A frame for the client; an error breaks the connection.
type Piece = Result<Frame<Bytes>, io::Error>;

/// Copies `body` to the returned stream until either ends or a signal arrives.
pub(super) fn transform<E: Send + 'static>(
    body: impl Stream<Item = Result<Bytes, E>> + Send + Unpin + 'static,
    fault: Option<Fault>,
    mut signal: watch::Receiver<Option<Signal>>,
    connection: Connection,
) -> impl Stream<Item = Piece> + Send {
    let (client, pieces) = mpsc::channel(1);
    tokio::spawn(async move {
        let broken = tokio::select! {
            () = client.closed() => return,
            Some(signal) = received(&mut signal) => {
                if signal == Signal::BlackHole {
                    vanish(&connection, &client).await;
                }
                Err(Broken)
            }
            copied = copy(body, fault, &client, &connection) => copied,
        };
        if let Err(Broken) = broken {
            let _ = client
                .send(Err(io::ErrorKind::ConnectionReset.into()))
                .await;
        }
    });
    futures::stream::unfold(pieces, async |mut pieces| {
        Some((pieces.recv().await?, pieces))
    })
}

async fn received(signal: &mut watch::Receiver<Option<Signal>>) -> Option<Signal> {
    *signal.wait_for(Option::is_some).await.ok()?
}

/// Drops all packets from the client, until the proxy ends.
async fn vanish(connection: &Connection, client: &mpsc::Sender<Piece>) {
    connection.black_hole();
    client.closed().await;
}

/// The connection must be broken.
struct Broken;

async fn copy<E>(
    mut body: impl Stream<Item = Result<Bytes, E>> + Unpin,
    fault: Option<Fault>,
    client: &mpsc::Sender<Piece>,
    connection: &Connection,
) -> Result<(), Broken> {
    let send = async |bytes: Bytes| {
        client
            .send(Ok(Frame::data(bytes)))
            .await
            .map_err(|_| Broken)
    };
    let mut passed = 0;
    let mut lines = BytesMut::new();
    while let Some(bytes) = body.next().await {
        let mut bytes = bytes.map_err(|_| Broken)?;
        match &fault {
            Some(Fault::Cut { after } | Fault::Stall { after } | Fault::BlackHole { after }) => {
                bytes.truncate(after - passed);
                passed += bytes.len();
                send(bytes).await?;
                if passed == *after {
                    return end(fault.as_ref(), client, connection).await;
                }
            }
            Some(Fault::Slow { piece, pause }) => {
                while !bytes.is_empty() {
                    sleep(*pause).await;
                    send(bytes.split_to((*piece).clamp(1, bytes.len()))).await?;
                }
            }
            Some(
                fault @ (Fault::Duplicate
                | Fault::Garble
                | Fault::DropEvents(_)
                | Fault::DelayEvents(..)),
            ) => {
                lines.extend_from_slice(&bytes);
                while let Some(end) = lines.iter().position(|byte| *byte == b'\n') {
                    let line = lines.split_to(end + 1).freeze();
                    match fault {
                        Fault::DropEvents(part) if contains(&line, part) => {}
                        Fault::DelayEvents(part, time) if contains(&line, part) => {
                            delay(line, *time, client.clone());
                        }
                        Fault::DropEvents(_) | Fault::DelayEvents(..) => send(line).await?,
                        fault => send(changed(fault, &line)).await?,
                    }
                }
            }
            _ => send(bytes).await?,
        }
    }
    match &fault {
        // A list is one line without a line break.
        Some(fault @ (Fault::Duplicate | Fault::Garble)) if !lines.is_empty() => {
            send(changed(fault, &lines)).await
        }
        Some(Fault::DropEvents(_) | Fault::DelayEvents(..)) if !lines.is_empty() => {
            send(lines.freeze()).await
        }
        // The body is shorter than `after`.
        Some(Fault::Cut { .. } | Fault::Stall { .. } | Fault::BlackHole { .. }) => {
            end(fault.as_ref(), client, connection).await
        }
        _ => Ok(()),
    }
}

/// Breaks the connection; for a stall, only after the client has disconnected.
async fn end(
    fault: Option<&Fault>,
    client: &mpsc::Sender<Piece>,
    connection: &Connection,
) -> Result<(), Broken> {
    match fault {
        Some(Fault::Stall { .. }) => client.closed().await,
        Some(Fault::BlackHole { .. }) => vanish(connection, client).await,
        _ => {}
    }
    Err(Broken)
}

fn contains(line: &[u8], part: &str) -> bool {
    String::from_utf8_lossy(line).contains(part)
}

/// Sends a line later, if the client is still there.
fn delay(line: Bytes, time: std::time::Duration, client: mpsc::Sender<Piece>) {
    tokio::spawn(async move {
        sleep(time).await;
        client.send(Ok(Frame::data(line))).await.ok();
    });
}

fn changed(fault: &Fault, line: &[u8]) -> Bytes {
    match fault {
        Fault::Garble => [&line[..line.len() / 2], b"\n"].concat().into(),
        _ => [line, line].concat().into(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::{TryStreamExt as _, stream};

    use super::*;

    /// Returns what the client gets of a body of two chunks, and whether the connection broke.
    async fn through(fault: Fault) -> (String, bool) {
        let chunks = [&b"{\"a\":1}\n{\"b\""[..], b":2}\n"]
            .map(|chunk| Ok::<_, io::Error>(Bytes::from_static(chunk)));
        let (_keep, signal) = watch::channel(None);
        let connection = Connection::default();
        let mut body = Box::pin(transform(
            stream::iter(chunks),
            Some(fault),
            signal,
            connection,
        ));
        let mut text = String::new();
        loop {
            match body.try_next().await {
                Ok(Some(frame)) => {
                    text += std::str::from_utf8(&frame.into_data().unwrap()).unwrap();
                }
                end => return (text, end.is_err()),
            }
        }
    }

    #[tokio::test]
    async fn bodies_are_changed_as_the_fault_says() {
        let whole = "{\"a\":1}\n{\"b\":2}\n";
        assert_eq!(
            through(Fault::Delay(Duration::ZERO)).await,
            (whole.to_owned(), false)
        );
        assert_eq!(
            through(Fault::Duplicate).await,
            (
                "{\"a\":1}\n{\"a\":1}\n{\"b\":2}\n{\"b\":2}\n".to_owned(),
                false
            )
        );
        assert_eq!(
            through(Fault::DropEvents("\"a\"".to_owned())).await,
            ("{\"b\":2}\n".to_owned(), false)
        );
        let delayed = Fault::DelayEvents("\"a\"".to_owned(), Duration::from_millis(20));
        assert_eq!(
            through(delayed).await,
            ("{\"b\":2}\n{\"a\":1}\n".to_owned(), false)
        );
        assert_eq!(
            through(Fault::Garble).await,
            ("{\"a\"\n{\"b\"\n".to_owned(), false)
        );
        assert_eq!(
            through(Fault::Cut { after: 10 }).await,
            (whole[..10].to_owned(), true)
        );
        assert_eq!(
            through(Fault::Cut { after: 0 }).await,
            (String::new(), true)
        );
        assert_eq!(
            through(Fault::Cut { after: 1000 }).await,
            (whole.to_owned(), true)
        );
        assert_eq!(
            through(Fault::Slow {
                piece: 3,
                pause: Duration::ZERO
            })
            .await,
            (whole.to_owned(), false)
        );
        assert_eq!(
            through(Fault::Slow {
                piece: 0,
                pause: Duration::ZERO
            })
            .await,
            (whole.to_owned(), false)
        );
    }

    #[tokio::test]
    async fn a_stalled_body_stays_open_until_it_is_cut() {
        let chunks = stream::iter([Ok::<_, io::Error>(Bytes::from_static(b"0123456789"))]);
        let (sender, signal) = watch::channel(None);
        let (stall, connection) = (Fault::Stall { after: 4 }, Connection::default());
        let mut body = Box::pin(transform(chunks, Some(stall), signal, connection));
        assert_eq!(
            body.try_next().await.unwrap().unwrap().into_data().unwrap(),
            "0123"
        );
        assert!(futures::poll!(body.next()).is_pending());
        sender.send(Some(Signal::Cut)).unwrap();
        assert!(body.next().await.unwrap().is_err());
    }
}
