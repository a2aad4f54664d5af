//! Caches of replicas that share shards: each has the objects of its ranges.
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_codegen_runtime::{
    controller::{Action, Controller, OnError},
    informer::InformerMetrics,
    leader_election::LeaderElectionConfig,
    manager::{CancellationToken, Manager},
    shards::{ShardKey, Shards},
};
use kube_codegen_testing::{Action as Answer, ApiServer, RecordedRequest};
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::world::World;

const SECOND: Duration = Duration::from_secs(1);
const OBJECTS: usize = 200;
/// More objects than half of the ranges have.
const MOST: f64 = 140.0;

fn world(server: ApiServer) -> World {
    let world = World::with(server, ShardKey::Uid);
    for number in 0..OBJECTS {
        world.want(&format!("map-{number}"), "0");
    }
    world
}

/// Starts replicas one after the other, and waits until their shares are equal and all is reconciled.
async fn share(world: &World, replicas: &[&str]) -> Vec<super::world::Running> {
    let mut running = Vec::new();
    for (seed, identity) in (1..).zip(replicas) {
        let replica = world.start(identity, 16, Duration::ZERO, seed);
        replica.network.calm();
        running.push(replica);
        settle(world, running.len()).await;
    }
    running
}

async fn settle(world: &World, replicas: usize) {
    for _ in 0..300 {
        let shares = world.shares();
        let share = 16 / replicas;
        let is_fair = shares
            .values()
            .all(|held| (share..=share + 1).contains(held));
        if shares.len() == replicas && is_fair && world.has_converged() && is_divided(world) {
            return;
        }
        sleep(SECOND / 10).await;
    }
    panic!("{:?}, {:?}", world.shares(), cached(world));
}

/// Whether the cache of each replica has the objects of its ranges, and no others.
fn is_divided(world: &World) -> bool {
    let informers = world.seen(|seen| seen.informers.clone());
    let mut count = 0;
    let has_own =
        informers
            .iter()
            .filter(|(_, one)| !one.is_stopped())
            .all(|(identity, informer)| {
                let maps = informer.lister().all();
                count += maps.len();
                maps.iter()
                    .all(|map| world.holder(map).as_ref() == Some(identity))
            });
    has_own && count == OBJECTS
}

/// Returns how many objects each replica has in its cache.
fn cached(world: &World) -> BTreeMap<String, usize> {
    let informers = world.seen(|seen| seen.informers.clone());
    let running = informers.into_iter().filter(|(_, one)| !one.is_stopped());
    running
        .map(|(identity, informer)| (identity, informer.lister().all().len()))
        .collect()
}

fn metrics(world: &World, identity: &str) -> InformerMetrics {
    world.seen(|seen| seen.informers[identity].metrics())
}

fn lists(requests: &[RecordedRequest]) -> Vec<&RecordedRequest> {
    let is_list = |request: &&RecordedRequest| {
        request.resource == "configmaps" && request.path.contains("sendInitialEvents=true")
    };
    requests.iter().filter(is_list).collect()
}

