//! Random writes of several clients: no cache is older than a write of its own process.
use crate::caches::{
    ignoring::late,
    own_writes::{catch_up, map, merge},
};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Client,
    api::{DeleteParams, ListParams},
};
use kube_codegen_runtime::{
    client::TypedClient,
    informer::{EventHandlerFuncs, InformerEvent, InformerFactory, SharedInformer},
};
use kube_codegen_testing::{ApiServer, On};
use parking_lot::Mutex;
use serde_json::json;
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// What a handler knows, by namespace and name: each event must continue from it.
#[derive(Default)]
struct Mirror(Mutex<BTreeMap<String, Arc<ConfigMap>>>);

impl Mirror {
    fn apply(&self, event: InformerEvent<ConfigMap>) {
        let mut known = self.0.lock();
        match event {
            InformerEvent::Added { object, .. } => {
                let before = known.insert(key(&object), Arc::clone(&object));
                assert!(before.is_none(), "added twice: {object:?}");
            }
            InformerEvent::Updated { old, new } => {
                let before = known.insert(key(&new), Arc::clone(&new)).unwrap();
                assert_eq!(before, old, "an update continues from the last event");
                assert!(version(&new) >= version(&old), "{old:?} {new:?}");
            }
            InformerEvent::Deleted(gone) => {
                assert!(known.remove(&key(&gone.object)).is_some(), "{gone:?}");
            }
        }
    }
}

fn key(map: &ConfigMap) -> String {
    let meta = &map.metadata;
    format!(
        "{}/{}",
        meta.namespace.as_deref().unwrap(),
        meta.name.as_deref().unwrap()
    )
}

fn version(map: &ConfigMap) -> u64 {
    let version = map.metadata.resource_version.as_deref();
    version.unwrap().parse().unwrap()
}

/// What the last own write of an object must make visible.
#[derive(Clone, Debug)]
enum Expected {
    /// This version or a later one.
    Version(u64),
    /// Not the object with this uid.
    Gone(String),
}

/// One process with informers of different selections.
struct Process {
    informers: Vec<SharedInformer<ConfigMap>>,
    mirrors: Vec<Arc<Mirror>>,
    client: Client,
    _factories: Vec<InformerFactory>,
}

impl Process {
    /// Starts informers of a client whose writes are often answered later than the watch delivers them.
    async fn start(server: &ApiServer, seed: u64) -> Self {
        let random = Mutex::new(fastrand::Rng::with_seed(seed));
        let random = Arc::new(random);
        let delay = move || Duration::from_millis(random.lock().u64(..20).saturating_sub(10));
        let builder = || InformerFactory::builder(server.client());
        let factories = vec![
            builder().build(),
            builder().namespaces(["one", "two"]).build(),
            builder().label_selector("on=yes").build(),
        ];
        let (mut informers, mut mirrors) = (Vec::new(), Vec::new());
        let mut client = late(server, delay);
        for factory in &factories {
            let informer = factory.informer::<ConfigMap>();
            let mirror = Arc::new(Mirror::default());
            let (add, update, delete) = (mirror.clone(), mirror.clone(), mirror.clone());
            let handler = EventHandlerFuncs::<ConfigMap>::new()
                .on_add(move |object, is_in_initial_list| {
                    add.apply(InformerEvent::Added {
                        object: object.clone(),
                        is_in_initial_list,
                    });
                })
                .on_update(move |old, new| {
                    update.apply(InformerEvent::Updated {
                        old: old.clone(),
                        new: new.clone(),
                    });
                })
                .on_delete(move |gone| delete.apply(InformerEvent::Deleted(gone.clone())));
            let _ = informer.add_event_handler(handler);
            client = factory.track_writes(&client);
            factory.start();
            factory.wait_for_cache_sync().await.unwrap();
            informers.push(informer);
            mirrors.push(mirror);
        }
        Self {
            informers,
            mirrors,
            client,
            _factories: factories,
        }
    }
}

/// Fails if a cache shows an older state than a write of the same process, unless another client has changed the object since.
fn check(process: &Process, expected: &BTreeMap<(String, String), Expected>, context: &str) {
    for ((namespace, name), expected) in expected {
        for (index, informer) in process.informers.iter().enumerate() {
            let read = informer.lister().namespaced(namespace).get(name).ok();
            let listed = informer.lister().namespaced(namespace).all();
            let listed = listed
                .iter()
                .find(|map| map.metadata.name.as_ref() == Some(name));
            assert_eq!(read.as_ref(), listed, "{context}: informer {index}");
            let Some(read) = read else { continue };
            let is_fresh = match expected {
                Expected::Version(written) => version(&read) >= *written,
                Expected::Gone(uid) => read.metadata.uid.as_ref() != Some(uid),
            };
            assert!(
                is_fresh,
                "{context}: informer {index} shows {read:?} after {expected:?}"
            );
        }
    }
}

