//! The memory for the bodies of reviews.
//!
//! All admission reviews share one budget, and all conversion reviews another. A body uses memory of the budget as its bytes arrive, so a client
//! that only declares a length uses none. When the budget is used up, bodies wait until others are done. Bodies that have arrived in part could
//! then wait for each other forever; therefore one body at a time may exceed the budget, up to the limit of a single body. A request keeps its
//! memory until its work has ended, even after the client has stopped waiting.
use std::sync::Arc;

use http::StatusCode;
use http_body_util::BodyExt as _;
use hyper::body::{Body, Bytes};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::server::respond::{HttpError, bad_request};

/// Most bytes of an admission review, as in controller-runtime: two objects of the size that etcd stores, and more.
const MAX_ADMISSION: usize = 7 << 20;
/// Most bytes of all admission reviews, of which one may exceed it.
const ALL_ADMISSION: usize = 57 << 20;
/// Most bytes of a conversion review, which has all objects of a list.
const MAX_CONVERSION: usize = 256 << 20;
/// Most bytes of all conversion reviews, of which one may exceed it.
const ALL_CONVERSION: usize = 128 << 20;
/// Memory is counted in units of this many bytes. Smaller than what a connection costs anyway.
const UNIT: usize = 4 << 10;

/// A clone is a handle on the same memory.
#[derive(Clone)]
pub(super) struct Memory {
    /// Most bytes of one body.
    limit: usize,
    units: Arc<Semaphore>,
    /// The one permission to exceed the budget.
    excess: Arc<Semaphore>,
}

/// What a request holds of the memory.
#[derive(Default)]
pub(super) struct Share {
    units: Option<OwnedSemaphorePermit>,
    excess: Option<OwnedSemaphorePermit>,
}

impl Memory {
    pub(super) fn admission() -> Self {
        Self::new(MAX_ADMISSION, ALL_ADMISSION)
    }

    pub(super) fn conversion() -> Self {
        Self::new(MAX_CONVERSION, ALL_CONVERSION)
    }

    fn new(limit: usize, all: usize) -> Self {
        Self {
            limit,
            units: Arc::new(Semaphore::new(all / UNIT)),
            excess: Arc::new(Semaphore::new(1)),
        }
    }

