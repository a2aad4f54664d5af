//! Replicas that share shards, under constant change: two, four, two again, paused and killed. The API server's audit log says who wrote what: no two
//! replicas write to one object within overlapping terms. Replicas are processes.
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    process::Command,
    sync::Arc,
    time::Duration,
};

use http::header::{HeaderValue, USER_AGENT};
use k8s_openapi::{
    api::{coordination::v1::Lease, core::v1::ConfigMap},
    jiff::Timestamp,
};
use kube::{
    Api, Client, Config, ResourceExt as _,
    api::{ListParams, Patch, PatchParams, PostParams},
};
use kube_codegen_runtime::{
    client::{self, TypedClient},
    controller::Action,
    leader_election::LeaderElectionConfig,
    manager::Manager,
    shards::{ShardKey, Shards},
};
use kube_codegen_testenv::{ControlPlane, Process, TestResult, eventually};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::support::{config_map, n};

const NAME: &str = "handover";
const NAMESPACE: &str = "default";
const RANGES: u16 = 16;
const OBJECTS: usize = 100;
/// The environment variable with the name of a replica.
const REPLICA: &str = "HANDOVER_REPLICA";
/// How long a reconcile takes between what it reads and what it writes.
const WORK: Duration = Duration::from_secs(1);
const LEASE_DURATION: Duration = Duration::from_secs(8);
/// Limit of what takes seconds on an idle machine.
const WITHIN: Duration = Duration::from_secs(300);

/// A client whose requests the audit log shows under this name.
fn named(config: &Config, name: &str) -> TestResult<Client> {
    let mut config = config.clone();
    config
        .headers
        .push((USER_AGENT, HeaderValue::from_str(name)?));
    Ok(client::connect(config)?)
}

/// The program of a replica: it copies `n` of each object to `seen`, and starts again when its manager ends, as a Pod does.
#[tokio::test]
#[ignore = "is started by `two_four_two`"]
async fn replica() -> TestResult {
    let name = std::env::var(REPLICA)?;
    let config = Config::infer().await?;
    loop {
        let election = LeaderElectionConfig::new(NAME)
            .namespace(NAMESPACE)
            .identity(&name)
            .lease_duration(LEASE_DURATION)
            .renew_deadline(Duration::from_secs(5))
            .retry_period(Duration::from_secs(1));
        let manager = Manager::builder(named(&config, &name)?, NAME)
            .informers(|informers| informers.namespace(NAMESPACE))
            .leader_election(election)
            .shards(Shards::new(RANGES))
            .workers(40)
            .build()?;
        let maps = TypedClient::<ConfigMap>::namespaced(manager.client(), NAMESPACE);
        let reconcile = |map: Arc<ConfigMap>, maps: Arc<TypedClient<ConfigMap>>| async move {
            if is_ours(&map) && !is_seen(&map) {
                // A replica that is paused, or that hands ranges over, has several that are about to write.
                sleep(WORK).await;
                let seen = json!({"data": {"seen": n(&map)}});
                maps.patch(&map.name_any(), &Patch::Merge(seen)).await?;
            }
            Ok::<_, kube::Error>(Action::await_change())
        };
        manager.reconcile().run(reconcile, maps);
        let ended = Box::pin(manager.run_until_signal()).await;
        println!("ended: {ended:?}");
        if ended.is_ok() {
            return Ok(());
        }
    }
}

fn is_ours(map: &ConfigMap) -> bool {
    map.labels().contains_key("parity")
}

fn is_seen(map: &ConfigMap) -> bool {
    let data = map.data.as_ref();
    data.and_then(|data| data.get("seen")).map(String::as_str) == Some(n(map))
}

fn start(plane: &ControlPlane, name: &str) -> TestResult<Process> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args([
            "--exact",
            "cluster::handover::replica",
            "--ignored",
            "--nocapture",
        ])
        .env("KUBECONFIG", plane.kubeconfig())
        .env(REPLICA, name);
    Ok(plane.spawn(name, command)?)
}

