//! The queue between an informer and one handler. It grows as needed, so that a slow handler never delays the watch.
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use tokio::sync::{mpsc, watch};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::error;

use super::{
    error::Stopped,
    handler::{Deleted, InformerEvent},
    waiting::wait_synced,
};
use crate::{
    Object,
    cache::{Delta, Form, Shared, Slot, typed},
    panics,
};

/// An entry of the queue. Those of which there are as many as objects hold them as the cache does: the queue of a compact cache is compact.
#[derive(Clone)]
pub(super) enum Notice {
    /// An object is new to the handler, and whether the initial list has it.
    Added(Slot, bool),
    /// An object is redelivered.
    Redelivered(Slot),
    Updated(Shared, Shared),
    /// An object is gone, and whether its final state is unknown.
    Deleted(Shared, bool),
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
pub(super) struct Listener {
    queue: mpsc::UnboundedSender<Notice>,
    pub(super) state: Arc<ListenerState>,
    /// Whether the handler gets unchanged objects too.
    pub(super) resyncs: bool,
}

/// The receiving end.
pub(super) struct Inbox {
    pub(super) queue: mpsc::UnboundedReceiver<Notice>,
    form: Form,
    pub(super) state: Arc<ListenerState>,
    _end: DropGuard,
}

/// Creates both ends of a queue; `cancel` closes it.
pub(super) fn queue(form: Form, cancel: CancellationToken, resyncs: bool) -> (Listener, Inbox) {
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

impl Listener {
    /// Queues an entry without waiting. Does nothing if the receiver is gone.
    pub(super) fn send(&self, notice: Notice) {
        if !matches!(notice, Notice::Synced) {
            self.state.pending.fetch_add(1, Ordering::Relaxed);
        }
        let _ = self.queue.send(notice);
    }
}

/// The sending ends of all handlers of an informer.
pub(super) struct Listeners {
    pub(super) all: Vec<Listener>,
    /// How the store holds its objects.
    pub(super) form: Form,
    /// The first list of each scope is in the store.
    pub(super) synced: bool,
}

impl Listeners {
    /// Returns the notice of a change that was just made.
    pub(super) fn notice(&self, delta: Delta) -> Notice {
        match delta {
            Delta::Added(object) => Notice::Added(self.form.held(&object), !self.synced),
            Delta::Listed(held) => Notice::Added(held, !self.synced),
            Delta::Unchanged(object) => Notice::Redelivered(self.form.held(&object)),
            Delta::Updated(old, new) => Notice::Updated(old, new),
            Delta::Deleted(object, final_state_unknown) => {
                Notice::Deleted(object, final_state_unknown)
            }
        }
    }

    /// Sends one change, which was just made, to every listener that wants it.
    pub(super) fn notify(&self, delta: Delta) {
        self.send(&self.notice(delta));
    }

    /// Sends the whole life of objects that readers have seen, and that were deleted before the watch delivered them: a reconcile may wait for
    /// a change of them.
    pub(super) fn notify_vanished(&self, objects: Vec<Shared>) {
        for object in objects {
            self.notify(Delta::Added(Arc::clone(&object)));
            self.notify(Delta::Deleted(object, true));
        }
    }

    /// Sends a notice to every listener that wants it.
    pub(super) fn send(&self, notice: &Notice) {
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
        wait_synced(&self.synced, &self.cancel).await
    }

    /// Waits until the handler gets no more notifications. Before the start of the informer, it has got none.
    pub(super) async fn ended(&self) {
        if self.driven.load(Ordering::Acquire) {
            self.ended.cancelled().await;
        }
    }

    pub(super) fn handled(&self) {
        self.pending.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A notice with its object decoded, before it gets its type.
pub(super) enum Change {
    /// An object, and whether the initial list has it.
    Added(Shared, bool),
    Updated(Shared, Shared),
    /// An object, and whether its final state is unknown.
    Deleted(Shared, bool),
}

impl Change {
    /// Returns the event, for a handler of `K`.
    pub(super) fn event<K: Object>(self) -> InformerEvent<K> {
        match self {
            Self::Added(object, is_in_initial_list) => InformerEvent::Added {
                object: typed(object),
                is_in_initial_list,
            },
            Self::Updated(old, new) => InformerEvent::Updated {
                old: typed(old),
                new: typed(new),
            },
            Self::Deleted(object, final_state_unknown) => InformerEvent::Deleted(Deleted {
                object: typed(object),
                final_state_unknown,
            }),
        }
    }
}

/// A handler whose type is erased.
pub(super) type HandlerFn = Box<dyn FnMut(Change) + Send>;

impl Inbox {
    /// Returns the change in an entry; `None` for the end of the initial list.
    pub(super) fn open(&self, notice: Notice) -> Option<Change> {
        Some(match notice {
            Notice::Added(held, is_in_initial_list) => {
                Change::Added(self.form.see(&held), is_in_initial_list)
            }
            Notice::Redelivered(held) => {
                let object = self.form.see(&held);
                Change::Updated(Arc::clone(&object), object)
            }
            Notice::Updated(old, new) => Change::Updated(old, new),
            Notice::Deleted(object, final_state_unknown) => {
                Change::Deleted(object, final_state_unknown)
            }
            Notice::Synced => {
                self.state.synced.send_replace(true);
                return None;
            }
        })
    }

    /// Calls `handler` until the informer stops or the handler is removed. Changes still queued then are dropped.
    pub(super) async fn drive(mut self, mut handler: HandlerFn) {
        self.state.driven.store(true, Ordering::Release);
        let cancel = self.state.cancel.clone();
        while let Some(Some(notice)) = cancel.run_until_cancelled(self.queue.recv()).await {
            if let Some(change) = self.open(notice) {
                if let Err(panic) = panics::catch(|| handler(change)) {
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
