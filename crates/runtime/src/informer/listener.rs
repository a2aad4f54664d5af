//! The queue between an informer and one handler. It grows as needed, so that a slow handler never delays the watch.
use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
};

use futures::Stream;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::error;

use super::{
    error::Stopped,
    handler::{EventHandler, InformerEvent, dispatch},
    state::{self, State},
};
use crate::{cache::Object, panics};

/// An entry of the queue.
enum Notice<K> {
    Event(InformerEvent<K>),
    /// The initial list is complete.
    Synced,
}

/// What both ends of the queue share.
pub(super) struct ListenerState {
    synced: watch::Sender<bool>,
    pending: AtomicUsize,
    /// Cancelled with the informer, or earlier if the handler is removed.
    pub(super) cancel: CancellationToken,
    /// Whether a task calls the handler.
    driven: AtomicBool,
    /// Cancelled when the receiving end is dropped.
    ended: CancellationToken,
}

/// The sending end, held by the informer.
pub(super) struct Listener<K> {
    queue: mpsc::UnboundedSender<Notice<K>>,
    pub(super) state: Arc<ListenerState>,
    /// Whether the handler gets unchanged objects too.
    pub(super) resyncs: bool,
}

/// The receiving end.
pub(super) struct Inbox<K> {
    queue: mpsc::UnboundedReceiver<Notice<K>>,
    state: Arc<ListenerState>,
    _end: DropGuard,
}

/// Creates both ends of a queue; `cancel` closes it.
pub(super) fn queue<K>(cancel: CancellationToken, resyncs: bool) -> (Listener<K>, Inbox<K>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let state = Arc::new(ListenerState {
        synced: watch::Sender::new(false),
        pending: AtomicUsize::new(0),
        cancel,
        driven: AtomicBool::new(false),
        ended: CancellationToken::new(),
    });
    (
        Listener {
            queue: sender,
            state: Arc::clone(&state),
            resyncs,
        },
        Inbox {
            queue: receiver,
            _end: state.ended.clone().drop_guard(),
            state,
        },
    )
}

impl<K> Listener<K> {
    /// Queues one event without waiting. Does nothing if the receiver is gone.
    pub(super) fn send(&self, event: InformerEvent<K>) {
        self.state.pending.fetch_add(1, Ordering::Relaxed);
        let _ = self.queue.send(Notice::Event(event));
    }

    /// Queues the end of the initial list.
    pub(super) fn send_synced(&self) {
        let _ = self.queue.send(Notice::Synced);
    }
}

impl ListenerState {
    pub(super) fn pending(&self) -> usize {
        self.pending.load(Ordering::Relaxed)
    }

    pub(super) fn has_synced(&self) -> bool {
        *self.synced.borrow()
    }

    /// Waits until the initial list has been handled, or the handler has ended.
    pub(super) async fn wait_synced(&self) -> Result<(), Stopped> {
        state::wait_synced(&self.synced, &self.cancel).await
    }

    /// Waits until the handler gets no more notifications. Before the start of the informer, it has got none.
    pub(super) async fn ended(&self) {
        if self.driven.load(Ordering::Acquire) {
            self.ended.cancelled().await;
        }
    }

    fn handled(&self) {
        self.pending.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<K: Send + Sync + 'static> Inbox<K> {
    /// Calls `handler` until the informer stops or the handler is removed. Events still queued then are dropped.
    pub(super) async fn drive(mut self, mut handler: impl EventHandler<K>) {
        self.state.driven.store(true, Ordering::Release);
        let cancel = self.state.cancel.clone();
        while let Some(Some(notice)) = cancel.run_until_cancelled(self.queue.recv()).await {
            match notice {
                Notice::Synced => drop(self.state.synced.send_replace(true)),
                Notice::Event(event) => {
                    if let Err(panic) = panics::catch(|| dispatch(&mut handler, &event)) {
                        error!(
                            panic,
                            "an event handler panicked; continuing with the next event"
                        );
                    }
                    self.state.handled();
                }
            }
            // A synchronous handler with a long queue must not starve other tasks.
            tokio::task::consume_budget().await;
        }
    }
}

/// The notifications of an informer as a stream; see [`SharedInformer::events`](super::SharedInformer::events). Dropping it ends the subscription.
#[must_use = "events pile up until the stream is polled"]
pub struct EventStream<K: Object> {
    inbox: Inbox<K>,
    state: Arc<State<K>>,
    _running: Arc<DropGuard>,
}

impl<K: Object> EventStream<K> {
    pub(super) fn new(inbox: Inbox<K>, state: Arc<State<K>>, running: Arc<DropGuard>) -> Self {
        Self {
            inbox,
            state,
            _running: running,
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
            match ready!(self.inbox.queue.poll_recv(cx)) {
                Some(Notice::Synced) => drop(self.inbox.state.synced.send_replace(true)),
                Some(Notice::Event(event)) => {
                    self.inbox.state.handled();
                    return Poll::Ready(Some(event));
                }
                None => return Poll::Ready(None),
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
