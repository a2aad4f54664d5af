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
    handler::{Deleted, EventHandler, InformerEvent, dispatch},
    state::{self, State},
};
use crate::{
    cache::{Delta, Form, Held, Object},
    panics,
};

/// An entry of the queue. Those of which there are as many as objects hold them as the cache does: the queue of a compact cache is compact.
pub(super) enum Notice<K> {
    /// An object is new to the handler, and whether the initial list has it.
    Added(Held<K>, bool),
    /// An object is redelivered.
    Redelivered(Held<K>),
    Event(InformerEvent<K>),
    /// The initial list is complete.
    Synced,
}

impl<K> Clone for Notice<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Added(held, is_in_initial_list) => Self::Added(held.clone(), *is_in_initial_list),
            Self::Redelivered(held) => Self::Redelivered(held.clone()),
            Self::Event(event) => Self::Event(event.clone()),
            Self::Synced => Self::Synced,
        }
    }
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
    form: Form<K>,
    state: Arc<ListenerState>,
    _end: DropGuard,
}

/// Creates both ends of a queue; `cancel` closes it.
pub(super) fn queue<K>(
    form: Form<K>,
    cancel: CancellationToken,
    resyncs: bool,
) -> (Listener<K>, Inbox<K>) {
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
            form,
            _end: state.ended.clone().drop_guard(),
            state,
        },
    )
}

impl<K> Listener<K> {
    /// Queues an entry without waiting. Does nothing if the receiver is gone.
    pub(super) fn send(&self, notice: Notice<K>) {
        if !matches!(notice, Notice::Synced) {
            self.state.pending.fetch_add(1, Ordering::Relaxed);
        }
        let _ = self.queue.send(notice);
    }
}

/// The sending ends of all handlers of an informer.
pub(super) struct Listeners<K> {
    pub(super) all: Vec<Listener<K>>,
    /// How the store holds its objects.
    pub(super) form: Form<K>,
    /// The first list of each scope is in the store.
    pub(super) synced: bool,
}

impl<K: Object> Listeners<K> {
    /// Returns the notice of a change that was just made.
    pub(super) fn notice(&self, delta: Delta<K>) -> Notice<K> {
        match delta {
            Delta::Added(object) => Notice::Added(self.form.held(&object), !self.synced),
            Delta::Unchanged(object) => Notice::Redelivered(self.form.held(&object)),
            Delta::Updated(old, new) => Notice::Event(InformerEvent::Updated { old, new }),
            Delta::Deleted(object, final_state_unknown) => {
                Notice::Event(InformerEvent::Deleted(Deleted {
                    object,
                    final_state_unknown,
                }))
            }
        }
    }

    /// Sends one change, which was just made, to every listener that wants it.
    pub(super) fn notify(&self, delta: Delta<K>) {
        self.send(&self.notice(delta));
    }

    /// Sends the whole life of objects that readers have seen, and that were deleted before the watch delivered them: a reconcile may wait for
    /// a change of them.
    pub(super) fn notify_vanished(&self, objects: Vec<Arc<K>>) {
        for object in objects {
            self.notify(Delta::Added(Arc::clone(&object)));
            self.notify(Delta::Deleted(object, true));
        }
    }

    /// Sends a notice to every listener that wants it.
    pub(super) fn send(&self, notice: &Notice<K>) {
        for listener in &self.all {
            if listener.resyncs || !matches!(notice, Notice::Redelivered(_)) {
                listener.send(notice.clone());
            }
        }
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

impl<K: Object> Inbox<K> {
    /// Returns the event of an entry; `None` for the end of the initial list.
    fn open(&self, notice: Notice<K>) -> Option<InformerEvent<K>> {
        let event = match notice {
            Notice::Added(held, is_in_initial_list) => InformerEvent::Added {
                object: self.form.read(&held),
                is_in_initial_list,
            },
            Notice::Redelivered(held) => {
                let object = self.form.read(&held);
                InformerEvent::Updated {
                    old: Arc::clone(&object),
                    new: object,
                }
            }
            Notice::Event(event) => event,
            Notice::Synced => {
                self.state.synced.send_replace(true);
                return None;
            }
        };
        Some(event)
    }

    /// Calls `handler` until the informer stops or the handler is removed. Events still queued then are dropped.
    pub(super) async fn drive(mut self, mut handler: impl EventHandler<K>) {
        self.state.driven.store(true, Ordering::Release);
        let cancel = self.state.cancel.clone();
        while let Some(Some(notice)) = cancel.run_until_cancelled(self.queue.recv()).await {
            if let Some(event) = self.open(notice) {
                if let Err(panic) = panics::catch(|| dispatch(&mut handler, &event)) {
                    error!(
                        panic,
                        "an event handler panicked; continuing with the next event"
                    );
                }
                self.state.handled();
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
            let Some(notice) = ready!(self.inbox.queue.poll_recv(cx)) else {
                return Poll::Ready(None);
            };
            if let Some(event) = self.inbox.open(notice) {
                self.inbox.state.handled();
                return Poll::Ready(Some(event));
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
