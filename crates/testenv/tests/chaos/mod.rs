//! Soak: two replicas of an operator on a real control plane, behind proxies that inject faults, while servers are killed and objects change.
//! Afterwards the caches equal the server, every handler saw a consistent sequence, every write was accepted in its writer's term, no lease was
//! taken before it had expired, and no task and no memory leaked.
//!
//! `cargo test -p kube-codegen-testenv --test testenv chaos::` runs the short form. The long form, with the length in seconds:
//! `KUBE_CODEGEN_SOAK=600 KUBE_CODEGEN_SOAK_OBJECTS=20000 cargo test -p kube-codegen-testenv --test testenv chaos:: -- --ignored --nocapture`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod faults;
mod history;
mod load;
mod replica;
mod sequence;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, api::ListParams};
use kube_codegen_testenv::{ControlPlane, TestResult, eventually};
use tokio::{runtime::Handle, time::Instant};

use self::{faults::Chaos, history::History, load::Load, replica::Replica};

/// The label of the objects under change.
const LABEL: &str = "soak=yes";
/// The lease of the replicas.
const LEASE: &str = "soak";
/// No fault delays a request by more than this minus the renew deadline (4 s): such a write may arrive in the next term.
const LEASE_DURATION: Duration = Duration::from_secs(8);
/// The key of an object's data by which the history knows who wrote it.
const WRITER: &str = "writer";
/// Limit of what takes seconds, or minutes with 20,000 objects, on an idle machine.
const WITHIN: Duration = Duration::from_secs(900);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn caches_handlers_and_leaders_survive_faults() -> TestResult {
    soak(500, Duration::from_secs(18)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes as many seconds as KUBE_CODEGEN_SOAK says (600), and some minutes"]
async fn caches_handlers_and_leaders_survive_faults_for_long() -> TestResult {
    let number =
        |name, default| std::env::var(name).map_or(Ok(default), |text| text.parse::<u32>());
    let seconds = number("KUBE_CODEGEN_SOAK", 600)?;
    let objects = number("KUBE_CODEGEN_SOAK_OBJECTS", 20_000)?;
    soak(objects as usize, Duration::from_secs(seconds.into())).await
}

async fn soak(objects: usize, time: Duration) -> TestResult {
    let Some(plane) = ControlPlane::for_test().await? else {
        return Ok(());
    };
    let namespace = plane.namespace("soak").await?.name().to_owned();
    let tasks = Handle::current().metrics().num_alive_tasks();

    let seed = std::env::var("KUBE_CODEGEN_SOAK_SEED")
        .map_or_else(|_| Ok(fastrand::u64(..)), |text| text.parse())?;
    println!("KUBE_CODEGEN_SOAK_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let began = Instant::now();
    let load = Arc::new(Load::create(plane.client()?, &namespace, objects).await?);
    println!("{objects} objects after {:?}", began.elapsed());

    let mut proxies = Vec::new();
    let mut replicas = Vec::new();
    for name in ["one", "two"] {
        let proxy = plane.proxy().await?;
        replicas.push(Replica::start(name, proxy.config(), &namespace));
        proxies.push(proxy);
    }
    let history = History::start(&plane.client()?, &namespace);
    converged(&replicas, &load).await?;
    println!("converged after {:?}", began.elapsed());

    let changes = load.start(random.fork());
    let mut chaos = Chaos::new(&plane, &proxies, &replicas, random.fork());
    let before = resident();
    let end = Instant::now() + time;
    let mut halfway = None;
    while Instant::now() < end {
        chaos.step(time).await?;
        if halfway.is_none() && Instant::now() + time / 2 > end {
            halfway = Some(resident());
        }
    }
    chaos.end();
    changes.abort();
    let _ = changes.await;
    println!("faults: {}; changes: {}", chaos.summary(), load.changes());

    converged(&replicas, &load).await?;
    println!("converged after {:?}", began.elapsed());
    let after = resident();
    println!("resident MiB: {before} at the start, {halfway:?} halfway, {after} at the end");
    for replica in &replicas {
        println!("{}", replica.summary());
        let problems = replica.problems();
        assert!(problems.is_empty(), "{problems:#?}");
    }
    let recorded = history.check();
    println!(
        "{} writes in the terms of {:?}",
        recorded.writes, recorded.leaders
    );
    assert!(recorded.problems.is_empty(), "{:#?}", recorded.problems);
    assert!(recorded.writes > 0, "no write was recorded");
    // A short run may have no such fault.
    let partitioned = chaos.summary().contains("leader partitioned");
    assert!(
        recorded.leaders.len() > 1 || !partitioned,
        "the leader was without a network"
    );
    let limit = halfway.unwrap_or(before).max(before) * 5 / 4 + 50;
    assert!(
        after <= limit,
        "{after} MiB are resident, more than {limit}"
    );

    for replica in replicas {
        replica.stop().await;
    }
    drop((proxies, load, history));
    eventually("no task left", WITHIN, async || {
        let left = Handle::current().metrics().num_alive_tasks();
        if left <= tasks {
            Ok(())
        } else {
            Err(format!("{left} tasks, {tasks} at the start"))
        }
    })
    .await?;
    plane.stop().await?;
    Ok(())
}

/// Waits until the caches and the handlers of both replicas have what the server has, and the leader has handled every object.
async fn converged(replicas: &[Replica], load: &Load) -> TestResult {
    eventually("caches equal the server", WITHIN, async || {
        let server = load.stored().await.map_err(|e| e.to_string())?;
        let unhandled = server
            .values()
            .filter(|map| !replica::is_handled(map))
            .count();
        if unhandled > 0 {
            return Err(format!(
                "{unhandled} of {} objects are not reconciled",
                server.len()
            ));
        }
        let versions: BTreeMap<_, _> = server
            .into_iter()
            .map(|(name, map)| (name, map.metadata.resource_version.unwrap_or_default()))
            .collect();
        for replica in replicas {
            replica.agrees(&versions)?;
        }
        Ok(())
    })
    .await?;
    Ok(())
}

/// Returns the resident memory of this process in MiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}

fn api(client: &kube::Client, namespace: &str) -> Api<ConfigMap> {
    Api::namespaced(client.clone(), namespace)
}

fn ours() -> ListParams {
    ListParams::default().labels(LABEL)
}
