//! Two replicas against an API server that stalls: never two writers, the leader that is cut off ends, and the other one takes over.
use std::{
    collections::BTreeMap,
    convert::Infallible,
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};

use http::{Request, Response};
use k8s_openapi::api::{coordination::v1::Lease, core::v1::ConfigMap};
use kube::{
    Api, Client,
    api::{Patch, PatchParams},
    client::Body,
};
use kube_codegen_runtime::{
    client::describe,
    leader_election::LeaderElectionConfig,
    manager::{CancellationToken, Manager, ManagerError, Runnable},
};
use kube_codegen_testing::ApiServer;
use serde_json::json;
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep, sleep_until, timeout},
};
use tower::{BoxError, ServiceExt as _, service_fn};

use crate::leader_election::simulation::schedules;

const SECOND: Duration = Duration::from_secs(1);

/// Which requests of a replica wait.
#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    All,
    Leases,
    Others,
}

/// Where they wait.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Where {
    /// On the way to the server, which does not execute a request whose connection was closed.
    Before,
    /// On the way back.
    After,
}

#[derive(Clone, Copy)]
struct Stall {
    until: Instant,
    what: What,
    place: Where,
}

/// The connection of one replica.
#[derive(Clone, Default)]
struct Link(Arc<Mutex<Option<Stall>>>);

impl Link {
    fn stall(&self, time: Duration, what: What, place: Where) {
        let until = Instant::now() + time;
        *self.0.lock().unwrap() = Some(Stall { until, what, place });
    }

    async fn wait(&self, is_lease: bool, at: Where) {
        let stall = *self.0.lock().unwrap();
        let Some(stall) = stall.filter(|stall| stall.place == at) else {
            return;
        };
        let affected = match stall.what {
            What::All => true,
            What::Leases => is_lease,
            What::Others => !is_lease,
        };
        if affected {
            sleep_until(stall.until).await;
        }
    }
}

/// What the server saw.
#[derive(Default)]
struct Seen {
    writes: BTreeMap<String, usize>,
    violations: Vec<String>,
}

/// A server, and the writes that arrive there.
#[derive(Clone)]
struct Cluster {
    server: ApiServer,
    seen: Arc<Mutex<Seen>>,
}

impl Cluster {
    fn new() -> Self {
        let server = ApiServer::new();
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "state"}});
        server.seed(&map).unwrap();
        Self {
            server,
            seen: Arc::default(),
        }
    }

    fn holder(&self) -> Option<String> {
        let lease: Lease = self.server.get("default", "operator")?;
        lease
            .spec?
            .holder_identity
            .filter(|holder| !holder.is_empty())
    }

    fn writes(&self, author: &str) -> usize {
        let seen = self.seen.lock().unwrap();
        seen.writes.get(author).copied().unwrap_or_default()
    }

    /// At the moment at which the server executes a write, its author must hold the lease.
    fn arrived(&self, request: &Request<Body>) {
        let query = request.uri().query().unwrap_or_default();
        let Some((_, author)) = query.split_once("fieldManager=") else {
            return;
        };
        let holder = self.holder();
        let mut seen = self.seen.lock().unwrap();
        *seen.writes.entry(author.to_owned()).or_default() += 1;
        if holder.as_deref() != Some(author) {
            let text = format!("{author} wrote in the term of {holder:?}");
            seen.violations.push(text);
        }
    }

    fn client(&self, link: &Link) -> Client {
        let (cluster, link) = (self.clone(), link.clone());
        let service = service_fn(move |request: Request<Body>| {
            let (cluster, link) = (cluster.clone(), link.clone());
            async move {
                let is_lease = request.uri().path().contains("/leases");
                link.wait(is_lease, Where::Before).await;
                cluster.arrived(&request);
                let response = cluster.server.service().oneshot(request).await?;
                link.wait(is_lease, Where::After).await;
                Ok::<Response<_>, BoxError>(response)
            }
        });
        Client::new(service, "default")
    }

    /// Starts a replica that writes once per half second while it leads.
    fn start(&self, identity: &str, link: &Link) -> JoinHandle<Result<(), ManagerError>> {
        let config = LeaderElectionConfig::new("operator")
            .namespace("default")
            .identity(identity);
        let mut manager = Manager::builder(self.client(link), "operator")
            .leader_election(config)
            .build()
            .unwrap();
        let maps: Api<ConfigMap> = Api::default_namespaced(manager.client());
        let params = PatchParams {
            field_manager: Some(identity.to_owned()),
            ..PatchParams::default()
        };
        let write = async move |stop: CancellationToken| {
            let writes = async {
                for n in 0.. {
                    let patch = Patch::Merge(json!({"data": {"n": n.to_string()}}));
                    let _ = maps.patch("state", &params, &patch).await;
                    sleep(SECOND / 2).await;
                }
            };
            stop.run_until_cancelled(writes).await;
            Ok::<_, Infallible>(())
        };
        manager.add(Runnable::new("writer", write));
        tokio::spawn(manager.run(pending()))
    }

    fn check(&self, what: &str) {
        let seen = self.seen.lock().unwrap();
        assert!(seen.violations.is_empty(), "{what}: {:#?}", seen.violations);
    }
}

