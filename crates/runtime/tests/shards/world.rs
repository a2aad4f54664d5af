//! Replicas of one operator whose reconciles and writes are checked.
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use http::Method;
use k8s_openapi::api::{coordination::v1::Lease, core::v1::ConfigMap};
use kube::{
    Api,
    api::{Patch, PatchParams},
};
use kube_codegen_runtime::{
    controller::{Action, Controller, OnError},
    informer::SharedInformer,
    leader_election::LeaderElectionConfig,
    manager::{Manager, ManagerError},
    shards::{ShardKey, Shards},
};
use kube_codegen_testing::ApiServer;
use serde_json::json;
use tokio::{sync::oneshot, task::JoinHandle, time::sleep};

use crate::leader_election::network::Network;

/// The name of the operator, and of its Lease.
pub(super) const NAME: &str = "operator";

/// What all replicas share: the API server, and what was seen of them.
#[derive(Clone)]
pub(super) struct World {
    pub(super) server: ApiServer,
    pub(super) key: ShardKey,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
pub(super) struct Seen {
    /// Who reconciles an object, by uid.
    running: BTreeMap<String, String>,
    /// Who has reconciled anything.
    pub(super) authors: BTreeSet<String>,
    pub(super) reconciles: usize,
    pub(super) writes: usize,
    /// The informer of each replica.
    pub(super) informers: BTreeMap<String, SharedInformer<ConfigMap>>,
    pub(super) violations: Vec<String>,
}

/// A replica that runs.
pub(super) struct Running {
    pub(super) identity: String,
    pub(super) network: Network,
    stop: Option<oneshot::Sender<()>>,
    pub(super) task: JoinHandle<Result<(), ManagerError>>,
}

impl World {
    pub(super) fn new(key: ShardKey) -> Self {
        Self::with(ApiServer::new(), key)
    }

    pub(super) fn with(server: ApiServer, key: ShardKey) -> Self {
        // As on a real server, uids have nothing in common: those that differ in the last digits have almost the same hash.
        server.set_seed(1);
        Self {
            server,
            key,
            seen: Arc::default(),
        }
    }

    pub(super) fn seen<T>(&self, read: impl FnOnce(&mut Seen) -> T) -> T {
        read(&mut self.seen.lock().unwrap())
    }

    /// Starts a replica with this number of ranges. A reconcile takes up to `slow`.
    pub(super) fn start(&self, identity: &str, ranges: u16, slow: Duration, seed: u64) -> Running {
        let network = self.network(seed);
        let config = LeaderElectionConfig::new(NAME)
            .namespace("default")
            .identity(identity)
            .seed(seed);
        let mut manager = Manager::builder(network.client(), NAME)
            .leader_election(config)
            .shards(Shards::new(ranges).by(self.key))
            .workers(4)
            .grace_period(Duration::from_secs(15))
            .build()
            .unwrap();
        let informer = manager.factory().informer::<ConfigMap>();
        let controller = Controller::for_informer(&informer);
        self.seen(|seen| seen.informers.insert(identity.to_owned(), informer));
        let work = Work {
            world: self.clone(),
            identity: identity.to_owned(),
            maps: manager.client(),
            slow,
            random: Mutex::new(fastrand::Rng::with_seed(seed)),
        };
        let reconcile =
            |map: Arc<ConfigMap>, work: Arc<Work>| async move { work.reconcile(&map).await };
        manager.controller(controller, move |controller| {
            controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(work))
        });
        let (stop, stopped) = oneshot::channel::<()>();
        Running {
            identity: identity.to_owned(),
            network,
            stop: Some(stop),
            task: tokio::spawn(async move {
                Box::pin(manager.run(async { drop(stopped.await) })).await
            }),
        }
    }

    /// Returns a network that checks each arriving write: its author must hold the range of the object.
    fn network(&self, seed: u64) -> Network {
        let world = self.clone();
        Network::new(&self.server, seed, move |request| {
            let query = request.uri().query().unwrap_or_default();
            let name = request.uri().path().rsplit_once("/configmaps/");
            let (Some((_, author)), Some((_, name))) = (query.split_once("fieldManager="), name)
            else {
                return;
            };
            assert_eq!(request.method(), Method::PATCH);
            let Some(map) = world.server.get::<ConfigMap>("default", name) else {
                return;
            };
            let holder = world.holder(&map);
            world.seen(|seen| {
                seen.writes += 1;
                if holder.as_deref() != Some(author) {
                    seen.violations
                        .push(format!("{author} wrote {name} in the term of {holder:?}"));
                }
            });
        })
    }

