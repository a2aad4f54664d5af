//! Small controllers in place of those of kube-controller-manager, the scheduler and the kubelets.
//!
//! They work on the store itself, each change at once and each wait on tokio's clock, so that a run can be repeated.

mod bounds;
mod budgets;
mod definitions;
mod deployment;
mod endpoints;
mod events;
mod garbage;
mod job;
mod migrations;
pub(crate) mod namespaces;
mod pass;
mod pods;
mod reactions;
mod sets;
mod stateful;
mod writes;

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Weak},
    time::Duration,
};

use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    handlers::client::{Client, check},
    kinds::{
        builtin,
        store::{Backend, Store},
    },
    storage::lock,
    values::{object::put, status::Answer},
};
use pass::{Events, Pass};
pub(crate) use reactions::{Alone, Immediate, collect};

/// More passes than any controller needs until it has nothing more to do.
const PASSES: usize = 1_000;

/// The fate of a Pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PodPlan {
    /// The Pod runs and becomes ready after this time. A Pod of a Job succeeds.
    Ready(Duration),
    /// The Pod's containers crash after this time and are restarted with a back-off. A Pod of a Job fails.
    Crash(Duration),
    /// The Pod cannot be scheduled.
    Pending,
}

type Planner = dyn Fn(&Pod) -> PodPlan + Send + Sync;

/// Controllers for Deployments, `ReplicaSets`, `StatefulSets`, `DaemonSets`, Jobs, Pods and `EndpointSlices`.
///
/// They write the same Events as the real controllers, such as `ScalingReplicaSet`, `SuccessfulCreate` and `Scheduled`, and remove them
/// after an hour. They create at most 1,000 Pods, and report a Warning if a workload wants more.
///
/// Pods become ready one second after their creation. To change this for a Pod, set its annotation `kube-codegen.dev/pod` to `pending`,
/// `crash`, or a time such as `5s`. If a Node is deleted, its Pods are deleted. If a Node stops being Ready, its Pods become unready, and
/// are deleted after five minutes.
///
/// ```
/// # use kube_codegen_testing::{ApiServer, Controllers};
/// # use k8s_openapi::api::apps::v1::Deployment;
/// # use serde_json::json;
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = ApiServer::builder().controllers(Controllers::new()).build();
/// let deployments: kube::Api<Deployment> = kube::Api::namespaced(server.client(), "default");
/// let web: Deployment = serde_json::from_value(json!({
///     "metadata": {"name": "web"},
///     "spec": {
///         "replicas": 2,
///         "selector": {"matchLabels": {"app": "web"}},
///         "template": {
///             "metadata": {"labels": {"app": "web"}},
///             "spec": {"containers": [{"name": "web", "image": "nginx"}]},
///         },
///     },
/// }))?;
/// deployments.create(&Default::default(), &web).await?;
/// let ready = server.until(|server| server.get::<Deployment>("default", "web")?.status?.ready_replicas.filter(|it| *it == 2));
/// ready.await;
/// # Ok(()) }
/// ```
#[derive(Clone)]
#[must_use]
pub struct Controllers {
    nodes: usize,
    ready_after: Duration,
    done_after: Duration,
    ends_after: Duration,
    ends_unrestarted: bool,
    planner: Option<Arc<Planner>>,
}

impl Default for Controllers {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Controllers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controllers")
            .field("nodes", &self.nodes)
            .field("ready_after", &self.ready_after)
            .field("done_after", &self.done_after)
            .finish_non_exhaustive()
    }
}

impl Controllers {
    /// Creates controllers with one node, on which Pods become ready after one second.
    pub fn new() -> Self {
        Self {
            nodes: 1,
            ready_after: Duration::from_secs(1),
            done_after: Duration::from_secs(1),
            ends_after: Duration::ZERO,
            ends_unrestarted: false,
            planner: None,
        }
    }

    /// Sets the number of nodes, all created at the start.
    pub fn nodes(mut self, nodes: usize) -> Self {
        self.nodes = nodes;
        self
    }

    /// Sets the time from the creation of a Pod until it is ready.
    pub fn ready_after(mut self, time: Duration) -> Self {
        self.ready_after = time;
        self
    }

    /// Sets the time from when a Pod of a Job is ready until it succeeds.
    pub fn done_after(mut self, time: Duration) -> Self {
        self.done_after = time;
        self
    }