/// Waits until the manager ends, and returns how it failed.
async fn failure(running: JoinHandle<Result<(), ManagerError>>) -> String {
    let ended = timeout(30 * SECOND, running).await.unwrap().unwrap();
    describe(&ended.unwrap_err())
}

#[tokio::test(start_paused = true)]
async fn a_leader_whose_requests_stall_ends_and_the_other_takes_over() {
    for what in [What::All, What::Leases] {
        for place in [Where::Before, Where::After] {
            let (cluster, a, b) = (Cluster::new(), Link::default(), Link::default());
            let first = cluster.start("a", &a);
            sleep(5 * SECOND).await;
            let _second = cluster.start("b", &b);
            sleep(5 * SECOND).await;
            assert_eq!(cluster.holder().as_deref(), Some("a"));
            let stalled = Instant::now();
            a.stall(60 * SECOND, what, place);
            let error = failure(first).await;
            assert!(error.starts_with("the leadership was lost: "), "{error}");
            assert!(stalled.elapsed() < 14 * SECOND, "{:?}", stalled.elapsed());
            let before = cluster.writes("a");
            sleep(20 * SECOND).await;
            assert_eq!(cluster.holder().as_deref(), Some("b"));
            assert!(cluster.writes("b") > 5);
            // The stall ends: nothing of the first replica arrives any more.
            sleep(60 * SECOND).await;
            assert_eq!(cluster.writes("a"), before);
            cluster.check(&format!("{what:?} {place:?}"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_leader_keeps_its_lease_while_only_other_requests_stall() {
    let (cluster, a, b) = (Cluster::new(), Link::default(), Link::default());
    let first = cluster.start("a", &a);
    sleep(5 * SECOND).await;
    let _second = cluster.start("b", &b);
    a.stall(60 * SECOND, What::Others, Where::Before);
    sleep(59 * SECOND).await;
    assert_eq!(cluster.holder().as_deref(), Some("a"));
    let before = cluster.writes("a");
    sleep(10 * SECOND).await;
    assert!(cluster.writes("a") > before && !first.is_finished());
    assert_eq!(cluster.writes("b"), 0);
    cluster.check("others");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stalls_for_all_has_a_leader_again_when_it_answers() {
    let (cluster, a, b) = (Cluster::new(), Link::default(), Link::default());
    let first = cluster.start("a", &a);
    sleep(5 * SECOND).await;
    let second = cluster.start("b", &b);
    sleep(5 * SECOND).await;
    for link in [&a, &b] {
        link.stall(60 * SECOND, What::All, Where::Before);
    }
    assert!(failure(first).await.contains("no renewal within 10s"));
    assert!(!second.is_finished(), "a waiting replica goes on");
    // Once the server answers, the other replica may see a renewal for the first time, and wait for its expiry.
    sleep(80 * SECOND).await;
    assert_eq!(cluster.holder().as_deref(), Some("b"));
    assert!(cluster.writes("b") > 5);
    cluster.check("all");
}

#[test]
fn random_stalls_never_lead_to_two_writers() {
    let seeds = schedules(10);
    let count = seeds.end - seeds.start;
    let (mut lost, mut writes) = (0, 0);
    for seed in seeds {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let (ended, written) = runtime.block_on(schedule(seed));
        lost += ended;
        writes += written;
    }
    println!("{count} schedules: {lost} leaders lost, {writes} writes");
    assert!(lost > count / 2, "{lost} of {count}");
}

/// Stalls both replicas at random, and restarts those that end as the kubelet does. Returns how many ended, and how often they wrote.
async fn schedule(seed: u64) -> (u64, usize) {
    let mut random = fastrand::Rng::with_seed(seed);
    let (cluster, links) = (Cluster::new(), [Link::default(), Link::default()]);
    let start = |number: u32, link: &Link| cluster.start(&format!("r{number}"), link);
    let mut running = [start(0, &links[0]), start(1, &links[1])];
    let mut ended = 0;
    let end = Instant::now() + 300 * SECOND;
    while Instant::now() < end {
        sleep(SECOND.mul_f64(random.f64() * 20.0)).await;
        let what = random
            .choice([What::All, What::Leases, What::Others])
            .unwrap();
        let place = random.choice([Where::Before, Where::After]).unwrap();
        let time = SECOND.mul_f64(random.f64() * 60.0);
        links[random.usize(..2)].stall(time, what, place);
        for (link, replica) in links.iter().zip(&mut running) {
            if replica.is_finished() {
                ended += 1;
                let number = 2 + u32::try_from(ended).unwrap();
                let error = std::mem::replace(replica, start(number, link));
                let error = describe(&error.await.unwrap().unwrap_err());
                assert!(error.contains("the leadership was lost"), "{seed}: {error}");
            }
        }
    }
    cluster.check(&format!("seed {seed}"));
    let all: usize = cluster.seen.lock().unwrap().writes.values().sum();
    sleep(90 * SECOND).await;
    let later: usize = cluster.seen.lock().unwrap().writes.values().sum();
    assert!(later > all, "seed {seed}: no leader after the stalls");
    cluster.check(&format!("seed {seed}"));
    (ended, later)
}
