//! Reads a response body value by value (JSON) or frame by frame (protobuf) into one reused buffer, with limits on silence and size.
use std::{error::Error, io, pin::Pin, time::Duration};

use futures::{AsyncBufRead, AsyncBufReadExt};
use serde::de::Error as _;

use super::{response::Encoding, scan::Scan};
use crate::informer::error::WatchFailure;

/// Larger buffers are freed after their value.
const KEPT_BUFFER: usize = 1 << 20;
/// Largest size of one object: ten times the largest request that an API server accepts (3 MiB).
const LARGEST: usize = 32 << 20;
/// Largest size of a list in protobuf, which is decoded as a whole: some millions of objects.
#[cfg(feature = "protobuf")]
const LARGEST_LIST: usize = 1 << 30;

type Body = Pin<Box<dyn AsyncBufRead + Send>>;

pub(super) struct BodyReader {
    body: Body,
    pub(super) encoding: Encoding,
    /// Whether the body is sent in compressed form.
    pub(super) is_compressed: bool,
    buffer: Vec<u8>,
}

impl BodyReader {
    pub(super) fn new(body: impl AsyncBufRead + Send + 'static, encoding: Encoding) -> Self {
        Self {
            body: Box::pin(body),
            encoding,
            is_compressed: false,
            buffer: Vec::new(),
        }
    }

    /// Returns the next event of a watch; `None` at the end of the body, even if the connection is cut in the middle of an event. Fails if the
    /// server sends nothing for `silence`.
    pub(super) async fn next(&mut self, silence: Duration) -> Result<Option<&[u8]>, WatchFailure> {
        let read = match self.encoding {
            Encoding::Json => self.read_value(silence).await,
            #[cfg(feature = "protobuf")]
            Encoding::Protobuf => self.read_frame(silence).await,
        };
        match read {
            Ok(true) => Ok(Some(&self.buffer)),
            Ok(false) => Ok(None),
            Err(WatchFailure::Connection(error)) if is_early_end(&error) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// Returns the next JSON value, whose end is all that has been checked.
    pub(super) async fn value(&mut self, silence: Duration) -> Result<&[u8], WatchFailure> {
        if self.read_value(silence).await? {
            Ok(&self.buffer)
        } else {
            Err(early_end())
        }
    }

    /// Returns the first byte of what follows, after white space. Does not read it.
    pub(super) async fn peek(&mut self, silence: Duration) -> Result<u8, WatchFailure> {
        loop {
            let chunk = chunk(&mut self.body, silence).await?;
            let length = chunk.len();
            let spaces = length - chunk.trim_ascii_start().len();
            let found = chunk.get(spaces).copied();
            self.body.as_mut().consume(spaces);
            match found {
                Some(byte) => return Ok(byte),
                None if length == 0 => return Err(early_end()),
                None => {}
            }
        }
    }

    /// Passes over the byte that was just [peeked](Self::peek).
    pub(super) fn pass(&mut self) {
        self.body.as_mut().consume(1);
    }

    /// Reads a value into the buffer. Returns `false` if the body ends before its end.
    async fn read_value(&mut self, silence: Duration) -> Result<bool, WatchFailure> {
        self.clear();
        let mut scan = Scan::default();
        loop {
            let chunk = chunk(&mut self.body, silence).await?;
            if chunk.is_empty() {
                return Ok(scan.may_end());
            }
            let end = scan.feed(chunk);
            let length = end.unwrap_or(chunk.len());
            if scan.has_begun() || end.is_some() {
                append(&mut self.buffer, &chunk[..length], LARGEST)?;
            }
            self.body.as_mut().consume(length);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// Reads a frame, which follows its length in four bytes, into the buffer. Returns `false` if the body ends before its end.
    #[cfg(feature = "protobuf")]
    async fn read_frame(&mut self, silence: Duration) -> Result<bool, WatchFailure> {
        self.clear();
        if !self.read_bytes(4, silence).await? {
            return Ok(false);
        }
        let length = self
            .buffer
            .iter()
            .fold(0, |length, byte| length << 8 | usize::from(*byte));
        if length > LARGEST {
            return Err(WatchFailure::TooLarge(LARGEST));
        }
        self.buffer.clear();
        self.read_bytes(length, silence).await
    }

    /// Appends as many bytes to the buffer. Returns `false` if the body ends before.
    #[cfg(feature = "protobuf")]
    async fn read_bytes(
        &mut self,
        mut missing: usize,
        silence: Duration,
    ) -> Result<bool, WatchFailure> {
        while missing > 0 {
            let chunk = chunk(&mut self.body, silence).await?;
            if chunk.is_empty() {
                return Ok(false);
            }
            let length = chunk.len().min(missing);
            self.buffer.extend_from_slice(&chunk[..length]);
            self.body.as_mut().consume(length);
            missing -= length;
        }
        Ok(true)
    }

    /// Returns the rest of the body. Fails if the server sends nothing for `silence`.
    #[cfg(feature = "protobuf")]
    pub(super) async fn rest(mut self, silence: Duration) -> Result<Vec<u8>, WatchFailure> {
        let mut rest = Vec::new();
        loop {
            let chunk = chunk(&mut self.body, silence).await?;
            if chunk.is_empty() {
                return Ok(rest);
            }
            append(&mut rest, chunk, LARGEST_LIST)?;
            let length = chunk.len();
            self.body.as_mut().consume(length);
        }
    }

    fn clear(&mut self) {
        if self.buffer.capacity() > KEPT_BUFFER {
            self.buffer = Vec::new();
        }
        self.buffer.clear();
    }
}

/// Returns what has arrived, which is empty at the end of the body only.
async fn chunk(body: &mut Body, silence: Duration) -> Result<&[u8], WatchFailure> {
    let chunk = tokio::time::timeout(silence, body.fill_buf()).await;
    let chunk = chunk.map_err(|_| WatchFailure::Silence(silence))?;
    chunk.map_err(|error| match error.kind() {
        // The body cannot be decoded.
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            serde_json::Error::custom(error).into()
        }
        _ => error.into(),
    })
}

fn append(buffer: &mut Vec<u8>, chunk: &[u8], limit: usize) -> Result<(), WatchFailure> {
    if buffer.len() + chunk.len() > limit {
        return Err(WatchFailure::TooLarge(limit));
    }
    buffer.extend_from_slice(chunk);
    Ok(())
}

fn early_end() -> WatchFailure {
    serde_json::Error::custom("the response ends early").into()
}

/// Whether the connection was closed in the middle of the body, as load balancers do. TLS stacks and the chunk decoder report it at different depths.
fn is_early_end(error: &io::Error) -> bool {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        let io = error.downcast_ref::<io::Error>();
        if io.is_some_and(|it| it.kind() == io::ErrorKind::UnexpectedEof) {
            return true;
        }
        // The source of such an error is that of the error in it.
        cause = match io.and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    false
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
