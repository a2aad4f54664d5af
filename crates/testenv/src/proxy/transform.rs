//! Transforms the body of a response according to a fault, as a stream.

use std::io;

use bytes::{Bytes, BytesMut};
use futures::{Stream, StreamExt as _};
use hyper::body::Frame;
use tokio::{
    sync::{mpsc, watch},
    time::sleep,
};

use super::Fault;

/// A frame for the client; an error breaks the connection.
type Piece = Result<Frame<Bytes>, io::Error>;

/// Copies `body` to the returned stream until either ends or `cut` becomes true.
pub(super) fn transform<E: Send + 'static>(
    body: impl Stream<Item = Result<Bytes, E>> + Send + Unpin + 'static,
    fault: Option<Fault>,
    mut cut: watch::Receiver<bool>,
) -> impl Stream<Item = Piece> + Send {
    let (client, pieces) = mpsc::channel(1);
    tokio::spawn(async move {
        let broken = tokio::select! {
            () = client.closed() => return,
            Ok(_) = cut.wait_for(|cut| *cut) => Err(Broken),
            copied = copy(body, fault, &client) => copied,
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

/// The connection must be broken.
struct Broken;

async fn copy<E>(
    mut body: impl Stream<Item = Result<Bytes, E>> + Unpin,
    fault: Option<Fault>,
    client: &mpsc::Sender<Piece>,
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
            Some(Fault::Cut { after } | Fault::Stall { after }) => {
                bytes.truncate(after - passed);
                passed += bytes.len();
                send(bytes).await?;
                if passed == *after {
                    return end(fault.as_ref(), client).await;
                }
            }
            Some(Fault::Slow { piece, pause }) => {
                while !bytes.is_empty() {
                    sleep(*pause).await;
                    send(bytes.split_to((*piece).clamp(1, bytes.len()))).await?;
                }
            }
            Some(fault @ (Fault::Duplicate | Fault::Garble)) => {
                lines.extend_from_slice(&bytes);
                while let Some(end) = lines.iter().position(|byte| *byte == b'\n') {
                    let line = lines.split_to(end + 1).freeze();
                    send(changed(fault, &line)).await?;
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
        // The body is shorter than `after`.
        Some(Fault::Cut { .. } | Fault::Stall { .. }) => end(fault.as_ref(), client).await,
        _ => Ok(()),
    }
}

/// Breaks the connection; for a stall, only after the client has disconnected.
async fn end(fault: Option<&Fault>, client: &mpsc::Sender<Piece>) -> Result<(), Broken> {
    if let Some(Fault::Stall { .. }) = fault {
        client.closed().await;
    }
    Err(Broken)
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
        let (_keep, cut) = watch::channel(false);
        let mut body = Box::pin(transform(stream::iter(chunks), Some(fault), cut));
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
        let (sender, cut) = watch::channel(false);
        let mut body = Box::pin(transform(chunks, Some(Fault::Stall { after: 4 }), cut));
        assert_eq!(
            body.try_next().await.unwrap().unwrap().into_data().unwrap(),
            "0123"
        );
        assert!(futures::poll!(body.next()).is_pending());
        sender.send(true).unwrap();
        assert!(body.next().await.unwrap().is_err());
    }
}