/// Waits until these replicas, and no others, hold all ranges.
async fn share(leases: &Api<Lease>, replicas: &[&str]) -> TestResult {
    let wanted: BTreeSet<&str> = replicas.iter().copied().collect();
    eventually("the ranges are shared", WITHIN, async || {
        let all = leases.list(&ListParams::default()).await;
        let all = all.map_err(|error| error.to_string())?.items;
        let ranges = all
            .iter()
            .filter(|lease| range(&lease.name_any()).is_some());
        let holders: Vec<_> = ranges
            .filter_map(|lease| lease.spec.as_ref()?.holder_identity.as_deref())
            .filter(|holder| !holder.is_empty())
            .collect();
        let distinct: BTreeSet<&str> = holders.iter().copied().collect();
        if holders.len() == usize::from(RANGES) && distinct == wanted {
            return Ok(());
        }
        Err(format!("{} ranges are held by {distinct:?}", holders.len()))
    })
    .await?;
    Ok(())
}

/// Returns the number of the range of a Lease.
fn range(lease: &str) -> Option<u16> {
    let number = lease.strip_prefix(NAME)?.strip_prefix("-shard-")?;
    number.parse().ok()
}

/// Changes an object every few milliseconds.
async fn change(maps: Api<ConfigMap>) {
    for number in 0_u64.. {
        let patch = Patch::Merge(json!({"data": {"n": number.to_string()}}));
        let name = format!("map-{}", fastrand::usize(..OBJECTS));
        // The next one changes it, too.
        let _ = maps.patch(&name, &PatchParams::default(), &patch).await;
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn two_four_two_replicas_never_write_within_each_others_terms() -> TestResult {
    if ControlPlane::shared()
        .await?
        .is_none_or(|plane| !plane.is_own())
    {
        return Ok(());
    }
    let plane = ControlPlane::builder().start().await?;
    let client = named(plane.config(), "load")?;
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let leases: Api<Lease> = Api::namespaced(client, NAMESPACE);
    let mut ranges = BTreeMap::new();
    for number in 0..OBJECTS {
        let map = config_map(&format!("map-{number}"), number);
        let map = maps.create(&PostParams::default(), &map).await?;
        let hash = u128::from(ShardKey::Uid.hash(&map.metadata));
        let range = u16::try_from((hash * u128::from(RANGES)) >> u64::BITS)?;
        ranges.insert(map.name_any(), range);
    }
    let load = tokio::spawn(change(maps.clone()));
    let pause = Duration::from_secs(4);

    let one = start(&plane, "one")?;
    let two = start(&plane, "two")?;
    share(&leases, &["one", "two"]).await?;
    sleep(pause).await;
    let three = start(&plane, "three")?;
    let four = start(&plane, "four")?;
    share(&leases, &["one", "two", "three", "four"]).await?;
    sleep(pause).await;
    // One is paused beyond its term, in the middle of its writes, and wakes when others have its ranges.
    three.pause()?;
    share(&leases, &["one", "two", "four"]).await?;
    three.resume()?;
    share(&leases, &["one", "two", "three", "four"]).await?;
    // Paused within its term: nothing moves.
    two.pause()?;
    sleep(Duration::from_secs(2)).await;
    two.resume()?;
    sleep(pause).await;
    four.kill();
    share(&leases, &["one", "two", "three"]).await?;
    one.kill();
    share(&leases, &["two", "three"]).await?;
    sleep(pause).await;

    load.abort();
    let _ = load.await;
    eventually("each object has converged", WITHIN, async || {
        let all = maps.list(&ListParams::default()).await;
        let all = all.map_err(|error| error.to_string())?.items;
        let late = all.iter().filter(|map| is_ours(map) && !is_seen(map));
        match late.count() {
            0 => Ok(()),
            late => Err(format!("{late} objects are not reconciled")),
        }
    })
    .await?;
    two.terminate(WITHIN).await?;
    three.terminate(WITHIN).await?;

    let folder = plane.kubeconfig().parent().ok_or("no folder")?;
    let log = fs::read_to_string(folder.join("logs/audit.log"))?;
    let requests: Vec<_> = log.lines().filter_map(Write::read).collect();
    let verdict = judge(&requests, &ranges);
    println!(
        "{} writes; takeovers of ranges: {}",
        verdict.writes, verdict.takeovers
    );
    assert!(verdict.problems.is_empty(), "{:#?}", verdict.problems);
    assert_eq!(
        verdict.writers,
        BTreeSet::from(["four", "one", "three", "two"])
    );
    assert!(
        verdict.takeovers > usize::from(RANGES),
        "{}",
        verdict.takeovers
    );
    Ok(plane.stop().await?)
}

/// A successful write in the audit log.
#[derive(Clone, Debug)]
struct Write {
    received: Timestamp,
    done: Timestamp,
    by: String,
    resource: String,
    name: String,
}

impl Write {
    fn read(line: &str) -> Option<Self> {
        let line: Value = serde_json::from_str(line).ok()?;
        let text = |pointer: &str| {
            let found = line.pointer(pointer).and_then(Value::as_str);
            found.unwrap_or_default().to_owned()
        };
        let is_write = ["create", "update", "patch", "delete"].contains(&&*text("/verb"));
        let code = line.pointer("/responseStatus/code")?.as_u64()?;
        (is_write && code < 300 && text("/stage") == "ResponseComplete").then_some(())?;
        Some(Self {
            received: text("/requestReceivedTimestamp").parse().ok()?,
            done: text("/stageTimestamp").parse().ok()?,
            by: text("/userAgent"),
            resource: text("/objectRef/resource"),
            name: text("/objectRef/name"),
        })
    }
}

#[derive(Debug, Default)]
struct Verdict<'w> {
    writes: usize,
    /// How often another replica than before wrote the Lease of a range.
    takeovers: usize,
    writers: BTreeSet<&'w str>,
    problems: Vec<String>,
}

/// Finds writes to an object of a range that another replica had taken. A replica takes a range by a write of its Lease, and has it until the next one
/// of another replica.
fn judge<'w>(all: &'w [Write], ranges: &BTreeMap<String, u16>) -> Verdict<'w> {
    let mut verdict = Verdict::default();
    let mut leases = BTreeMap::<u16, Vec<&Write>>::new();
    for write in all.iter().filter(|write| write.resource == "leases") {
        if let Some(range) = range(&write.name) {
            leases.entry(range).or_default().push(write);
        }
    }
    for of_range in leases.values_mut() {
        of_range.sort_by_key(|write| write.done);
        let pairs = of_range.windows(2);
        verdict.takeovers += pairs.filter(|pair| pair[0].by != pair[1].by).count();
    }
    for write in all
        .iter()
        .filter(|write| write.resource == "configmaps" && write.by != "load")
    {
        let Some(range) = ranges.get(&write.name) else {
            continue;
        };
        verdict.writes += 1;
        verdict.writers.insert(&write.by);
        let of_range = leases.get(range).map(Vec::as_slice).unwrap_or_default();
        // The Lease as it was when the write arrived, and what became of it until the write was done.
        let before = of_range.iter().rfind(|lease| lease.done <= write.received);
        let meanwhile = of_range
            .iter()
            .filter(|lease| lease.done > write.received && lease.received <= write.done);
        if !before
            .into_iter()
            .chain(meanwhile)
            .any(|lease| lease.by == write.by)
        {
            verdict.problems.push(format!(
                "{write:?} is in range {range}, whose Lease was last written by {before:?}"
            ));
        }
    }
    verdict
}

