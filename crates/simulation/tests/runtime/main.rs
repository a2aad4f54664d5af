//! The runtime keeps its contract under all faults: at rest, cache and handlers know what the server has; no event is lost or out of order;
//! and no key is processed twice at the same time.
//!
//! `SIMULATE_BUDGET` and `SIMULATE_SEED` set how many schedules run, and from which seed.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the simulation reports panics"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt as _,
    api::{Patch, PatchParams},
};
use kube_codegen_runtime::{
    controller::Action,
    informer::{Deleted, EventHandler, ObjectKey},
    lister::Lister,
    manager::{Manager, ManagerError},
};
use kube_codegen_simulation::{Budget, Simulation, Workload};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// What the current process has seen.
#[derive(Default)]
struct Seen {
    /// The objects by the handler's events: uid and resource version.
    handled: BTreeMap<ObjectKey, (String, u64)>,
    /// What the last reconcile of each key got.
    reconciled: BTreeMap<ObjectKey, Option<u64>>,
    /// Keys that a reconcile works on.
    active: BTreeSet<ObjectKey>,
    lister: Option<Lister<ConfigMap>>,
}

type Shared = Arc<Mutex<Seen>>;

fn lock<T>(seen: &Mutex<T>) -> MutexGuard<'_, T> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

fn version(map: &ConfigMap) -> (String, u64) {
    let version = map.resource_version().unwrap_or_default();
    (map.uid().unwrap_or_default(), version.parse().unwrap())
}

/// Records events, and panics where they contradict those before.
struct Handler(Shared);

impl EventHandler<ConfigMap> for Handler {
    fn on_add(&mut self, map: &Arc<ConfigMap>, _: bool) {
        let before = lock(&self.0)
            .handled
            .insert(ObjectKey::of(&**map), version(map));
        assert!(
            before.is_none(),
            "added twice: {before:?}, {:?}",
            version(map)
        );
    }

    fn on_update(&mut self, old: &Arc<ConfigMap>, new: &Arc<ConfigMap>) {
        let (uid, newest) = version(new);
        let before = lock(&self.0)
            .handled
            .insert(ObjectKey::of(&**new), (uid.clone(), newest));
        let Some((known, last)) = before else {
            panic!("updated before it was added: {}", new.name_any())
        };
        assert_eq!(
            (known.clone(), last),
            version(old),
            "the old object is another one"
        );
        assert!(
            known != uid || last <= newest,
            "{last} came before {newest}"
        );
    }

    fn on_delete(&mut self, deleted: &Deleted<ConfigMap>) {
        let key = ObjectKey::of(&*deleted.object);
        let before = lock(&self.0).handled.remove(&key);
        assert!(before.is_some(), "deleted before it was added: {key}");
    }
}

struct Context {
    seen: Shared,
    client: Client,
}

/// Writes a label that follows from the data, after a while in which events of the same object may arrive.
async fn reconcile(
    key: ObjectKey,
    map: Option<Arc<ConfigMap>>,
    context: Arc<Context>,
) -> kube::Result<Action> {
    let is_first = lock(&context.seen).active.insert(key.clone());
    assert!(is_first, "{key} is processed twice at the same time");
    let result = label(&key, map.as_deref(), &context).await;
    let mut seen = lock(&context.seen);
    seen.active.remove(&key);
    seen.reconciled.insert(key, map.map(|map| version(&map).1));
    result
}

async fn label(
    key: &ObjectKey,
    map: Option<&ConfigMap>,
    context: &Context,
) -> kube::Result<Action> {
    tokio::time::sleep(Duration::from_millis(fastrand::u64(0..20))).await;
    let Some(map) = map else {
        return Ok(Action::await_change());
    };
    let text = map.data.as_ref().and_then(|data| data.get("text"));
    if map.metadata.deletion_timestamp.is_none() && map.labels().get("text") != text {
        let maps = Api::<ConfigMap>::namespaced(context.client.clone(), "default");
        let patch = json!({"metadata": {"uid": map.uid(), "labels": {"text": text}}});
        let params = PatchParams::default();
        match maps.patch(&key.name, &params, &Patch::Merge(patch)).await {
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            other => drop(other?),
        }
    }
    Ok(Action::await_change())
}

/// Runs a process, and replaces what the former one has seen.
async fn run(client: Client, current: Arc<Mutex<Shared>>) -> Result<(), ManagerError> {
    let manager = Manager::builder(client, "recorder").workers(3).build()?;
    let maps = manager.factory().informer::<ConfigMap>();
    let seen = Shared::default();
    lock(&seen).lister = Some(maps.lister().detached());
    lock(&current).clone_from(&seen);
    let _registration = maps.add_event_handler(Handler(seen.clone()));
    let context = Context {
        seen,
        client: manager.client(),
    };
    manager.reconcile().run_keyed(reconcile, context);
    manager.run(std::future::pending()).await
}

/// Compares what the process knows with the server.
fn compare(server: &ApiServer, seen: &Shared) -> Result<(), String> {
    let seen = lock(seen);
    let versions = |maps: &[&ConfigMap]| -> BTreeMap<ObjectKey, (String, u64)> {
        let entries = maps.iter().map(|map| (ObjectKey::of(*map), version(map)));
        entries.collect()
    };
    let stored = server.list::<ConfigMap>();
    let stored = versions(&stored.iter().collect::<Vec<_>>());
    let cached = seen.lister.as_ref().map(Lister::all).unwrap_or_default();
    let cached = versions(&cached.iter().map(|map| &**map).collect::<Vec<_>>());
    if cached != stored {
        return Err(format!("the cache has {cached:?}, the server {stored:?}"));
    }
    if seen.handled != stored {
        return Err(format!(
            "the handler knows {:?}, the server has {stored:?}",
            seen.handled
        ));
    }
    for (key, (_, version)) in &stored {
        let last = seen.reconciled.get(key);
        if last != Some(&Some(*version)) {
            return Err(format!(
                "the last reconcile of {key} got {last:?}, not {version}"
            ));
        }
    }
    let gone = seen
        .reconciled
        .iter()
        .find(|(key, last)| last.is_some() && !stored.contains_key(key));
    match gone {
        Some((key, _)) => Err(format!("{key} was not reconciled after its deletion")),
        None if seen.active.is_empty() => Ok(()),
        None => Err(format!("reconciles have not ended: {:?}", seen.active)),
    }
}

fn map(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"},
        "data": {"text": "one"},
    })
}

fn workload() -> Workload {
    let a = &format!("{MAPS}/a");
    let text = |text: &str| json!({"data": {"text": text}});
    Workload::new("three maps")
        .create(MAPS, map("a"))
        .create(MAPS, map("b"))
        .phase("change")
        .patch(a, text("two"))
        .create(MAPS, map("c"))
        .patch(a, text("three"))
        .phase("delete and create again")
        .delete(a)
        .create(MAPS, map("a"))
        .patch(&format!("{MAPS}/b"), text("two"))
        .phase("delete")
        .delete(a)
        .delete(&format!("{MAPS}/b"))
        .delete(&format!("{MAPS}/c"))
        .leaves_nothing()
}

#[test]
fn informer_queue_and_controller_keep_their_contract() {
    let current = Arc::new(Mutex::new(Shared::default()));
    let compared = current.clone();
    Simulation::new("the runtime")
        .workload(workload())
        .operator(move |client| run(client, current.clone()))
        .eventually("the process knows what the server has", move |server| {
            compare(server, &lock(&compared))
        })
        .faults(5)
        .budget(Budget::Schedules(400))
        // All runs have what the current process has seen in one place.
        .threads(1)
        .run();
}
