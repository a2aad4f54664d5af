//! Random schedules of pauses, partitions, lost messages and restarts: no two candidates write in one term.
use std::{
    future::poll_fn,
    ops::Range,
    pin::pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use k8s_openapi::api::{coordination::v1::Lease, core::v1::ConfigMap};
use kube::{
    Api, Client,
    api::{Patch, PatchParams},
};
use kube_codegen_runtime::leader_election::{LeaderElectionConfig, LeaderElector, Term};
use kube_codegen_testing::ApiServer;
use serde_json::json;
use tokio::{
    task::LocalSet,
    time::{Instant, sleep, timeout},
};

use crate::leader_election::network::{Network, Process};

/// Virtual duration of one schedule with faults.
const FAULTS: Duration = Duration::from_secs(90);
/// After this time without faults there is a leader: a lease expires, and each candidate waits at most 4.4 s between two attempts.
const RECOVERY: Duration = Duration::from_secs(60);

/// What a schedule has shown.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) writes: usize,
    pub(crate) terms: usize,
    pub(crate) lost: usize,
    pub(crate) violations: Vec<String>,
}

/// How the leader writes.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Writer {
    /// Through the client of its term.
    Fenced,
    /// Through the plain client, by tasks that outlive the work, as in a program that learns of the loss from a callback.
    Plain,
}

/// Returns the seeds of the schedules: as many as `default`, or for a soak those of `KUBE_CODEGEN_SEEDS`, which is a number or a range such as
/// `1000..2000`.
pub(crate) fn schedules(default: u64) -> Range<u64> {
    let Ok(seeds) = std::env::var("KUBE_CODEGEN_SEEDS") else {
        return 0..default;
    };
    let (first, end) = seeds.split_once("..").unwrap_or(("0", &seeds));
    first.parse().unwrap()..end.parse().unwrap()
}

#[test]
fn two_candidates_never_write_in_one_term() {
    never_two_writers(2, schedules(120));
}

#[test]
fn five_candidates_never_write_in_one_term() {
    let Range { start, end } = schedules(120);
    let first = 1_000_000 + start;
    never_two_writers(5, first..first + (end - start) / 4);
}

#[test]
fn the_simulation_notices_writers_without_a_fence() {
    let found = (0..100).find(|seed| !simulate(2, *seed, Writer::Plain).violations.is_empty());
    assert!(found.is_some(), "no violation in 100 schedules");
}

fn never_two_writers(candidates: usize, seeds: Range<u64>) {
    let (mut writes, mut terms, mut lost) = (0, 0, 0);
    let count = usize::try_from(seeds.end - seeds.start).unwrap();
    for seed in seeds {
        let findings = simulate(candidates, seed, Writer::Fenced);
        assert!(
            findings.violations.is_empty(),
            "seed {seed}: {:#?}",
            findings.violations
        );
        assert!(
            findings.writes > 0 && findings.terms > 0,
            "seed {seed}: {findings:?}"
        );
        writes += findings.writes;
        terms += findings.terms;
        lost += findings.lost;
    }
    println!(
        "{count} schedules of {candidates} candidates: {terms} terms, {lost} lost, {writes} writes"
    );
    // The schedules are worth something only if leaders change and lose their lease.
    assert!(
        terms > 2 * count && lost > count / 2,
        "{terms} terms, {lost} lost"
    );
}

fn simulate(candidates: usize, seed: u64, writer: Writer) -> Seen {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let findings = Arc::new(Mutex::new(Seen::default()));
    LocalSet::new().block_on(&runtime, schedule(candidates, seed, writer, &findings));
    drop(runtime);
    Arc::into_inner(findings).unwrap().into_inner().unwrap()
}

