//! Figures of replicas that share shards: reconciles, memory, and how long a change of their number takes. Replicas are processes.
use std::{
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use futures::{StreamExt, stream};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, api::PostParams};
use kube_codegen_runtime::{
    client, controller::Action, leader_election::LeaderElectionConfig, manager::Manager,
    shards::Shards,
};
use kube_codegen_testenv::{ControlPlane, TestResult};
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::{sleep, timeout},
};

const OBJECTS: usize = 20_000;
const RANGES: usize = 64;
const WORKERS: usize = 10;
const NAME: &str = "figures";
/// How often a replica prints its state.
const PERIOD: Duration = Duration::from_millis(100);

/// What a replica prints.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Since the start of the replica.
    milliseconds: u64,
    reconciles: u64,
    held: usize,
    objects: usize,
    kilobytes: usize,
    received: u64,
    dropped: u64,
}

/// The program of a replica: each reconcile waits 20 ms, and each object is reconciled again and again.
#[tokio::test]
#[ignore = "is started by `figures`"]
async fn replica() -> TestResult {
    let client = client::connect(kube::Config::infer().await?)?;
    let election = LeaderElectionConfig::new(NAME).namespace("default");
    let manager = Manager::builder(client, NAME)
        .leader_election(election)
        .shards(Shards::new(u16::try_from(RANGES)?))
        .workers(WORKERS)
        .build()?;
    let maps = manager.factory().informer::<ConfigMap>();
    let count = Arc::new(AtomicU64::new(0));
    let reconcile = |_: Arc<ConfigMap>, count: Arc<Arc<AtomicU64>>| async move {
        sleep(Duration::from_millis(20)).await;
        count.fetch_add(1, Ordering::Relaxed);
        Ok::<_, kube::Error>(Action::requeue(Duration::from_secs(1)))
    };
    manager.reconcile().run(reconcile, Arc::clone(&count));
    let shards = manager.shard_status().ok_or("no shards")?;
    let started = Instant::now();
    tokio::spawn(async move {
        loop {
            let metrics = maps.metrics();
            let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
            let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
            let resident = resident.and_then(|text| text.split_whitespace().next());
            println!(
                "STATE {} {} {} {} {} {} {}",
                started.elapsed().as_millis(),
                count.load(Ordering::Relaxed),
                shards.held(),
                metrics.objects,
                resident.unwrap_or("0"),
                metrics.received,
                metrics.dropped
            );
            sleep(PERIOD).await;
        }
    });
    Box::pin(manager.run_until_signal()).await?;
    Ok(())
}

struct Replica {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    last: State,
}

impl Replica {
    fn start(kubeconfig: &std::path::Path) -> TestResult<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args([
                "--exact",
                "cluster::shards::replica",
                "--ignored",
                "--nocapture",
            ])
            .env("KUBECONFIG", kubeconfig)
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
        Ok(Self {
            child,
            lines,
            last: State::default(),
        })
    }

    async fn next(&mut self) -> TestResult<State> {
        loop {
            let line = self
                .lines
                .next_line()
                .await?
                .ok_or("the replica has ended")?;
            let Some((_, state)) = line.split_once("STATE ") else {
                continue;
            };
            let numbers: Vec<u64> = state.split(' ').filter_map(|n| n.parse().ok()).collect();
            let [
                milliseconds,
                reconciles,
                held,
                objects,
                kilobytes,
                received,
                dropped,
            ] = numbers[..]
            else {
                continue;
            };
            self.last = State {
                milliseconds,
                reconciles,
                held: usize::try_from(held)?,
                objects: usize::try_from(objects)?,
                kilobytes: usize::try_from(kilobytes)?,
                received,
                dropped,
            };
            return Ok(self.last);
        }
    }

    /// Waits until the state is as wanted. Returns how long after its start that was.
    async fn until(&mut self, wanted: impl Fn(&State) -> bool) -> TestResult<Duration> {
        while !wanted(&self.next().await?) {}
        Ok(Duration::from_millis(self.last.milliseconds))
    }
}

/// Measures all replicas for some seconds. Returns the reconciles per second of each.
async fn rates(replicas: &mut [Replica]) -> TestResult<Vec<f64>> {
    const SECONDS: u32 = 10;
    let measure = replicas.iter_mut().map(async |replica| {
        // What was printed and not read yet.
        while let Ok(state) = timeout(PERIOD / 2, replica.next()).await {
            state?;
        }
        let before = replica.last;
        for _ in 0..SECONDS * 10 {
            replica.next().await?;
        }
        let count = u32::try_from(replica.last.reconciles - before.reconciles)?;
        let took = Duration::from_millis(replica.last.milliseconds - before.milliseconds);
        Ok(f64::from(count) / took.as_secs_f64())
    });
    futures::future::join_all(measure)
        .await
        .into_iter()
        .collect()
}

