//! The notifications of an informer and the handlers that receive them.
use std::{fmt, sync::Arc};

use kube::Resource;

use crate::cache::ObjectKey;

/// A deleted object.
#[derive(PartialEq, Eq)]
pub struct Deleted<K> {
    /// The final state of the object, or its last cached state if `final_state_unknown`.
    pub object: Arc<K>,
    /// Whether this is a tombstone: the informer missed the deletion and a later list revealed it, so `object` may be older than the final
    /// state (client-go's `DeletedFinalStateUnknown`).
    pub final_state_unknown: bool,
}

/// Shows the name: the object may be a Secret.
impl<K: Resource> fmt::Debug for Deleted<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deleted")
            .field("object", &ObjectKey::of(&*self.object))
            .field("final_state_unknown", &self.final_state_unknown)
            .finish()
    }
}

impl<K> Clone for Deleted<K> {
    fn clone(&self) -> Self {
        Self {
            object: Arc::clone(&self.object),
            final_state_unknown: self.final_state_unknown,
        }
    }
}

/// A change of an object. The events of one object arrive in the order of its changes; intermediate states may be missing.
///
/// There are no other events, so a `match` needs no catch-all arm: a handler that ignored a new kind of event would miss changes.
pub enum InformerEvent<K> {
    /// An object is new to this handler.
    Added {
        /// The object.
        object: Arc<K>,
        /// Whether the object already existed when the handler was added, or when the informer started.
        is_in_initial_list: bool,
    },
    /// An object changed, or a resync redelivers it (then `old` and `new` are the same).
    ///
    /// If the informer misses that an object is deleted and recreated, it reports one update, with different uids.
    Updated {
        /// The previous state.
        old: Arc<K>,
        /// The new state.
        new: Arc<K>,
    },
    /// An object was deleted.
    Deleted(Deleted<K>),
}

impl<K> InformerEvent<K> {
    /// Returns the object: the new state after a change, or the last known state after a deletion.
    pub fn into_object(self) -> Arc<K> {
        match self {
            Self::Added { object, .. } => object,
            Self::Updated { new, .. } => new,
            Self::Deleted(deleted) => deleted.object,
        }
    }
}

/// Shows names: the object may be a Secret.
impl<K: Resource> fmt::Debug for InformerEvent<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added {
                object,
                is_in_initial_list,
            } => f
                .debug_struct("Added")
                .field("object", &ObjectKey::of(&**object))
                .field("is_in_initial_list", is_in_initial_list)
                .finish(),
            Self::Updated { new, .. } => f
                .debug_tuple("Updated")
                .field(&ObjectKey::of(&**new))
                .finish(),
            Self::Deleted(deleted) => deleted.fmt(f),
        }
    }
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

/// Handles the changes of an informer's objects. Each handler has its own task and queue: a slow handler does not delay the others, but
/// blocks a thread of the runtime while it runs. A panic is logged, and the handler continues.
///
/// When a handler is called, the cache already shows this change or a later one. Objects are shared and must not be changed.
pub trait EventHandler<K>: Send + 'static {
    /// Called for a new object; see [`InformerEvent::Added`].
    fn on_add(&mut self, object: &Arc<K>, is_in_initial_list: bool) {
        let _ = (object, is_in_initial_list);
    }

    /// Called when an object changes or a resync redelivers it; see [`InformerEvent::Updated`].
    fn on_update(&mut self, old: &Arc<K>, new: &Arc<K>) {
        let _ = (old, new);
    }

    /// Called when an object is deleted.
    fn on_delete(&mut self, deleted: &Deleted<K>) {
        let _ = deleted;
    }
}

/// Calls the method for the event.
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

/// An event handler made of closures. Events without a closure are ignored.
///
/// ```
/// # use k8s_openapi::api::core::v1::Pod;
/// use kube::ResourceExt;
/// use kube_codegen_runtime::informer::EventHandlerFuncs;
///
/// let handler = EventHandlerFuncs::<Pod>::new()
///     .on_add(|pod, _| println!("new: {}", pod.name_any()))
///     .on_delete(|deleted| println!("deleted: {}", deleted.object.name_any()));
/// ```
pub struct EventHandlerFuncs<K> {
    add: Option<OnAdd<K>>,
    update: Option<OnUpdate<K>>,
    delete: Option<OnDelete<K>>,
}

impl<K> EventHandlerFuncs<K> {
    /// Creates a handler that ignores all events.
    #[must_use]
    pub fn new() -> Self {
        Self {
            add: None,
            update: None,
            delete: None,
        }
    }

    /// Calls `f` with each new object, and with whether it is part of the initial list.
    #[must_use]
    pub fn on_add(mut self, f: impl FnMut(&Arc<K>, bool) + Send + 'static) -> Self {
        self.add = Some(Box::new(f));
        self
    }

    /// Calls `f` with the old and the new state of an object.
    #[must_use]
    pub fn on_update(mut self, f: impl FnMut(&Arc<K>, &Arc<K>) + Send + 'static) -> Self {
        self.update = Some(Box::new(f));
        self
    }

    /// Calls `f` with each deleted object.
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