async fn schedule(candidates: usize, seed: u64, writer: Writer, findings: &Arc<Mutex<Seen>>) {
    let server = ApiServer::new();
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "state"}});
    server.seed(&map).unwrap();
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut processes, mut networks, mut tasks) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..candidates {
        let process = Process::new();
        let network = watched_network(&server, random.u64(..), findings);
        let program = candidate(
            network.client(),
            random.u64(..),
            writer,
            Arc::clone(findings),
        );
        let paused = process.clone();
        tasks.push(tokio::task::spawn_local(async move {
            Box::pin(paused.run(program)).await;
        }));
        processes.push(process);
        networks.push(network);
    }
    let end = Instant::now() + FAULTS;
    while Instant::now() < end {
        sleep(Duration::from_secs(20).mul_f64(random.f64())).await;
        let (one, time) = (
            random.usize(..candidates),
            Duration::from_secs(random.u64(1..30)),
        );
        match random.u8(..10) {
            0..4 => processes[one].pause(time),
            4..8 => networks[one].cut(time),
            8 => networks.iter().for_each(|network| network.cut(time)),
            _ => server
                .edit::<Lease>("default", "election", |lease| {
                    // Another program changes something that is not part of the record.
                    lease["metadata"]["annotations"] =
                        json!({"touched": time.as_secs().to_string()});
                })
                .unwrap_or_default(),
        }
    }
    sleep(Duration::from_secs(30)).await;
    let before = findings.lock().unwrap().writes;
    let recovered = async {
        while findings.lock().unwrap().writes == before {
            sleep(Duration::from_millis(100)).await;
        }
    };
    if timeout(RECOVERY, recovered).await.is_err() {
        let mut findings = findings.lock().unwrap();
        findings
            .violations
            .push("no leader after the faults".to_owned());
    }
}

/// Returns a network that checks each arriving write: its author must hold the lease.
pub(crate) fn watched_network(
    server: &ApiServer,
    seed: u64,
    findings: &Arc<Mutex<Seen>>,
) -> Network {
    let (findings, checked) = (Arc::clone(findings), server.clone());
    Network::new(server, seed, move |request| {
        let query = request.uri().query().unwrap_or_default();
        let Some((_, author)) = query.split_once("fieldManager=") else {
            return;
        };
        let lease: Option<Lease> = checked.get("default", "election");
        let holder = lease.and_then(|lease| lease.spec?.holder_identity);
        let mut findings = findings.lock().unwrap();
        findings.writes += 1;
        if holder.as_deref() != Some(author) {
            findings
                .violations
                .push(format!("{author} wrote in the term of {holder:?}"));
        }
    })
}

/// Takes part in elections until the end of the schedule.
pub(crate) async fn candidate(
    client: Client,
    seed: u64,
    writer: Writer,
    findings: Arc<Mutex<Seen>>,
) {
    for generation in seed.. {
        let config = LeaderElectionConfig::new("election")
            .namespace("default")
            .identity(format!("{generation:016x}"))
            .seed(generation);
        let elector = LeaderElector::new(&client, config).unwrap();
        let led = elector.run(|term| {
            findings.lock().unwrap().terms += 1;
            lead(term, client.clone(), generation, writer, &findings)
        });
        if Box::pin(led).await.is_err() {
            findings.lock().unwrap().lost += 1;
        }
        sleep(Duration::from_secs(1)).await;
    }
}

/// Writes until the term ends, or for a random time, after which the lease is released.
async fn lead(term: Term, client: Client, generation: u64, writer: Writer, findings: &Mutex<Seen>) {
    let client = match writer {
        Writer::Fenced => term.fence(&client),
        Writer::Plain => client,
    };
    let author = format!("{generation:016x}");
    let mut random = fastrand::Rng::with_seed(generation);
    // A task of its own is not paused with its process, and outlives the work: only the fence stops it.
    tokio::spawn(write(client.clone(), author.clone(), random.fork()));
    let work = write(client, author, random.fork());
    let mut work = pin!(timeout(Duration::from_secs(random.u64(10..120)), work));
    let _ = poll_fn(|context| {
        if !term.is_active() {
            let mut findings = findings.lock().unwrap();
            findings
                .violations
                .push("the work went on after the deadline".to_owned());
        }
        work.as_mut().poll(context)
    })
    .await;
}

async fn write(client: Client, author: String, mut random: fastrand::Rng) {
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let params = PatchParams {
        field_manager: Some(author),
        ..PatchParams::default()
    };
    for number in 0..150 {
        let patch = Patch::Merge(json!({"data": {"number": number.to_string()}}));
        let request = maps.patch("state", &params, &patch);
        let _ = timeout(Duration::from_secs(5), request).await;
        sleep(Duration::from_secs(2).mul_f64(random.f64())).await;
    }
}