    /// Reads a body, and waits for memory for it.
    pub(super) async fn read<B>(&self, body: &mut B) -> Result<(Vec<u8>, Share), HttpError>
    where
        B: Body<Data = Bytes, Error: std::fmt::Display> + Unpin,
    {
        let declared = body.size_hint().lower();
        if usize::try_from(declared).map_or(true, |declared| declared > self.limit) {
            return Err(self.too_large());
        }
        let mut share = Share::default();
        let mut read = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame =
                frame.map_err(|error| bad_request(&format!("the body cannot be read: {error}")))?;
            // Trailers say nothing.
            let Ok(data) = frame.into_data() else {
                continue;
            };
            let length = read.len() + data.len();
            if length > self.limit {
                return Err(self.too_large());
            }
            self.grow(&mut share, length).await?;
            read.extend_from_slice(&data);
        }
        Ok((read, share))
    }

    /// Makes a share large enough for this many bytes.
    async fn grow(&self, share: &mut Share, bytes: usize) -> Result<(), HttpError> {
        let has = share
            .units
            .as_ref()
            .map_or(0, OwnedSemaphorePermit::num_permits);
        let more = bytes.div_ceil(UNIT).saturating_sub(has);
        if more == 0 || share.excess.is_some() {
            return Ok(());
        }
        let unavailable =
            |error: &dyn std::fmt::Display| (StatusCode::SERVICE_UNAVAILABLE, error.to_string());
        let more = u32::try_from(more).map_err(|error| unavailable(&error))?;
        tokio::select! {
            biased;
            units = Arc::clone(&self.units).acquire_many_owned(more) => {
                let units = units.map_err(|error| unavailable(&error))?;
                match &mut share.units {
                    Some(all) => all.merge(units),
                    none => *none = Some(units),
                }
            }
            excess = Arc::clone(&self.excess).acquire_owned() => {
                share.excess = Some(excess.map_err(|error| unavailable(&error))?);
            }
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn is_free(&self) -> bool {
        let all = if self.limit == MAX_ADMISSION {
            ALL_ADMISSION
        } else {
            ALL_CONVERSION
        };
        self.units.available_permits() == all / UNIT
    }

    fn too_large(&self) -> HttpError {
        let message = format!("the body is larger than {} bytes", self.limit);
        (StatusCode::PAYLOAD_TOO_LARGE, message)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures::{FutureExt as _, SinkExt as _, channel::mpsc};
    use http_body_util::StreamBody;
    use hyper::body::Frame;

    use super::*;

    type Sender = mpsc::Sender<Result<Frame<Bytes>, Infallible>>;

    /// A body whose bytes arrive one by one.
    fn arriving() -> (Sender, impl Body<Data = Bytes, Error = Infallible> + Unpin) {
        let (sender, receiver) = mpsc::channel(8);
        (sender, StreamBody::new(receiver))
    }

    async fn send(sender: &mut Sender, bytes: usize) {
        let data = Bytes::from(vec![b'a'; bytes]);
        sender.send(Ok(Frame::data(data))).await.unwrap();
    }

    fn small() -> Memory {
        Memory::new(8 * UNIT, 10 * UNIT)
    }

    #[tokio::test]
    async fn bytes_count_once_they_arrive() {
        let memory = small();
        let mut idle = Vec::new();
        for _ in 0..9 {
            let (mut sender, mut body) = arriving();
            let memory = memory.clone();
            send(&mut sender, 1).await;
            let reading = tokio::spawn(async move { memory.read(&mut body).await.map(drop) });
            idle.push((sender, reading));
        }
        tokio::task::yield_now().await;
        assert_eq!(memory.units.available_permits(), 1);
        let (mut sender, mut body) = arriving();
        send(&mut sender, UNIT).await;
        drop(sender);
        let (read, _share) = memory.read(&mut body).now_or_never().unwrap().unwrap();
        assert_eq!(read.len(), UNIT);
    }

    #[tokio::test]
    async fn bodies_in_part_do_not_wait_for_each_other_for_ever() {
        let memory = small();
        let (mut first, mut second) = (arriving(), arriving());
        for sender in [&mut first.0, &mut second.0] {
            send(sender, 5 * UNIT).await;
        }
        let mut one = Box::pin(memory.read(&mut first.1));
        let mut other = Box::pin(memory.read(&mut second.1));
        assert!(futures::poll!(&mut one).is_pending());
        assert!(futures::poll!(&mut other).is_pending());
        for mut sender in [first.0, second.0] {
            send(&mut sender, UNIT).await;
        }
        let done = one.now_or_never().unwrap().unwrap();
        assert!(
            futures::poll!(&mut other).is_pending(),
            "only one exceeds the budget"
        );
        drop(done);
        other.now_or_never().unwrap().unwrap();
        assert_eq!(memory.units.available_permits(), 10);
        assert_eq!(memory.excess.available_permits(), 1);
    }

    #[tokio::test]
    async fn a_body_has_a_limit_with_and_without_a_length() {
        let memory = small();
        let (mut sender, mut body) = arriving();
        for _ in 0..5 {
            send(&mut sender, 2 * UNIT).await;
        }
        let rejected = memory.read(&mut body).await.map(drop).unwrap_err();
        assert_eq!(rejected.0, StatusCode::PAYLOAD_TOO_LARGE);
        let mut declared = http_body_util::Full::new(Bytes::from(vec![0; 9 * UNIT]));
        let rejected = memory.read(&mut declared).await.map(drop).unwrap_err();
        assert_eq!(rejected.0, StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(memory.units.available_permits(), 10);
    }
}
