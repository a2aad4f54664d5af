//! The contract of informers and queues under random operations: what must hold is checked after each of them, for many seeds.
use crate::caches::script::{Watch, informer, map, map_with, recorder, server, status, version};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_codegen_runtime::{
    informer::{EventHandlerFuncs, HandlerRegistration, InformerConfig, SharedInformer},
    queue::{ExponentialLimiter, WorkQueue},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

const SECOND: Duration = Duration::from_secs(1);

/// What the test knows of the items of a queue.
#[derive(Default)]
struct Items {
    /// What a worker has.
    held: BTreeSet<u32>,
    /// Items that were added or scheduled, and not taken since.
    owed: BTreeSet<u32>,
    /// Items that were added, and may be taken at once.
    ready: BTreeSet<u32>,
    /// From when on items may be taken that were scheduled.
    due: BTreeMap<u32, Vec<Instant>>,
    taken: usize,
}

impl Items {
    fn take(&mut self, item: u32) {
        let due = self.due.entry(item).or_default();
        let count = due.len();
        due.retain(|due| *due > Instant::now());
        assert!(
            self.ready.remove(&item) || due.len() < count,
            "{item} was taken too early, or for nothing: {due:?}"
        );
        self.owed.remove(&item);
        self.taken += 1;
    }
}

async fn work(queue: WorkQueue<u32>, items: Arc<Mutex<Items>>, mut random: fastrand::Rng) {
    while let Some(item) = queue.get().await {
        {
            let mut items = items.lock().unwrap();
            assert!(items.held.insert(item), "two workers have {item}");
            items.take(item);
        }
        sleep(Duration::from_millis(random.u64(..40))).await;
        if random.u8(..4) == 0 {
            queue.forget(&item);
        }
        items.lock().unwrap().held.remove(&item);
        queue.done(&item);
    }
}

/// Each item that is added is taken afterwards, by one worker at a time; one that is scheduled is not taken before its time.
#[tokio::test(start_paused = true)]
async fn a_queue_loses_nothing_and_gives_nothing_twice() {
    for seed in 0..200 {
        let mut random = fastrand::Rng::with_seed(seed);
        let queue = WorkQueue::with_limiter(ExponentialLimiter::new(SECOND, 60 * SECOND));
        let items = Arc::new(Mutex::new(Items::default()));
        let mut workers = JoinSet::new();
        for _ in 0..random.u8(1..4) {
            workers.spawn(work(queue.clone(), Arc::clone(&items), random.fork()));
        }
        for _ in 0..150 {
            let item = random.u32(..8);
            {
                let mut items = items.lock().unwrap();
                items.owed.insert(item);
                if random.bool() {
                    items.ready.insert(item);
                    queue.add_with_priority(item, random.i32(-2..3));
                } else {
                    let delay = Duration::from_millis(random.u64(1..3000));
                    items
                        .due
                        .entry(item)
                        .or_default()
                        .push(Instant::now() + delay);
                    queue.add_after(item, delay);
                }
            }
            sleep(Duration::from_millis(random.u64(..30))).await;
            // A worker that is gone takes nothing with it.
            if random.u8(..30) == 0 {
                drop(timeout(Duration::ZERO, queue.get()).await.map(|taken| {
                    let item = taken.unwrap();
                    items.lock().unwrap().take(item);
                    queue.done(&item);
                }));
            }
        }
        sleep(10 * SECOND).await;
        {
            let items = items.lock().unwrap();
            assert_eq!(items.owed, BTreeSet::new(), "seed {seed}: lost");
            assert!(items.taken > 50, "seed {seed}: {}", items.taken);
        }
        timeout(SECOND, queue.shut_down_with_drain())
            .await
            .expect("nothing is left to drain");
        workers.join_all().await;
    }
}

/// The objects as a handler has seen them, and what was wrong with its events.
#[derive(Default)]
struct Seen {
    objects: BTreeMap<String, String>,
    problems: Vec<String>,
}

fn name(map: &ConfigMap) -> String {
    map.metadata.name.clone().unwrap_or_default()
}

/// Returns a handler that checks that each event continues from the last state that the handler has seen.
fn checking(seen: &Arc<Mutex<Seen>>) -> EventHandlerFuncs<ConfigMap> {
    let [added, updated, deleted] = [(); 3].map(|()| Arc::clone(seen));
    EventHandlerFuncs::new()
        .on_add(move |map: &Arc<ConfigMap>, _| {
            let mut seen = added.lock().unwrap();
            let before = seen.objects.insert(name(map), version(map).to_owned());
            if before.is_some() {
                seen.problems.push(format!("{} was added twice", name(map)));
            }
        })
        .on_update(move |old: &Arc<ConfigMap>, new: &Arc<ConfigMap>| {
            let mut seen = updated.lock().unwrap();
            let before = seen.objects.insert(name(new), version(new).to_owned());
            if before.as_deref() != Some(version(old)) {
                let (name, old) = (name(new), version(old));
                seen.problems
                    .push(format!("{name}: {old} follows {before:?}"));
            }
        })
        .on_delete(move |gone| {
            let mut seen = deleted.lock().unwrap();
            let before = seen.objects.remove(&name(&gone.object));
            if before.is_none() {
                seen.problems
                    .push(format!("{} was not there", name(&gone.object)));
            }
        })
}

/// The objects of a server that changes at random.
struct Model {
    objects: BTreeMap<u8, u64>,
    version: u64,
    random: fastrand::Rng,
}

impl Model {
    fn list(&self) -> Vec<serde_json::Value> {
        let objects = self.objects.iter();
        objects
            .map(|(n, version)| map(&format!("m{n}"), &version.to_string()))
            .collect()
    }

    /// Changes one object, and sends the event to `watch`, if there is one.
    fn change(&mut self, watch: Option<&Watch>) {
        let n = self.random.u8(..12);
        self.version += 1;
        let type_ = match self.objects.contains_key(&n) {
            false => "ADDED",
            true if self.random.u8(..3) == 0 => "DELETED",
            true => "MODIFIED",
        };
        if type_ == "DELETED" {
            self.objects.remove(&n);
        } else {
            self.objects.insert(n, self.version);
        }
        if let Some(watch) = watch {
            watch.send(type_, &map(&format!("m{n}"), &self.version.to_string()));
        }
    }

    fn cached(&self) -> BTreeMap<String, String> {
        let objects = self.objects.iter();
        objects
            .map(|(n, version)| (format!("m{n}"), version.to_string()))
            .collect()
    }
}

/// Handlers are added and removed, with and without resyncs, while objects change and watches break: each sees a sequence without gaps.
#[tokio::test(start_paused = true)]
async fn every_handler_sees_a_sequence_without_gaps_whenever_it_is_added() {
    for seed in 0..40 {
        let random = fastrand::Rng::with_seed(seed);
        let (informer, mut server) = informer();
        let mut model = Model {
            objects: BTreeMap::new(),
            version: 1,
            random,
        };
        let mut watch = server.stream(&model.list(), "1").await;
        let mut handlers: Vec<(Arc<Mutex<Seen>>, HandlerRegistration<ConfigMap>)> = Vec::new();
        let mut removed = Vec::new();
        for _ in 0..250 {
            match model.random.u8(..20) {
                0 | 1 => {
                    let seen = Arc::new(Mutex::new(Seen::default()));
                    let handler = checking(&seen);
                    let registration = if model.random.bool() {
                        let period = Duration::from_millis(model.random.u64(50..2000));
                        informer.add_event_handler_with_resync(handler, period)
                    } else {
                        informer.add_event_handler(handler)
                    };
                    handlers.push((seen, registration));
                }
                2 if !handlers.is_empty() => {
                    let index = model.random.usize(..handlers.len());
                    let (seen, registration) = handlers.swap_remove(index);
                    registration.remove_and_wait().await;
                    let objects = seen.lock().unwrap().objects.clone();
                    removed.push((seen, objects));
                }
                3 => {
                    if model.random.bool() {
                        watch.send("ERROR", &status(410, "Expired"));
                    } else {
                        watch.fail(std::io::ErrorKind::ConnectionReset);
                    }
                    (0..model.random.u8(..6)).for_each(|_| model.change(None));
                    // After a reset, the watch resumes; it cannot, because its version is gone by then.
                    let mut call = server.watch().await;
                    if call.query("sendInitialEvents") != "true" {
                        call.fail(410, "Expired");
                        call = server.watch().await;
                    }
                    watch = call.open();
                    for object in model.list() {
                        watch.send("ADDED", &object);
                    }
                    watch.end_of_list(&model.version.to_string());
                }
                _ => model.change(Some(&watch)),
            }
            if model.random.bool() {
                sleep(Duration::from_millis(model.random.u64(..300))).await;
            }
        }
        sleep(10 * SECOND).await;
        let cached: BTreeMap<_, _> = (informer.lister().all().iter())
            .map(|map| (name(map), version(map).to_owned()))
            .collect();
        assert_eq!(cached, model.cached(), "seed {seed}: the cache");
        for (seen, _) in &handlers {
            let seen = seen.lock().unwrap();
            assert_eq!(seen.problems, Vec::<String>::new(), "seed {seed}");
            assert_eq!(seen.objects, cached, "seed {seed}: a handler");
        }
        for (seen, at_the_end) in &removed {
            let seen = seen.lock().unwrap();
            assert_eq!(seen.problems, Vec::<String>::new(), "seed {seed}");
            assert_eq!(
                seen.objects, *at_the_end,
                "seed {seed}: an event after its removal"
            );
        }
        assert!(handlers.len() + removed.len() > 3, "seed {seed}");
    }
}

/// Namespaces are added and removed faster than their lists arrive: the last state counts, and nothing is watched twice.
#[tokio::test(start_paused = true)]
async fn namespaces_that_change_quickly_end_as_they_were_set_last() {
    for seed in 0..30 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (client, mut server) = server();
        let config = InformerConfig {
            namespaces: ["a"].into(),
            ..InformerConfig::default()
        };
        let informer = SharedInformer::<ConfigMap>::new(client, config);
        let seen = Arc::new(Mutex::new(Seen::default()));
        let _registration = informer.add_event_handler(checking(&seen));
        informer.start();
        let (mut wanted, mut open) = (BTreeSet::from(["a"]), Vec::new());
        for step in 0..120 {
            let namespace = *random.choice(&["a", "b", "c"]).unwrap();
            if random.bool() {
                informer.add_namespace(namespace).unwrap();
                wanted.insert(namespace);
            } else {
                informer.remove_namespace(namespace);
                wanted.remove(namespace);
            }
            // Answers as many requests as have arrived.
            while random.bool() || step == 119 {
                let Ok(call) = timeout(Duration::from_millis(20), server.next()).await else {
                    break;
                };
                let namespace = call.path.split('/').nth(4).unwrap().to_owned();
                let watch = call.open();
                let mut object = map(&format!("in-{namespace}"), "5");
                object["metadata"]["namespace"] = namespace.into();
                watch.send("ADDED", &object);
                watch.end_of_list("5");
                open.push(watch);
            }
        }
        timeout(60 * SECOND, informer.wait_synced())
            .await
            .unwrap()
            .unwrap();
        sleep(SECOND).await;
        let expected: Vec<_> = wanted.iter().map(|it| format!("in-{it}")).collect();
        let mut cached: Vec<_> = informer
            .lister()
            .all()
            .iter()
            .map(|map| name(map))
            .collect();
        cached.sort();
        assert_eq!(cached, expected, "seed {seed}");
        let seen = seen.lock().unwrap();
        assert_eq!(seen.problems, Vec::<String>::new(), "seed {seed}");
        assert!(
            seen.objects.keys().eq(&expected),
            "seed {seed}: {:?}",
            seen.objects
        );
    }
}