async fn fill(plane: &ControlPlane) -> TestResult {
    let maps: Api<ConfigMap> = Api::default_namespaced(plane.client()?);
    let create = |number: usize| {
        let maps = maps.clone();
        async move {
            let map = serde_json::from_value(json!({
                "metadata": {
                    "name": format!("map-{number}"),
                    "labels": {"app": "figures", "number": number.to_string()},
                },
                "data": {"text": "x".repeat(1500)},
            }))?;
            maps.create(&PostParams::default(), &map).await?;
            Ok::<_, Box<dyn std::error::Error>>(())
        }
    };
    let created = stream::iter(0..OBJECTS).map(create).buffer_unordered(32);
    let results: Vec<_> = created.collect().await;
    for result in results {
        result.map_err(|error| error.to_string())?;
    }
    Ok(())
}

async fn figures(gate: bool) -> TestResult {
    let mut builder = ControlPlane::builder();
    if gate {
        builder = builder.api_server_arg("--feature-gates=ShardedListAndWatch=true");
    }
    let plane = builder.start().await?;
    fill(&plane).await?;
    let kubeconfig = plane.kubeconfig();
    println!("## ShardedListAndWatch={gate}");
    let mut replicas = vec![Replica::start(kubeconfig)?];
    let empty = replicas[0].next().await?.kilobytes;
    let is_whole = |state: &State| state.held == RANGES && state.objects >= OBJECTS;
    let took = replicas[0].until(is_whole).await?;
    let one = rates(&mut replicas).await?[0];
    let alone = replicas[0].last;
    println!(
        "one: {one:.0} reconciles/s, {} kB, {empty} kB at its start, all after {took:.1?}",
        alone.kilobytes
    );
    for _ in 0..3 {
        replicas.push(Replica::start(kubeconfig)?);
        let share = RANGES / replicas.len();
        let (new, others) = replicas.split_last_mut().ok_or("no replica")?;
        let first = new.until(|state| state.held > 0).await?;
        let took = new.until(|state| state.held >= share).await?;
        println!("joined: first range after {first:.2?}, its share of {share} after {took:.2?}");
        for other in others {
            other.until(|state| state.held <= share + 1).await?;
        }
    }
    let drain = replicas
        .iter_mut()
        .map(async |replica| replica.until(|state| state.held == RANGES / 4).await);
    futures::future::join_all(drain).await;
    let four = rates(&mut replicas).await?;
    let sum: f64 = four.iter().sum();
    println!("four: {sum:.0} reconciles/s, {:.2} times one", sum / one);
    for (replica, rate) in replicas.iter().zip(&four) {
        let last = replica.last;
        let of_one = |part: usize, whole: usize| {
            f64::from(u32::try_from(part).unwrap_or(0))
                / f64::from(u32::try_from(whole).unwrap_or(1))
        };
        println!(
            "  {rate:.0} reconciles/s, {} objects, {} kB ({:.2} of one; caches {:.2}), {} received, {} dropped",
            last.objects,
            last.kilobytes,
            of_one(last.kilobytes, alone.kilobytes),
            of_one(
                last.kilobytes.saturating_sub(empty),
                alone.kilobytes - empty
            ),
            last.received,
            last.dropped
        );
    }
    kill_last(&mut replicas).await?;
    for replica in &mut replicas {
        replica.child.kill().await?;
    }
    let mut replicas = Vec::new();
    for _ in 0..4 {
        replicas.push(Replica::start(kubeconfig)?);
    }
    let quarter = replicas
        .iter_mut()
        .map(async |replica| replica.until(|state| state.held == RANGES / 4).await);
    futures::future::join_all(quarter).await;
    rates(&mut replicas).await?;
    println!("four that started together:");
    for replica in &replicas {
        println!(
            "  {} objects, {} kB",
            replica.last.objects, replica.last.kilobytes
        );
    }
    for mut replica in replicas {
        replica.child.kill().await?;
    }
    Ok(plane.stop().await?)
}

/// Kills a replica, and prints when the others have its ranges.
async fn kill_last(replicas: &mut Vec<Replica>) -> TestResult {
    let mut last = replicas.pop().ok_or("no replica")?;
    let before: Vec<State> = replicas.iter().map(|replica| replica.last).collect();
    last.child.kill().await?;
    let killed = Instant::now();
    loop {
        let mut held = 0;
        for replica in &mut *replicas {
            held += replica.next().await?.held;
        }
        if held == RANGES {
            break;
        }
    }
    println!(
        "killed one: its ranges are reconciled by others after {:.1?}",
        killed.elapsed()
    );
    for (replica, before) in replicas.iter().zip(before) {
        let count = u32::try_from(replica.last.reconciles - before.reconciles)?;
        println!(
            "  meanwhile {:.0} reconciles/s",
            f64::from(count) / killed.elapsed().as_secs_f64()
        );
    }
    Ok(())
}

/// Prints the figures of docs/scaling.md.
#[tokio::test]
#[ignore = "takes minutes"]
async fn figures_of_shards() -> TestResult {
    figures(true).await?;
    figures(false).await
}