#[test]
fn a_write_after_the_range_was_taken_is_a_problem() {
    let write = |second: u8, by: &str, resource: &str, name: &str| {
        let at = |millis: u16| format!("2026-01-01T00:00:{second:02}.{millis:03}000Z");
        let line = json!({
            "stage": "ResponseComplete",
            "verb": "patch",
            "userAgent": by,
            "objectRef": {"resource": resource, "name": name},
            "responseStatus": {"code": 200},
            "requestReceivedTimestamp": at(0),
            "stageTimestamp": at(5),
        });
        Write::read(&line.to_string()).unwrap()
    };
    let lease = |second, by| write(second, by, "leases", "handover-shard-3");
    let map = |second, by| write(second, by, "configmaps", "a");
    let ranges = BTreeMap::from([("a".to_owned(), 3)]);
    let mut all = vec![
        lease(1, "one"),
        map(2, "one"),
        lease(3, "one"),
        lease(4, "two"),
        map(5, "two"),
    ];
    let good = judge(&all, &ranges);
    assert_eq!(
        (good.writes, good.takeovers, good.problems.len()),
        (2, 1, 0),
        "{good:?}"
    );
    all.push(map(6, "one"));
    all.push(write(7, "load", "configmaps", "a"));
    all.push(write(
        8,
        "one",
        "leases",
        "handover-replica-0123456789abcdef",
    ));
    let bad = judge(&all, &ranges);
    assert_eq!((bad.writes, bad.problems.len()), (3, 1), "{bad:?}");
    assert_eq!(judge(&[map(1, "one")], &ranges).problems.len(), 1);
}