/// A server whose watches are always too old is not flooded, and the informer recovers.
#[tokio::test(start_paused = true)]
async fn an_hour_of_410_costs_few_requests() {
    let (informer, mut server) = informer();
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler(handler);
    let began = Instant::now();
    let mut lists = 0;
    while began.elapsed() < 3600 * SECOND {
        let watch = server.stream(&[map("a", "1"), map("b", "2")], "3").await;
        watch.send("ERROR", &status(410, "Expired"));
        lists += 1;
    }
    assert!(lists < 300, "{lists} lists in an hour");
    let watch = server.stream(&[map("a", "1")], "9").await;
    log.sorted(2).await;
    assert_eq!(log.next().await, "-b@2?");
    drop(watch);
}

/// An object that is deleted and created again while nothing is watched is one update with two uids, as in client-go. An index follows.
#[tokio::test(start_paused = true)]
async fn an_object_that_was_replaced_unseen_leaves_nothing_of_the_old_one() {
    let (informer, mut server) = informer();
    informer
        .add_index("value", |map: &ConfigMap| {
            map.data
                .iter()
                .filter_map(|data| data.get("value").cloned())
                .collect()
        })
        .unwrap();
    let uids = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&uids);
    let _registration = informer.add_event_handler(EventHandlerFuncs::new().on_update(
        move |old: &Arc<ConfigMap>, new: &Arc<ConfigMap>| {
            let uid = |map: &ConfigMap| map.metadata.uid.clone().unwrap();
            seen.lock().unwrap().push((uid(old), uid(new)));
        },
    ));
    let watch = server.stream(&[map_with("a", "1", "one", "x")], "1").await;
    informer.wait_synced().await.unwrap();
    watch.send("ERROR", &status(410, "Expired"));
    let watch = server.stream(&[map_with("a", "7", "two", "y")], "7").await;
    sleep(SECOND).await;
    assert_eq!(
        *uids.lock().unwrap(),
        [("one".to_owned(), "two".to_owned())]
    );
    assert_eq!(informer.by_index("value", "x").unwrap().len(), 0);
    assert_eq!(informer.by_index("value", "y").unwrap().len(), 1);
    assert_eq!(informer.index_values("value").unwrap(), ["y"]);
    drop(watch);
}
