//! Single steps of replicas that share shards.
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use k8s_openapi::api::{coordination::v1::Lease, core::v1::ConfigMap};
use kube::{
    Api,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams},
};
use kube_codegen_runtime::{
    client::describe,
    leader_election::LeaderElectionConfig,
    manager::{CancellationToken, Manager, Runnable},
    shards::{ShardKey, Shards},
};
use kube_codegen_testing::{Action as Answer, ApiServer};
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::world::{NAME, Running, World};

const SECOND: Duration = Duration::from_secs(1);

/// Waits until `holds`. Returns how long that took.
async fn until(world: &World, mut holds: impl FnMut() -> bool) -> Duration {
    let begin = Instant::now();
    while !holds() {
        let state = || format!("{:?}, converged: {}", world.shares(), world.has_converged());
        assert!(begin.elapsed() < 100 * SECOND, "not in time: {}", state());
        sleep(SECOND / 100).await;
    }
    begin.elapsed()
}

/// Starts a replica whose network loses nothing.
fn start(world: &World, identity: &str, ranges: u16, slow: Duration, seed: u64) -> Running {
    let replica = world.start(identity, ranges, slow, seed);
    replica.network.calm();
    replica
}

fn world(objects: usize) -> World {
    let world = World::new(ShardKey::Uid);
    for number in 0..objects {
        world.want(&format!("map-{number}"), "0");
    }
    world
}

#[tokio::test(start_paused = true)]
async fn a_replica_that_comes_gets_its_share_and_gives_it_back_when_it_stops() {
    let world = world(40);
    let first = start(&world, "a", 16, SECOND / 10, 1);
    until(&world, || world.has_converged()).await;
    assert_eq!(world.shares()["a"], 16);
    let second = start(&world, "b", 16, SECOND / 10, 2);
    let took = until(&world, || world.shares().get("b") == Some(&8)).await;
    println!("a new replica had its share after {took:?}");
    world.want("map-0", "1");
    until(&world, || world.has_converged()).await;
    first.stop().await.unwrap();
    let took = until(&world, || world.shares().get("b") == Some(&16)).await;
    println!("the other had all after {took:?}");
    assert!(took < 5 * SECOND);
    for number in 0..40 {
        world.want(&format!("map-{number}"), "2");
    }
    until(&world, || world.has_converged()).await;
    second.stop().await.unwrap();
    assert!(
        world
            .seen(|seen| std::mem::take(&mut seen.violations))
            .is_empty()
    );
}

