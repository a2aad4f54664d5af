//! Several clusters: one manager in a hub, which also runs controllers for member clusters that come and go.
//!
//! A [stream](ClusterChange), such as [`KubeconfigSecrets`], reports which clusters are members.
//! [`Manager::clusters`](crate::manager::Manager::clusters) calls a function for each [`Cluster`], which adds the controllers of this
//! cluster:
//!
//! ```
//! use std::{convert::Infallible, sync::Arc};
//!
//! use futures::stream;
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube_codegen_runtime::{clusters::{Cluster, ClusterChange}, controller::Action, manager::Manager};
//! use kube_codegen_testing::ApiServer;
//! use serde_json::json;
//! use tokio::sync::mpsc;
//!
//! struct Context { cluster: String, seen: mpsc::UnboundedSender<String> }
//!
//! async fn reconcile(map: Arc<ConfigMap>, context: Arc<Context>) -> Result<Action, Infallible> {
//!     let name = map.metadata.name.as_deref().unwrap_or_default();
//!     let _ = context.seen.send(format!("{name} of {}", context.cluster));
//!     Ok(Action::await_change())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (hub, member) = (ApiServer::new(), ApiServer::new());
//! member.seed(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}))?;
//! let joined = ClusterChange::Joined { name: "paris".into(), client: member.client() };
//!
//! let (seen, mut reconciled) = mpsc::unbounded_channel();
//! let mut manager = Manager::builder(hub.client(), "fleet").build()?;
//! manager.clusters(stream::iter([joined]), move |cluster: &mut Cluster| {
//!     cluster.reconcile().run(reconcile, Context { cluster: cluster.name().to_owned(), seen: seen.clone() });
//! });
//! manager.run(async move { assert_eq!(reconciled.recv().await.as_deref(), Some("a of paris")) }).await?;
//! # Ok(()) }
//! ```
//!
//! # Why clusters share nothing
//!
//! Each member has its own client, informers, controllers, work queues, workers and event recorder. Keys therefore need no cluster name:
//! the queue that holds a key belongs to one cluster, and so do the log lines, spans and metrics of its controllers and informers.
//! Reconcilers, listers, predicates and mappers are the same as in a single-cluster operator. And a slow or unreachable member cannot
//! exhaust a shared resource: its lists, retries and timeouts delay no other member, nor the start and the readiness of the manager.
//!
//! The alternative, used by multicluster-runtime, is a key that includes the cluster name, and one queue for all clusters. It limits the
//! total number of workers, but it changes the type of every key, and the objects of one unreachable cluster can occupy all workers until
//! their requests time out.
//!
//! # Life of a member
//!
//! Members run on the replica that leads in the hub: their controllers start after the election, and their clients reject writes outside
//! the [term](crate::leader_election::Term::fence) of the hub's Lease. With [shards](crate::shards), all members run on one of the
//! replicas.
//!
//! The informers of an unreachable member retry with a back-off for as long as necessary. If its `setup` function panics, or a controller
//! or informer stops, the cluster restarts after one second, increasing to one minute if it keeps failing, while the manager continues.
//! When a member leaves, its running reconciles have the manager's grace period to finish. If it joins again under the same name, it
//! starts after the last of them has ended.
mod cluster;
mod run;
mod secrets;
mod switch;

use std::{collections::BTreeMap, fmt, sync::Arc};

use kube::Client;
use parking_lot::Mutex;

pub use self::{cluster::Cluster, secrets::KubeconfigSecrets};
pub(crate) use self::{cluster::Settings, run::Members};

/// A change to the set of member clusters. [`Manager::clusters`](crate::manager::Manager::clusters) takes a stream of these.
///
/// ```
/// use futures::stream;
/// use kube_codegen_runtime::clusters::ClusterChange;
///
/// # fn example(paris: kube::Client, oslo: kube::Client) {
/// // Clusters that never change.
/// let clusters = [("paris", paris), ("oslo", oslo)];
/// let changes = stream::iter(clusters.map(|(name, client)| ClusterChange::Joined { name: name.into(), client }));
/// # }
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum ClusterChange {
    /// A cluster has joined. If a cluster with this name is already a member, it is replaced: its controllers stop, and the new ones start
    /// with empty caches.
    Joined {
        /// The name, which labels its metrics.
        name: String,
        /// The client of the cluster.
        client: Client,
    },
    /// The cluster has a new client, for example with new credentials. The next requests use it, while controllers and caches stay. An
    /// unknown cluster joins.
    Renewed {
        /// The name.
        name: String,
        /// The new client of the same cluster.
        client: Client,
    },
    /// The cluster has left: its controllers stop and its caches are dropped. Unknown clusters are ignored.
    Left {
        /// The name.
        name: String,
    },
}

/// Shows no client, which has credentials.
impl fmt::Debug for ClusterChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (change, name) = match self {
            Self::Joined { name, .. } => ("Joined", name),
            Self::Renewed { name, .. } => ("Renewed", name),
            Self::Left { name } => ("Left", name),
        };
        f.debug_struct(change)
            .field("name", name)
            .finish_non_exhaustive()
    }
}

/// The current members of a manager, for controllers of the hub. Clones refer to the same members.
///
/// On a replica that does not lead, there are no members. A hub controller that needs them must therefore run [without
/// shards](crate::controller::Controller::without_shards).
#[derive(Clone, Default)]
pub struct Clusters(Arc<Mutex<BTreeMap<String, Client>>>);

impl Clusters {
    /// Returns the names of the members, sorted.
    pub fn names(&self) -> Vec<String> {
        self.0.lock().keys().cloned().collect()
    }

    /// Returns the client of a member. Like [`Cluster::client`], it writes only while this process leads, but the listers of the member
    /// show its writes only after its watches have delivered them.
    pub fn client(&self, name: &str) -> Option<Client> {
        self.0.lock().get(name).cloned()
    }

    fn insert(&self, name: &str, client: Client) {
        self.0.lock().insert(name.to_owned(), client);
    }

    fn remove(&self, name: &str) {
        self.0.lock().remove(name);
    }
}

impl fmt::Debug for Clusters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clusters").field(&self.names()).finish()
    }
}
