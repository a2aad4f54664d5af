//! A watch's response body, line by line into one reused buffer, with a limit on silence.
use crate::informer::error::WatchFailure;
use futures::{AsyncBufRead, AsyncBufReadExt};
use std::{io, pin::Pin, time::Duration};

/// Buffers above this size are given back once their line is done.
const KEPT_BUFFER: usize = 1 << 20;

pub(super) struct Lines {
    body: Pin<Box<dyn AsyncBufRead + Send>>,
    buffer: Vec<u8>,
}

impl Lines {
    pub(super) fn new(body: impl AsyncBufRead + Send + 'static) -> Self {
        Self {
            body: Box::pin(body),
            buffer: Vec::new(),
        }
    }

    /// The next line that is not empty; `None` at the end of the body, also where the connection is cut in the middle of it.
    pub(super) async fn next(&mut self, silence: Duration) -> Result<Option<&[u8]>, WatchFailure> {
        if self.buffer.capacity() > KEPT_BUFFER {
            self.buffer = Vec::new();
        }
        loop {
            self.buffer.clear();
            let read = tokio::time::timeout(silence, self.body.read_until(b'\n', &mut self.buffer));
            match read.await {
                Err(_) => return Err(WatchFailure::Silence(silence)),
                Ok(Ok(0)) => return Ok(None),
                Ok(Ok(_)) if self.buffer.trim_ascii().is_empty() => {}
                Ok(Ok(_)) => return Ok(Some(self.buffer.trim_ascii())),
                Ok(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
                Ok(Err(error)) => return Err(error.into()),
            }
        }
    }
}
