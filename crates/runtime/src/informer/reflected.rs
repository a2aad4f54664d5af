//! What kube's controllers need of an informer: a store and a stream of changes, without a list and watch of their own.
use std::{collections::HashMap, hash::Hash, pin::Pin, sync::Arc, task::Poll};

use futures::{Stream, stream};
use kube::runtime::{
    reflector::{Store, store::Writer},
    watcher::Event,
};

use super::{InformerEvent, SharedInformer};
use crate::{Object, cache::ObjectKey};

impl<K: Object + Clone> SharedInformer<K>
where
    K::DynamicType: Default + Eq + Hash + Clone,
{
    /// Returns a kube store with the objects of this informer, and a stream of new and changed objects. Pass both to
    /// `kube::runtime::Controller::for_shared_stream`, so that the controller needs no list and watch of its own.
    ///
    /// The store is ready after the first list. It is kept up to date while the stream is polled, which a `Controller` does, and shows
    /// each change before the stream yields the object. Deletions appear in the store but not in the stream. The store holds a copy of
    /// each object.
    ///
    /// ```
    /// use futures::StreamExt;
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube::runtime::reflector::ObjectRef;
    /// use kube_codegen_runtime::informer::{InformerConfig, SharedInformer};
    /// use kube_codegen_testing::ApiServer;
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = ApiServer::new();
    /// server.seed(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}))?;
    /// let informer = SharedInformer::<ConfigMap>::new(server.client(), InformerConfig::default());
    /// let (maps, mut changes) = informer.reflect();
    /// informer.start();
    /// assert_eq!(changes.next().await.unwrap().metadata.name.as_deref(), Some("a"));
    /// # let drive = async { while changes.next().await.is_some() {} };
    /// # tokio::select! { biased; () = drive => {} ready = maps.wait_until_ready() => ready? }
    /// assert!(maps.get(&ObjectRef::new("a").within("default")).is_some());
    /// # Ok(()) }
    /// ```
    pub fn reflect(&self) -> (Store<K>, impl Stream<Item = Arc<K>> + Send + Unpin + use<K>)
    where
        K::DynamicType: Send + Sync,
    {
        let mut writer = Writer::<K>::new(K::DynamicType::default());
        let store = writer.as_reader();
        let mut events = self.events();
        // The objects of the first list, until it is complete: a store of kube takes them all at once.
        let mut initial = Some(HashMap::<ObjectKey, Arc<K>>::new());
        let changes = stream::poll_fn(move |cx| {
            loop {
                let polled = Pin::new(&mut events).poll_next(cx);
                if events.has_synced()
                    && let Some(objects) = initial.take()
                {
                    writer.apply_watcher_event(&Event::Init);
                    for object in objects.into_values() {
                        writer.apply_watcher_event(&Event::InitApply(Arc::unwrap_or_clone(object)));
                    }
                    writer.apply_watcher_event(&Event::InitDone);
                }
                let event = match polled {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(None) => return Poll::Ready(None),
                    Poll::Ready(Some(event)) => event,
                };
                let is_deleted = matches!(event, InformerEvent::Deleted(_));
                let object = event.into_object();
                match (&mut initial, is_deleted) {
                    (Some(objects), false) => {
                        objects.insert(ObjectKey::of(&*object), Arc::clone(&object));
                    }
                    (Some(objects), true) => drop(objects.remove(&ObjectKey::of(&*object))),
                    (None, false) => writer.apply_watcher_event(&Event::Apply(K::clone(&object))),
                    (None, true) => writer.apply_watcher_event(&Event::Delete(K::clone(&object))),
                }
                if !is_deleted {
                    return Poll::Ready(Some(object));
                }
            }
        });
        (store, changes)
    }
}
