//! What handlers of an informer are told, and the forms in which one can be written.
use std::{fmt, sync::Arc};

/// An object that is gone from the cache.
#[derive(Debug, PartialEq, Eq)]
pub struct Deleted<K> {
    /// Its final state, or the last one that the informer saw (see `final_state_unknown`).
    pub object: Arc<K>,
    /// The deletion itself was missed and only found out by a later list: `object` may be older than the object's end (client-go's
    /// `DeletedFinalStateUnknown`).
    pub final_state_unknown: bool,
}

impl<K> Clone for Deleted<K> {
    fn clone(&self) -> Self {
        Self {
            object: Arc::clone(&self.object),
            final_state_unknown: self.final_state_unknown,
        }
    }
}

/// One notification. For one object they come in the order of its changes; states in between may be left out.
#[derive(Debug)]
pub enum InformerEvent<K> {
    /// An object is new to this handler.
    Added {
        /// The object.
        object: Arc<K>,
        /// It was there when the handler began to listen, or when the informer started, rather than having come up since.
        is_in_initial_list: bool,
    },
    /// An object changed, or (`old` and `new` being one and the same) a resync brings it up again.
    ///
    /// An object deleted and created anew in a moment that the informer missed comes as one update between different uids.
    Updated {
        /// The state before.
        old: Arc<K>,
        /// The state now.
        new: Arc<K>,
    },
    /// An object is gone.
    Deleted(Deleted<K>),
}

impl<K> Clone for InformerEvent<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Added {
                object,
                is_in_initial_list,
            } => Self::Added {
                object: Arc::clone(object),
                is_in_initial_list: *is_in_initial_list,
            },
            Self::Updated { old, new } => Self::Updated {
                old: Arc::clone(old),
                new: Arc::clone(new),
            },
            Self::Deleted(deleted) => Self::Deleted(deleted.clone()),
        }
    }
}

/// Reacts to the changes of an informer's objects. Each handler has a task and a queue of its own: it may take its time without holding up others, but
/// blocks a thread of the runtime while it does. A panic is logged and does not end it.
///
/// The cache already shows the change, or a later one, when a handler hears of it. Objects are shared: they are read, never changed.
pub trait EventHandler<K>: Send + 'static {
    /// An object is new; see [`InformerEvent::Added`].
    fn on_add(&mut self, object: &Arc<K>, is_in_initial_list: bool) {
        let _ = (object, is_in_initial_list);
    }

    /// An object changed or was resynced; see [`InformerEvent::Updated`].
    fn on_update(&mut self, old: &Arc<K>, new: &Arc<K>) {
        let _ = (old, new);
    }

    /// An object is gone.
    fn on_delete(&mut self, deleted: &Deleted<K>) {
        let _ = deleted;
    }
}

/// Calls the method that fits the event.
pub(super) fn dispatch<K>(handler: &mut impl EventHandler<K>, event: &InformerEvent<K>) {
    match event {
        InformerEvent::Added {
            object,
            is_in_initial_list,
        } => handler.on_add(object, *is_in_initial_list),
        InformerEvent::Updated { old, new } => handler.on_update(old, new),
        InformerEvent::Deleted(deleted) => handler.on_delete(deleted),
    }
}

type OnAdd<K> = Box<dyn FnMut(&Arc<K>, bool) + Send>;
type OnUpdate<K> = Box<dyn FnMut(&Arc<K>, &Arc<K>) + Send>;
type OnDelete<K> = Box<dyn FnMut(&Deleted<K>) + Send>;

/// A handler made of closures; what is not given is not listened to.
///
/// ```
/// # use k8s_openapi::api::core::v1::Pod;
/// use kube::ResourceExt;
/// use kube_codegen_runtime::informer::EventHandlerFuncs;
///
/// let handler = EventHandlerFuncs::<Pod>::new()
///     .on_add(|pod, _| println!("new: {}", pod.name_any()))
///     .on_delete(|deleted| println!("gone: {}", deleted.object.name_any()));
/// ```
pub struct EventHandlerFuncs<K> {
    add: Option<OnAdd<K>>,
    update: Option<OnUpdate<K>>,
    delete: Option<OnDelete<K>>,
}

impl<K> EventHandlerFuncs<K> {
    /// A handler that does nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            add: None,
            update: None,
            delete: None,
        }
    }

    /// Called with each new object, and whether it is part of the initial list.
    #[must_use]
    pub fn on_add(mut self, f: impl FnMut(&Arc<K>, bool) + Send + 'static) -> Self {
        self.add = Some(Box::new(f));
        self
    }

    /// Called with the old and the new state of an object.
    #[must_use]
    pub fn on_update(mut self, f: impl FnMut(&Arc<K>, &Arc<K>) + Send + 'static) -> Self {
        self.update = Some(Box::new(f));
        self
    }

    /// Called with each object that is gone.
    #[must_use]
    pub fn on_delete(mut self, f: impl FnMut(&Deleted<K>) + Send + 'static) -> Self {
        self.delete = Some(Box::new(f));
        self
    }
}

impl<K> Default for EventHandlerFuncs<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> fmt::Debug for EventHandlerFuncs<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventHandlerFuncs")
            .field("add", &self.add.is_some())
            .field("update", &self.update.is_some())
            .field("delete", &self.delete.is_some())
            .finish()
    }
}

impl<K: 'static> EventHandler<K> for EventHandlerFuncs<K> {
    fn on_add(&mut self, object: &Arc<K>, is_in_initial_list: bool) {
        if let Some(f) = &mut self.add {
            f(object, is_in_initial_list);
        }
    }

    fn on_update(&mut self, old: &Arc<K>, new: &Arc<K>) {
        if let Some(f) = &mut self.update {
            f(old, new);
        }
    }

    fn on_delete(&mut self, deleted: &Deleted<K>) {
        if let Some(f) = &mut self.delete {
            f(deleted);
        }
    }
}