    /// Lets each Pod with `restartPolicy: Never` succeed like the Pods of Jobs, [`Self::done_after`] its readiness.
    ///
    /// By default, such a Pod keeps running, because nothing says how long its program takes. Use this when something waits for the end of
    /// a Pod without a Job, as `helm test` does:
    ///
    /// ```
    /// # use kube_codegen_testing::{ApiServer, Controllers};
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = ApiServer::builder().controllers(Controllers::new().end_unrestarted()).build();
    /// let pods: kube::Api<Pod> = kube::Api::namespaced(server.client(), "default");
    /// let test: Pod = serde_json::from_value(serde_json::json!({
    ///     "metadata": {"name": "test"},
    ///     "spec": {"restartPolicy": "Never", "containers": [{"name": "test", "image": "curlimages/curl"}]},
    /// }))?;
    /// pods.create(&Default::default(), &test).await?;
    /// let ended = server.until(|server| server.get::<Pod>("default", "test")?.status?.phase.filter(|it| it == "Succeeded"));
    /// ended.await;
    /// # Ok(()) }
    /// ```
    pub fn end_unrestarted(mut self) -> Self {
        self.ends_unrestarted = true;
        self
    }

    /// Sets the time from the deletion of a Pod until its containers have ended, at most its grace period. The default is zero.
    pub fn ends_after(mut self, time: Duration) -> Self {
        self.ends_after = time;
        self
    }

    /// Decides the fate of each Pod, instead of its annotation. The function is called repeatedly, and must return the same plan until you
    /// want it to change.
    pub fn plan(mut self, planner: impl Fn(&Pod) -> PodPlan + Send + Sync + 'static) -> Self {
        self.planner = Some(Arc::new(planner));
        self
    }
}

/// Lets kubelets run, and creates the nodes.
pub(crate) fn start(store: &mut Store, controllers: &Controllers) {
    store.kubelets = true;
    create_nodes(&mut Client::new(store), controllers.nodes);
}

/// Runs controllers until the server is dropped.
pub(crate) async fn run(backend: Weak<Backend>, controllers: Controllers) {
    let mut memory = Memory::default();
    loop {
        let (change, deadline) = {
            let Some(backend) = backend.upgrade() else {
                return;
            };
            let mut store = lock(&backend.store);
            let before = store.revision();
            let deadline = settle(&mut store, &controllers, &mut memory);
            if store.revision() != before {
                backend.changes.wake();
            }
            (backend.changes.next(), deadline)
        };
        match deadline {
            None => change.await,
            Some(deadline) => {
                tokio::select! {
                    biased;
                    () = change => {}
                    () = tokio::time::sleep_until(deadline) => {}
                }
            }
        }
    }
}

/// What the controllers remember.
#[derive(Debug, Default)]
struct Memory {
    /// When the waits began that are under way, by what they wait for.
    waits: HashMap<String, Instant>,
    events: Events,
}

/// Runs all controllers until they have nothing more to do now, and returns when they have.
fn settle(store: &mut Store, options: &Controllers, memory: &mut Memory) -> Option<Instant> {
    for _ in 0..PASSES {
        let before = store.revision();
        let mut pass = Pass::new(
            Client::new(store),
            options,
            &memory.waits,
            &mut memory.events,
        );
        deployment::run(&mut pass);
        sets::replica_sets(&mut pass);
        sets::daemon_sets(&mut pass);
        stateful::run(&mut pass);
        job::run(&mut pass);
        pods::run(&mut pass);
        endpoints::run(&mut pass);
        budgets::run(&mut pass);
        let (waits, deadline) = pass.finish();
        memory.waits = waits;
        if store.revision() == before {
            return deadline;
        }
    }
    None
}

fn create_nodes(client: &mut Client<'_>, count: usize) {
    for number in 1..=count {
        let name = format!("node-{number}");
        if client.get("v1", "Node", "", &name).is_some() {
            continue; // In a copy of another server.
        }
        check(create_node(client, &name, number));
    }
}

/// Creates a node that is ready.
fn create_node(client: &mut Client<'_>, name: &str, number: usize) -> Answer<Value> {
    let node = json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}},
    });
    let mut node = client.create("kubelet", &node)?;
    // The taint of a node that is not ready yet.
    put(&mut node, "/spec/taints", json!([]));
    let mut node = client.update("kubelet", &node)?;
    let capacity = json!({"cpu": "8", "memory": "32Gi", "pods": "110"});
    let (major, minor) = builtin::RELEASE;
    let status = json!({
        "capacity": capacity,
        "allocatable": capacity,
        "conditions": [pass::condition("Ready", true, "KubeletReady", "kubelet is posting ready status")],
        "addresses": [{"type": "InternalIP", "address": format!("10.0.0.{number}")}, {"type": "Hostname", "address": name}],
        "nodeInfo": {"kubeletVersion": format!("v{major}.{minor}.0"), "osImage": "memory", "architecture": "amd64", "operatingSystem": "linux",
            "bootID": "", "containerRuntimeVersion": "memory://1", "kernelVersion": "", "kubeProxyVersion": "", "machineID": "", "systemUUID": ""},
    });
    put(&mut node, "/status", status);
    client.update_status("kubelet", &node)
}
