//! Random schedules of crashes, partitions, lost messages, and replicas that come and go: no two replicas reconcile one object, and none is
//! forgotten.
use std::time::Duration;

use kube_codegen_runtime::shards::ShardKey;
use kube_codegen_testing::ApiServer;
use tokio::time::{Instant, sleep, timeout};

use super::world::{Running, World};
use crate::leader_election::simulation::schedules;

const SECOND: Duration = Duration::from_secs(1);
/// Virtual duration of one schedule with faults.
const FAULTS: Duration = Duration::from_secs(90);
/// After this time without faults, all is reconciled: Leases expire, and messages are late.
const RECOVERY: Duration = Duration::from_secs(120);
const RANGES: u16 = 8;
const OBJECTS: usize = 10;

#[test]
fn no_object_is_reconciled_twice_or_forgotten() {
    let seeds = schedules(40);
    let count = seeds.end - seeds.start;
    let (mut reconciles, mut writes, mut handed_over) = (0, 0, 0);
    for seed in seeds {
        let outcome = run(seed);
        assert!(
            outcome.violations.is_empty(),
            "seed {seed}: {:#?}",
            outcome.violations
        );
        reconciles += outcome.reconciles;
        writes += outcome.writes;
        handed_over += outcome.moved;
    }
    println!(
        "{count} schedules: {reconciles} reconciles, {writes} writes, {handed_over} changes of replicas"
    );
    assert!(
        writes > 30 * usize::try_from(count).unwrap(),
        "{writes} writes in {count} schedules"
    );
}

#[derive(Default)]
struct Outcome {
    reconciles: usize,
    writes: usize,
    moved: usize,
    violations: Vec<String>,
}

fn run(seed: u64) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(Box::pin(schedule(seed)))
}

async fn schedule(seed: u64) -> Outcome {
    let mut random = fastrand::Rng::with_seed(seed);
    // With the feature gate of the API server, and without.
    let server = match seed % 2 {
        0 => ApiServer::builder().sharded_lists().build(),
        _ => ApiServer::new(),
    };
    let world = World::with(server, ShardKey::Uid);
    world.server.set_seed(seed);
    let name = |number: usize| format!("map-{number}");
    for number in 0..OBJECTS {
        world.want(&name(number), "0");
    }
    let mut started = 0;
    let mut start = |random: &mut fastrand::Rng| {
        started += 1;
        world.start(
            &format!("{seed}-{started}"),
            RANGES,
            3 * SECOND,
            random.u64(..),
        )
    };
    let mut replicas: Vec<Running> = (0..3).map(|_| start(&mut random)).collect();
    let (mut moved, mut stopping) = (0, Vec::new());
    let end = Instant::now() + FAULTS;
    let mut wanted = 0;
    while Instant::now() < end {
        sleep(3 * SECOND.mul_f64(random.f64())).await;
        // A replica that has lost its Lease ends, and Kubernetes starts it again.
        for replica in &mut replicas {
            if replica.task.is_finished() {
                *replica = start(&mut random);
                moved += 1;
            }
        }
        let one = random.usize(..replicas.len());
        match random.u8(..10) {
            0 => replicas[one].network.cut(SECOND * random.u32(1..30)),
            1 => {
                replicas[one] = start(&mut random);
                moved += 1;
            }
            2 if replicas.len() > 1 => {
                stopping.push(tokio::spawn(replicas.swap_remove(one).stop()));
                moved += 1;
            }
            3 if replicas.len() < 5 => {
                replicas.push(start(&mut random));
                moved += 1;
            }
            5 => replicas
                .iter()
                .for_each(|replica| replica.network.cut(SECOND * 5)),
            _ => {
                wanted += 1;
                world.want(&name(random.usize(..OBJECTS)), &wanted.to_string());
            }
        }
    }
    let recovered = recover(&world, &mut replicas, || start(&mut random));
    let recovered = timeout(RECOVERY, recovered).await.is_ok();
    world.seen(|seen| {
        if !recovered {
            let shares = world.shares();
            let state = format!(
                "not all is reconciled after the faults; {shares:?} of {:?}, converged: {}",
                replicas
                    .iter()
                    .map(|replica| &*replica.identity)
                    .collect::<Vec<_>>(),
                world.has_converged()
            );
            seen.violations.push(state);
        }
        Outcome {
            reconciles: seen.reconciles,
            writes: seen.writes,
            moved,
            violations: std::mem::take(&mut seen.violations),
        }
    })
}

/// Waits until the replicas have fair shares and all is reconciled, without faults. Those that have ended are started again.
async fn recover(world: &World, replicas: &mut [Running], mut start: impl FnMut() -> Running) {
    loop {
        for replica in &*replicas {
            replica.network.calm();
        }
        sleep(SECOND).await;
        for replica in &mut *replicas {
            if replica.task.is_finished() {
                *replica = start();
            }
        }
        let shares = world.shares();
        let fair = shares.len() == replicas.len()
            && shares
                .keys()
                .all(|holder| replicas.iter().any(|replica| replica.identity == *holder))
            && shares.values().max().unwrap() - shares.values().min().unwrap() <= 1;
        if fair && world.has_converged() {
            return;
        }
    }
}
