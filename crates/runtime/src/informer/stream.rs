//! The notifications of an informer as an async stream.
use std::{
    marker::PhantomData,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use futures::Stream;
use tokio_util::sync::DropGuard;

use super::{handler::InformerEvent, listener::Inbox, state::State};
use crate::Object;

/// The events of an informer as a stream; see [`SharedInformer::events`](super::SharedInformer::events). Dropping it ends the
/// subscription.
#[must_use = "events pile up until the stream is polled"]
pub struct EventStream<K: Object> {
    inbox: Inbox,
    state: Arc<State>,
    _running: Arc<DropGuard>,
    of: PhantomData<fn() -> K>,
}

impl<K: Object> EventStream<K> {
    pub(super) fn new(inbox: Inbox, state: Arc<State>, running: Arc<DropGuard>) -> Self {
        Self {
            inbox,
            state,
            _running: running,
            of: PhantomData,
        }
    }

    /// Whether the whole initial list has been taken from the stream.
    pub fn has_synced(&self) -> bool {
        self.inbox.state.has_synced()
    }

    /// Returns the number of queued events.
    pub fn pending(&self) -> usize {
        self.inbox.state.pending()
    }
}

impl<K: Object> Stream for EventStream<K> {
    type Item = InformerEvent<K>;

    /// Returns the next event, and `None` after the last event of a stopped informer.
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let Some(notice) = ready!(self.inbox.queue.poll_recv(cx)) else {
                return Poll::Ready(None);
            };
            if let Some(change) = self.inbox.open(notice) {
                self.inbox.state.handled();
                return Poll::Ready(Some(change.event()));
            }
        }
    }
}

impl<K: Object> Drop for EventStream<K> {
    fn drop(&mut self) {
        self.inbox.state.cancel.cancel();
        self.state.sweep();
    }
}