/// Changes a random object. Returns what reads must show from then on.
async fn change(
    random: &mut fastrand::Rng,
    client: &Client,
    namespace: &str,
    name: &str,
) -> Option<Expected> {
    let maps = TypedClient::<ConfigMap>::namespaced(client.clone(), namespace);
    let on = random.choice(["yes", "no"]).unwrap();
    let written = match random.u32(..10) {
        0..=2 => {
            let mut object = map(name, on);
            if random.u32(..4) == 0 {
                object.metadata.finalizers = Some(vec!["example.com/a".to_owned()]);
            }
            maps.create(&object).await.ok()
        }
        3..=5 => {
            let n = random.u32(..3).to_string();
            let patch = json!({"metadata": {"labels": {"on": on}}, "data": {"n": n}});
            maps.patch(name, &merge(patch)).await.ok()
        }
        6 => {
            let patch = json!({"metadata": {"finalizers": null}});
            let stored = maps.patch(name, &merge(patch)).await.ok()?;
            if stored.metadata.deletion_timestamp.is_some() {
                return stored.metadata.uid.map(Expected::Gone);
            }
            Some(stored)
        }
        _ => {
            let deleted = maps.delete(name, &DeleteParams::default()).await.ok()?;
            match deleted {
                either::Either::Left(terminating) => Some(terminating),
                either::Either::Right(status) => return Some(Expected::Gone(status.details?.uid)),
            }
        }
    };
    Some(Expected::Version(version(&written?)))
}

#[tokio::test(start_paused = true)]
async fn no_read_after_a_write_is_older_and_after_a_while_caches_equal_the_server() {
    for seed in 0..60 {
        let mut random = fastrand::Rng::with_seed(seed);
        let server = ApiServer::new();
        let process = Process::start(&server, seed).await;
        let foreign = server.client();
        let mut expected = BTreeMap::new();
        for step in 0..120 {
            let namespace = *random.choice(["one", "two", "three"].iter()).unwrap();
            let name = *random.choice(["a", "b"].iter()).unwrap();
            match random.u32(..20) {
                0..=8 => {
                    let changed = change(&mut random, &process.client, namespace, name).await;
                    if let Some(changed) = changed {
                        expected.insert((namespace.to_owned(), name.to_owned()), changed);
                    }
                }
                9..=13 => drop(change(&mut random, &foreign, namespace, name).await),
                14 => drop(server.stall_watches(&On::any())),
                15 => drop(server.cut_watches(&On::any())),
                16 => drop(server.expire_watches(&On::any())),
                17 => {
                    server.compact();
                    server.cut_watches(&On::any());
                }
                18 => drop(server.bookmark_watches(&On::any())),
                _ => tokio::time::sleep(Duration::from_millis(random.u64(..40_000))).await,
            }
            if random.bool() {
                tokio::time::sleep(Duration::from_millis(random.u64(..3))).await;
            }
            check(&process, &expected, &format!("seed {seed}, step {step}"));
        }
        catch_up(&server).await;
        let all = kube::Api::<ConfigMap>::all(foreign);
        let all = all.list(&ListParams::default()).await.unwrap().items;
        // Informers skip managed fields.
        let all: BTreeMap<_, _> = all
            .into_iter()
            .map(|mut map| {
                map.metadata.managed_fields = None;
                (key(&map), map)
            })
            .collect();
        let is_selected: [fn(&ConfigMap) -> bool; 3] = [
            |_| true,
            |map| map.metadata.namespace.as_deref() != Some("three"),
            |map| map.metadata.labels.as_ref().unwrap()["on"] == "yes",
        ];
        for (index, is_selected) in is_selected.into_iter().enumerate() {
            let selected = all.iter().filter(|(_, map)| is_selected(map));
            let selected: BTreeMap<_, _> = selected.map(|(k, v)| (k.clone(), v.clone())).collect();
            let cached = process.informers[index].lister().all();
            let cached: BTreeMap<_, _> = cached
                .iter()
                .map(|map| (key(map), (**map).clone()))
                .collect();
            assert_eq!(cached, selected, "seed {seed}, informer {index}");
            let known = process.mirrors[index].0.lock();
            let known: BTreeMap<_, _> = known
                .iter()
                .map(|(k, v)| (k.clone(), (**v).clone()))
                .collect();
            assert_eq!(known, selected, "seed {seed}, handler of informer {index}");
            let status = process.informers[index].status();
            assert_eq!(status.pending_writes, 0, "seed {seed}, informer {index}");
        }
    }
}