#[tokio::test(start_paused = true)]
async fn a_crash_costs_the_duration_of_a_lease() {
    let world = world(40);
    let first = start(&world, "a", 16, SECOND / 10, 1);
    let _second = start(&world, "b", 16, SECOND / 10, 2);
    until(&world, || {
        world.shares().len() == 2 && world.has_converged()
    })
    .await;
    drop(first);
    let took = until(&world, || world.shares().get("b") == Some(&16)).await;
    println!("the ranges of the crashed replica moved after {took:?}");
    assert!((10 * SECOND..16 * SECOND).contains(&took), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_range_that_another_replica_gives_back_is_taken_at_once() {
    let world = world(0);
    let _replica = start(&world, "a", 4, SECOND / 10, 1);
    until(&world, || world.shares().get("a") == Some(&4)).await;
    // The replica wants the range, and another one is faster.
    let conflicts = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&conflicts);
    world.server.intercept(move |request| {
        let takes = request.verb == "update" && request.name == "operator-shard-2";
        if takes && counter.fetch_add(1, Ordering::Relaxed) == 0 {
            return Answer::Answer(409, json!({"kind": "Status", "reason": "Conflict"}));
        }
        Answer::Pass
    });
    let held_by = |holder: &str| {
        let set = |lease: &mut serde_json::Value| lease["spec"]["holderIdentity"] = json!(holder);
        world
            .server
            .edit::<Lease>("default", "operator-shard-2", set)
            .unwrap();
    };
    held_by("gone");
    until(&world, || conflicts.load(Ordering::Relaxed) == 1).await;
    sleep(SECOND / 10).await;
    held_by("");
    let took = until(&world, || world.shares().get("a") == Some(&4)).await;
    assert!(took < SECOND / 2, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn replicas_with_other_shards_and_a_leader_wait_for_each_other() {
    let world = world(10);
    let old = start(&world, "old", 1, SECOND / 10, 1);
    until(&world, || world.has_converged()).await;
    let new = start(&world, "new", 8, SECOND / 10, 2);
    sleep(60 * SECOND).await;
    world.want("map-0", "1");
    until(&world, || world.has_converged()).await;
    old.stop().await.unwrap();
    until(&world, || world.shares().get("new") == Some(&8)).await;
    world.want("map-1", "2");
    until(&world, || world.has_converged()).await;
    // And back.
    let back = start(&world, "back", 1, SECOND / 10, 3);
    sleep(60 * SECOND).await;
    assert_eq!(world.shares()["new"], 8);
    new.stop().await.unwrap();
    world.want("map-2", "3");
    let took = until(&world, || world.has_converged()).await;
    println!("a leader took over after {took:?}");
    assert!(took < 10 * SECOND, "{took:?}");
    back.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn one_replica_reconciles_all_objects_of_a_namespace() {
    let world = World::new(ShardKey::Namespace);
    for number in 0..20 {
        world.want(&format!("map-{number}"), "0");
    }
    let replicas =
        [1, 2, 3].map(|seed| start(&world, &format!("replica-{seed}"), 16, SECOND / 10, seed));
    // A range that moves is reconciled by both.
    until(&world, || {
        let shares = world.shares();
        let is_fair = shares.values().all(|held| (5..=6).contains(held));
        shares.len() == 3 && is_fair && world.has_converged()
    })
    .await;
    world.seen(|seen| seen.authors.clear());
    for number in 0..20 {
        world.want(&format!("map-{number}"), "1");
    }
    until(&world, || world.has_converged()).await;
    assert_eq!(world.seen(|seen| seen.authors.len()), 1);
    drop(replicas);
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_deleted_or_changed_ends_its_term() {
    let world = world(20);
    let replica = start(&world, "a", 4, SECOND / 10, 1);
    until(&world, || world.shares().get("a") == Some(&4)).await;
    // Another holder that lives nowhere: the range is taken back.
    let other = |lease: &mut serde_json::Value| lease["spec"]["holderIdentity"] = json!("gone");
    world
        .server
        .edit::<Lease>("default", "operator-shard-2", other)
        .unwrap();
    until(&world, || world.shares().get("a") == Some(&4)).await;
    // Its own Lease: the replica ends, as one does that has lost an election.
    let leases: Api<Lease> = Api::namespaced(world.server.client(), "default");
    let own = leases
        .list(&ListParams::default())
        .await
        .unwrap()
        .items
        .into_iter();
    let mut own = own
        .filter_map(|lease| lease.metadata.name)
        .filter(|name| name.contains("-replica-"));
    leases
        .delete(&own.next().unwrap(), &DeleteParams::default())
        .await
        .unwrap();
    let ended = replica.ended().await.unwrap_err();
    assert!(
        describe(&ended).contains("other replicas have taken over"),
        "{}",
        describe(&ended)
    );
}

#[tokio::test(start_paused = true)]
async fn outside_of_reconciles_only_the_leader_writes() {
    let server = ApiServer::new();
    let manager = |identity: &str| {
        let config = LeaderElectionConfig::new(NAME)
            .namespace("default")
            .identity(identity);
        let mut manager = Manager::builder(server.client(), NAME)
            .leader_election(config)
            .shards(Shards::new(4))
            .build()
            .unwrap();
        let (client, name) = (manager.client(), identity.to_owned());
        let run = |stop: CancellationToken| async move {
            let maps: Api<ConfigMap> = Api::default_namespaced(client);
            let mut map = ConfigMap::default();
            map.metadata.name = Some(format!("by-{name}"));
            maps.create(&PostParams::default(), &map).await?;
            stop.cancelled().await;
            Ok::<_, kube::Error>(())
        };
        // Runs on the leader alone.
        manager.add(Runnable::new("one of all", run));
        manager
    };
    let (first, second) = (manager("a"), manager("b"));
    let outsiders = [first.client(), second.client()];
    let running = [first, second]
        .map(|it| tokio::spawn(async { Box::pin(it.run(std::future::pending())).await }));
    sleep(30 * SECOND).await;
    let maps: Vec<ConfigMap> = server.list();
    let made: Vec<_> = maps
        .iter()
        .filter_map(|map| map.metadata.name.as_deref()?.strip_prefix("by-"))
        .collect();
    assert_eq!(made.len(), 1, "{made:?}");
    let mut rejected = 0;
    for client in outsiders {
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        let patch = Patch::Merge(json!({"data": {"a": "b"}}));
        let name = format!("by-{}", made[0]);
        rejected += usize::from(
            maps.patch(&name, &PatchParams::default(), &patch)
                .await
                .is_err(),
        );
    }
    assert_eq!(rejected, 1, "the client of the replica that does not lead");
    running.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test]
async fn settings_without_a_sense_are_rejected() {
    let server = ApiServer::new();
    let rejected = |change: fn(LeaderElectionConfig) -> LeaderElectionConfig, name: &str| {
        let config = change(LeaderElectionConfig::new(name).namespace("default"));
        let builder = Manager::builder(server.client(), NAME).leader_election(config);
        describe(&builder.shards(Shards::new(4)).build().unwrap_err())
    };
    assert!(rejected(|config| config, &"a".repeat(64)).contains("63 characters"));
    assert!(rejected(|config| config.coordinated("1.0.0"), NAME).contains("coordinated"));
    let builder = Manager::builder(server.client(), NAME).shards(Shards::new(4));
    assert!(describe(&builder.build().unwrap_err()).contains("--leader-elect"));
}

/// Leases that nobody renews, or of a stranger.
#[tokio::test(start_paused = true)]
async fn a_lease_for_years_keeps_no_share() {
    let world = world(20);
    let ghost = start(&world, "ghost", 16, SECOND / 10, 1);
    until(&world, || world.has_converged()).await;
    ghost.task.abort();
    let mut leases: Vec<Lease> = world.server.list();
    leases.retain(|lease| {
        let name = lease.metadata.name.as_deref().unwrap_or_default();
        name.starts_with("operator-replica-")
    });
    let own = leases[0].metadata.name.clone().unwrap();
    let edited = world.server.edit::<Lease>("default", &own, |lease| {
        lease["spec"]["leaseDurationSeconds"] = json!(i32::MAX);
        lease["spec"]["renewTime"] = json!("9999-12-31T23:59:59.999999Z");
    });
    edited.unwrap();
    let stranger = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {
            "name": "operator-replica-0000000000000001", "namespace": "default",
            "labels": {"kube-codegen.dev/shards-of": "operator"},
        },
        "spec": {"holderIdentity": "stranger", "leaseDurationSeconds": i32::MAX, "renewTime": "2026-01-01T00:00:00.000000Z"},
    });
    world.server.seed(&stranger).unwrap();
    let replica = start(&world, "a", 16, SECOND / 10, 2);
    // Ten times the duration of the election.
    sleep(180 * SECOND).await;
    assert_eq!(world.shares().get("a"), Some(&16), "{:?}", world.shares());
    for number in 0..20 {
        world.want(&format!("map-{number}"), "1");
    }
    until(&world, || world.has_converged()).await;
    // Freed after that time, and deleted after another.
    sleep(180 * SECOND).await;
    assert!(world.server.get::<Lease>("default", &own).is_none());
    replica.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn leases_of_shards_may_have_any_time() {
    let world = world(20);
    let first = start(&world, "a", 4, SECOND / 10, 1);
    until(&world, || world.has_converged()).await;
    first.stop().await.unwrap();
    let leases: Vec<Lease> = world.server.list();
    for lease in leases {
        let name = lease.metadata.name.unwrap();
        let edited = world.server.edit::<Lease>("default", &name, |lease| {
            lease["spec"]["renewTime"] = json!("9999-12-31T23:59:59.999999Z");
            lease["spec"]["acquireTime"] = json!("9999-12-31T23:59:59.999999Z");
        });
        edited.unwrap();
    }
    let second = start(&world, "b", 4, SECOND / 10, 2);
    until(&world, || world.shares().get("b") == Some(&4)).await;
    second.stop().await.unwrap();
}
