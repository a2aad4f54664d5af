//! Reads a response body frame by frame into one reused buffer, with a limit on silence.
use std::{error::Error, io, pin::Pin, time::Duration};

#[cfg(feature = "protobuf")]
use futures::AsyncReadExt;
use futures::{AsyncBufRead, AsyncBufReadExt};

use super::response::Encoding;
use crate::informer::error::WatchFailure;

/// Larger buffers are freed after their line.
const KEPT_BUFFER: usize = 1 << 20;

pub(super) struct Lines {
    body: Pin<Box<dyn AsyncBufRead + Send>>,
    pub(super) encoding: Encoding,
    buffer: Vec<u8>,
}

impl Lines {
    pub(super) fn new(body: impl AsyncBufRead + Send + 'static, encoding: Encoding) -> Self {
        Self {
            body: Box::pin(body),
            encoding,
            buffer: Vec::new(),
        }
    }

    /// Returns the next frame of a watch, which in JSON is a non-empty line; `None` at the end of the body, even if the connection is cut in the middle of it.
    pub(super) async fn next(&mut self, silence: Duration) -> Result<Option<&[u8]>, WatchFailure> {
        if self.buffer.capacity() > KEPT_BUFFER {
            self.buffer = Vec::new();
        }
        loop {
            self.buffer.clear();
            let read = async {
                match self.encoding {
                    Encoding::Json => self.body.read_until(b'\n', &mut self.buffer).await,
                    #[cfg(feature = "protobuf")]
                    Encoding::Protobuf => read_frame(&mut self.body, &mut self.buffer).await,
                }
            };
            match tokio::time::timeout(silence, read).await {
                Err(_) => return Err(WatchFailure::Silence(silence)),
                Ok(Ok(0)) => return Ok(None),
                #[cfg(feature = "protobuf")]
                Ok(Ok(_)) if self.encoding == Encoding::Protobuf => return Ok(Some(&self.buffer)),
                Ok(Ok(_)) if self.buffer.trim_ascii().is_empty() => {}
                Ok(Ok(_)) => return Ok(Some(self.buffer.trim_ascii())),
                Ok(Err(error)) if is_early_end(&error) => return Ok(None),
                Ok(Err(error)) => return Err(error.into()),
            }
        }
    }

    /// Returns the rest of the body. Fails if the server sends nothing for `silence`.
    #[cfg(feature = "protobuf")]
    pub(super) async fn rest(mut self, silence: Duration) -> Result<Vec<u8>, WatchFailure> {
        let mut rest = Vec::new();
        while self.read_into(&mut rest, silence).await? {}
        Ok(rest)
    }

    /// Appends what has arrived to `buffer`. Returns `false` at the end of the body.
    pub(super) async fn read_into(
        &mut self,
        buffer: &mut Vec<u8>,
        silence: Duration,
    ) -> Result<bool, WatchFailure> {
        let chunk = tokio::time::timeout(silence, self.body.fill_buf()).await;
        let chunk = chunk.map_err(|_| WatchFailure::Silence(silence))??;
        buffer.extend_from_slice(chunk);
        let length = chunk.len();
        self.body.as_mut().consume(length);
        Ok(length > 0)
    }
}

/// Reads a frame, which follows its length in four bytes, and returns that length: 0 at the end of the body, also within a frame.
#[cfg(feature = "protobuf")]
async fn read_frame(
    body: &mut Pin<Box<dyn AsyncBufRead + Send>>,
    buffer: &mut Vec<u8>,
) -> io::Result<usize> {
    let mut length = [0; 4];
    body.read_exact(&mut length).await?;
    let length = u32::from_be_bytes(length);
    let read = body.take(length.into()).read_to_end(buffer).await?;
    if u32::try_from(read).is_ok_and(|read| read == length) {
        Ok(read)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// Whether the connection was closed in the middle of the body, as load balancers do. TLS stacks and the chunk decoder report it differently.
fn is_early_end(error: &io::Error) -> bool {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        if kind == Some(io::ErrorKind::UnexpectedEof)
            || error.to_string().contains("unexpected EOF during chunk")
        {
            return true;
        }
        cause = error.source();
    }
    false
}