#[tokio::test(start_paused = true)]
async fn each_replica_caches_its_ranges_whether_the_server_has_shards_or_not() {
    for server in [
        ApiServer::builder().sharded_lists().build(),
        ApiServer::new(),
    ] {
        let world = world(server);
        let replicas = share(&world, &["a", "b", "c", "d"]).await;
        let cached = cached(&world);
        assert!(
            cached.values().all(|count| *count < OBJECTS * 2 / 5),
            "{cached:?}"
        );
        // Changes and new objects reach the replica that holds the range.
        for number in 0..OBJECTS {
            world.want(&format!("map-{number}"), "1");
        }
        settle(&world, 4).await;
        drop(replicas);
        assert!(
            world
                .seen(|seen| std::mem::take(&mut seen.violations))
                .is_empty()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_without_shards_costs_bandwidth_and_the_dropped_share_is_counted() {
    let world = world(ApiServer::new());
    let _replicas = share(&world, &["a", "b"]).await;
    let metrics = metrics(&world, "b");
    assert!(metrics.dropped * 3 > metrics.received, "{metrics:?}");

    let world = self::world(ApiServer::builder().sharded_lists().build());
    let _replicas = share(&world, &["a", "b"]).await;
    let metrics = self::metrics(&world, "b");
    assert_eq!(metrics.dropped, 0);
    assert!(metrics.received > 0);
}

#[tokio::test(start_paused = true)]
async fn what_is_cached_is_not_listed_again_when_ranges_come_and_go() {
    let world = world(ApiServer::builder().sharded_lists().build());
    let first = share(&world, &["a"]).await;
    let received = metrics(&world, "a").received;
    assert!(received >= u64::try_from(OBJECTS).unwrap());
    let requests = world.server.requests();
    let before = lists(&requests).len();

    // Half of the ranges go: the watch goes on with the others.
    let second = world.start("b", 16, Duration::ZERO, 2);
    second.network.calm();
    settle(&world, 2).await;
    let requests = world.server.requests();
    let of_second = &lists(&requests)[before..];
    assert!(!of_second.is_empty(), "{requests:#?}");
    let listed = metrics(&world, "b").items_per_list.sum();
    assert!(listed < MOST, "{listed}");

    // They come back: only they are listed.
    let listed = metrics(&world, "a").items_per_list.sum();
    second.stop().await.unwrap();
    settle(&world, 1).await;
    let again = metrics(&world, "a").items_per_list.sum() - listed;
    assert!(again < MOST, "{again} objects were listed again");
    drop(first);
    assert!(
        world
            .seen(|seen| std::mem::take(&mut seen.violations))
            .is_empty()
    );
}

/// Returns a controller of maps that own Secrets.
fn with_children(manager: &Manager) -> Controller<ConfigMap> {
    let maps = manager.factory().informer::<ConfigMap>();
    let secrets = manager.factory().informer::<Secret>();
    Controller::for_informer(&maps).owns(&secrets)
}

/// Runs a manager with one replica until `check` holds.
async fn with_manager(
    server: &ApiServer,
    build: impl FnOnce(&mut Manager),
    mut check: impl FnMut() -> bool,
) {
    let mut manager = Manager::builder(server.client(), "operator")
        .leader_election(
            LeaderElectionConfig::new("operator")
                .namespace("default")
                .identity("a"),
        )
        .shards(Shards::new(4).by(ShardKey::Namespace))
        .build()
        .unwrap();
    build(&mut manager);
    let stop = CancellationToken::new();
    let running = tokio::spawn(manager.run(stop.clone().cancelled_owned()));
    for _ in 0..1000 {
        sleep(SECOND / 100).await;
        if check() {
            break;
        }
    }
    assert!(check());
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn no_reconcile_of_a_range_starts_before_all_caches_have_it() {
    let server = ApiServer::builder().sharded_lists().build();
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    server.seed(&map).unwrap();
    // The list of children fails as long as this is set.
    let fails = Arc::new(AtomicBool::new(true));
    let answer = Arc::clone(&fails);
    server.intercept(move |request| {
        if request.resource == "secrets" && answer.load(Ordering::Relaxed) {
            return Answer::Answer(503, json!({}));
        }
        Answer::Pass
    });
    let reconciles = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&reconciles);
    let requests = server.clone();
    let build = |manager: &mut Manager| {
        let controller = with_children(manager);
        manager.controller(controller, |controller| {
            let reconcile = |_: Arc<ConfigMap>, counter: Arc<AtomicUsize>| async move {
                counter.fetch_add(1, Ordering::Relaxed);
                Ok::<_, kube::Error>(Action::await_change())
            };
            controller.run(reconcile, |_, _, _| OnError::Backoff, counter)
        });
    };
    let begin = Instant::now();
    with_manager(&server, build, || {
        let count = reconciles.load(Ordering::Relaxed);
        if fails.load(Ordering::Relaxed) {
            assert_eq!(count, 0);
            if begin.elapsed() < 2 * SECOND {
                return false;
            }
            let all = requests.requests();
            let is_answered = |resource: &str| {
                all.iter()
                    .any(|request| request.resource == resource && request.status == 200)
            };
            assert!(is_answered("configmaps") && !is_answered("secrets"));
            fails.store(false, Ordering::Relaxed);
        }
        count > 0
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn children_in_the_namespace_of_their_owner_are_divided_by_namespace() {
    let server = ApiServer::builder().sharded_lists().build();
    let requests = server.clone();
    let build = |manager: &mut Manager| {
        let controller = with_children(manager);
        manager.controller(controller, |controller| {
            let reconcile =
                |_: Arc<ConfigMap>, _| async { Ok::<_, kube::Error>(Action::await_change()) };
            controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(()))
        });
    };
    with_manager(&server, build, || {
        let all = requests.requests();
        ["configmaps", "secrets"].into_iter().all(|kind| {
            all.iter().any(|request| {
                request.resource == kind && request.path.contains("object.metadata.namespace")
            })
        })
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_controller_may_keep_whole_caches() {
    let server = ApiServer::builder().sharded_lists().build();
    let requests = server.clone();
    let build = |manager: &mut Manager| {
        let maps = manager.factory().informer::<ConfigMap>();
        let controller = Controller::for_informer(&maps).with_whole_caches();
        manager.controller(controller, |controller| {
            let reconcile =
                |_: Arc<ConfigMap>, _| async { Ok::<_, kube::Error>(Action::await_change()) };
            controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(()))
        });
    };
    with_manager(&server, build, || {
        let all = requests.requests();
        all.iter().any(|request| request.resource == "configmaps")
    })
    .await;
    let all = server.requests();
    assert!(
        !all.iter()
            .any(|request| request.path.contains("shardSelector"))
    );
}
