//! A handler that checks its sequence of events: an object is added, updated from exactly the state before, and deleted.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use k8s_openapi::api::core::v1::ConfigMap;
use kube_codegen_runtime::informer::{Deleted, EventHandler};

/// What a handler has seen so far.
#[derive(Default)]
pub(crate) struct Seen {
    /// Name and resource version of each object that exists for the handler.
    pub(crate) objects: BTreeMap<String, String>,
    pub(crate) events: u64,
    pub(crate) problems: Vec<String>,
}

/// Records into what the test reads.
pub(crate) struct Sequence(pub(crate) Arc<Mutex<Seen>>);

pub(crate) fn name_and_version(map: &ConfigMap) -> (String, String) {
    let meta = &map.metadata;
    (
        meta.name.clone().unwrap_or_default(),
        meta.resource_version.clone().unwrap_or_default(),
    )
}

impl Sequence {
    fn record(&self, event: &str, map: &ConfigMap, before: Option<&ConfigMap>, gone: bool) {
        let mut seen = self.0.lock().unwrap();
        let (name, version) = name_and_version(map);
        let known = if gone {
            seen.objects.remove(&name)
        } else {
            seen.objects.insert(name.clone(), version.clone())
        };
        let expected = before.map(|map| name_and_version(map).1);
        seen.events += 1;
        if known != expected {
            seen.problems.push(format!("{event} {name}@{version}: the state before is {expected:?}, the handler has {known:?}"));
        }
    }
}

impl EventHandler<ConfigMap> for Sequence {
    fn on_add(&mut self, object: &Arc<ConfigMap>, _: bool) {
        self.record("added", object, None, false);
    }

    fn on_update(&mut self, old: &Arc<ConfigMap>, new: &Arc<ConfigMap>) {
        self.record("updated", new, Some(old), false);
    }

    fn on_delete(&mut self, deleted: &Deleted<ConfigMap>) {
        // The last state is that of the deletion, or the last known one.
        let known = self
            .0
            .lock()
            .unwrap()
            .objects
            .get(&name_and_version(&deleted.object).0)
            .cloned();
        let mut last = (*deleted.object).clone();
        if !deleted.final_state_unknown && known.is_some() {
            last.metadata.resource_version = known;
        }
        self.record("deleted", &deleted.object, Some(&last), true);
    }
}