    /// Returns the replica that holds the range of an object.
    pub(super) fn holder(&self, map: &ConfigMap) -> Option<String> {
        let group = self.lease_holder(NAME)?;
        let Some(ranges) = group.strip_prefix("shards/") else {
            return Some(group);
        };
        let ranges: u128 = ranges.split('/').next()?.parse().ok()?;
        let range = (u128::from(self.key.hash(&map.metadata)) * ranges) >> 64;
        self.lease_holder(&format!("{NAME}-shard-{range}"))
    }

    fn lease_holder(&self, name: &str) -> Option<String> {
        self.server
            .get::<Lease>("default", name)?
            .spec?
            .holder_identity
    }

    /// Returns how many ranges each replica holds.
    pub(super) fn shares(&self) -> BTreeMap<String, usize> {
        let mut shares = BTreeMap::new();
        let leases: Vec<Lease> = self.server.list();
        for lease in leases {
            if lease
                .metadata
                .name
                .is_some_and(|name| name.contains("-shard-"))
            {
                let holder = lease.spec.unwrap().holder_identity.unwrap_or_default();
                *shares.entry(holder).or_default() += 1;
            }
        }
        shares
    }

    /// Creates an object, or sets what it wants.
    pub(super) fn want(&self, name: &str, wanted: &str) {
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name}, "data": {"wanted": wanted},
        });
        if self.server.get::<ConfigMap>("default", name).is_none() {
            self.server.seed(&object).unwrap();
        } else {
            let edit = |map: &mut serde_json::Value| map["data"]["wanted"] = json!(wanted);
            self.server
                .edit::<ConfigMap>("default", name, edit)
                .unwrap();
        }
    }

    /// Whether a reconcile has seen what each object wants.
    pub(super) fn has_converged(&self) -> bool {
        let maps: Vec<ConfigMap> = self.server.list();
        maps.iter().all(|map| {
            let data = map.data.clone().unwrap_or_default();
            data.get("seen") == data.get("wanted")
        })
    }
}

impl Running {
    /// Stops the replica as by SIGTERM, and waits for its end.
    pub(super) async fn stop(mut self) -> Result<(), ManagerError> {
        self.stop.take();
        self.ended().await
    }

    /// Waits until the replica ends.
    pub(super) async fn ended(mut self) -> Result<(), ManagerError> {
        (&mut self.task).await.unwrap()
    }
}

impl Drop for Running {
    /// As by SIGKILL.
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What reconciles of a replica need.
struct Work {
    world: World,
    identity: String,
    maps: kube::Client,
    slow: Duration,
    random: Mutex<fastrand::Rng>,
}

impl Work {
    async fn reconcile(&self, map: &ConfigMap) -> kube::Result<Action> {
        let (name, uid) = (
            map.metadata.name.clone().unwrap(),
            map.metadata.uid.clone().unwrap(),
        );
        let _runs = Runs::begin(&self.world, &self.identity, uid);
        let maps: Api<ConfigMap> = Api::default_namespaced(self.maps.clone());
        let params = PatchParams {
            field_manager: Some(self.identity.clone()),
            ..PatchParams::default()
        };
        let wanted = map.data.clone().unwrap_or_default().get("wanted").cloned();
        for _ in 0..2 {
            let pause = self.slow.mul_f64(self.random.lock().unwrap().f64() / 2.0);
            sleep(pause).await;
            let patch = Patch::Merge(json!({"data": {"seen": wanted}}));
            maps.patch(&name, &params, &patch).await?;
        }
        Ok(Action::await_change())
    }
}

/// A reconcile that runs.
struct Runs<'w> {
    world: &'w World,
    uid: String,
}

impl<'w> Runs<'w> {
    fn begin(world: &'w World, identity: &str, uid: String) -> Self {
        world.seen(|seen| {
            seen.reconciles += 1;
            seen.authors.insert(identity.to_owned());
            if let Some(other) = seen.running.insert(uid.clone(), identity.to_owned()) {
                seen.violations
                    .push(format!("{identity} reconciles {uid} beside {other}"));
            }
        });
        Self { world, uid }
    }
}

impl Drop for Runs<'_> {
    fn drop(&mut self) {
        self.world.seen(|seen| seen.running.remove(&self.uid));
    }
}
