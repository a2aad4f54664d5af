//! One handler's side of an informer: a growing queue of shared objects, so that a slow handler never holds up the watch.
use super::{
    error::Stopped,
    handler::{EventHandler, InformerEvent, dispatch},
};
use futures::Stream;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tracing::error;

/// What travels through a handler's queue.
enum Notice<K> {
    Event(InformerEvent<K>),
    /// All of the initial list is before this.
    Synced,
}

/// What is known of a handler on both ends of its queue.
pub(super) struct ListenerState {
    synced: watch::Sender<bool>,
    pending: AtomicUsize,
    /// Ends with the informer, or earlier if the handler is removed.
    pub(super) cancel: CancellationToken,
}

/// The sending end, held by the informer.
pub(super) struct Listener<K> {
    queue: mpsc::UnboundedSender<Notice<K>>,
    pub(super) state: Arc<ListenerState>,
    /// Wants to hear of unchanged objects too.
    pub(super) resyncs: bool,
}

/// The receiving end.
pub(super) struct Inbox<K> {
    queue: mpsc::UnboundedReceiver<Notice<K>>,
    state: Arc<ListenerState>,
}

/// Both ends of a new queue; `cancel` ends it.
pub(super) fn queue<K>(cancel: CancellationToken, resyncs: bool) -> (Listener<K>, Inbox<K>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let state = Arc::new(ListenerState {
        synced: watch::Sender::new(false),
        pending: AtomicUsize::new(0),
        cancel,
    });
    (
        Listener {
            queue: sender,
            state: Arc::clone(&state),
            resyncs,
        },
        Inbox {
            queue: receiver,
            state,
        },
    )
}

impl<K> Listener<K> {
    /// Queues one event; never waits. Nobody listening any more is no failure.
    pub(super) fn send(&self, event: InformerEvent<K>) {
        self.state.pending.fetch_add(1, Ordering::Relaxed);
        let _ = self.queue.send(Notice::Event(event));
    }

    /// Tells the handler that the initial list is complete.
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

    /// Waits until the initial list has been handled, or the handler has come to its end without.
    pub(super) async fn wait_synced(&self) -> Result<(), Stopped> {
        let mut synced = self.synced.subscribe();
        tokio::select! {
            biased;
            result = synced.wait_for(|synced| *synced) => result.map(drop).map_err(|_| Stopped),
            () = self.cancel.cancelled() => Err(Stopped),
        }
    }

    fn handled(&self) {
        self.pending.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<K: Send + Sync + 'static> Inbox<K> {
    /// Feeds `handler` until the informer stops or the handler is removed; what is queued then is dropped.
    pub(super) async fn drive(mut self, mut handler: impl EventHandler<K>) {
        let cancel = self.state.cancel.clone();
        while let Some(Some(notice)) = cancel.run_until_cancelled(self.queue.recv()).await {
            match notice {
                Notice::Synced => drop(self.state.synced.send_replace(true)),
                Notice::Event(event) => {
                    if catch_unwind(AssertUnwindSafe(|| dispatch(&mut handler, &event))).is_err() {
                        error!(
                            "an informer's event handler panicked; it goes on with the next event"
                        );
                    }
                    self.state.handled();
                }
            }
            // A synchronous handler with a long queue must not starve its neighbours.
            tokio::task::consume_budget().await;
        }
    }
}

/// The notifications of an informer as a stream; see [`SharedInformer::events`](super::SharedInformer::events). Dropping it ends the subscription.
#[must_use = "a stream that is not polled only piles up events"]
pub struct EventStream<K> {
    inbox: Inbox<K>,
}

impl<K> EventStream<K> {
    pub(super) fn new(inbox: Inbox<K>) -> Self {
        Self { inbox }
    }

    /// Whether everything of the initial list has been taken from the stream.
    pub fn has_synced(&self) -> bool {
        self.inbox.state.has_synced()
    }

    /// How many events wait to be taken.
    pub fn pending(&self) -> usize {
        self.inbox.state.pending()
    }
}

impl<K> Stream for EventStream<K> {
    type Item = InformerEvent<K>;

    /// The next event; `None` once the informer has stopped and all that came before has been taken.
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

impl<K> Drop for EventStream<K> {
    fn drop(&mut self) {
        self.inbox.state.cancel.cancel();
    }
}
