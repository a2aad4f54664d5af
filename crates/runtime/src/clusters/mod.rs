//! Several clusters: one manager in a hub, and controllers of member clusters that come and go.
//!
//! A [stream](ClusterChange) says which members there are, such as [`KubeconfigSecrets`]. [`Manager::clusters`](crate::manager::Manager::clusters)
//! calls a function for each of them, which adds the controllers of that [`Cluster`]:
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
//! # Why each cluster has everything of its own
//!
//! A member has a client, informers, controllers, work queues, workers and a recorder of events of its own. So keys need no cluster: the queue that a key
//! is in has one, and so have log lines, spans and metrics of its controllers and informers. Reconcilers, listers, predicates and mappers are the same as in
//! an operator of one cluster. And nothing is shared that a slow or unreachable member could use up: its lists, retries and timeouts delay no other
//! member, and neither the start nor the readiness of the manager.
//!
//! The alternative is a key with the name of a cluster, and one queue for all, as multicluster-runtime has. It bounds the workers of all clusters
//! together, but changes the type of every key, and lets the objects of one unreachable cluster take all workers until their requests time out.
//!
//! # Life of a member
//!
//! Members run on the replica that leads in the hub: their controllers start after the election, and their clients reject writes outside of the
//! [term](crate::leader_election::Term::fence), which is one of the hub's Lease. With [shards](crate::shards), they run on one of the replicas.
//!
//! The informers of a member that does not answer try again, with a back-off, as long as it takes. If its function panics, or a controller or informer ends,
//! the cluster starts again after one second, and after up to a minute if that repeats; the manager goes on. A member that leaves has the
//! manager's grace period for its running reconciles. One that joins again under its name starts when the last reconcile has ended.
mod cluster;
mod run;
mod secrets;
mod switch;

use std::{collections::BTreeMap, fmt, sync::Arc};

use kube::Client;
use parking_lot::Mutex;

pub use self::{cluster::Cluster, secrets::KubeconfigSecrets};
pub(crate) use self::{cluster::Settings, run::Members};

/// What happens to a member cluster. The source of members is a stream of these, for [`Manager::clusters`](crate::manager::Manager::clusters).
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
    /// A cluster is there. One that already is there under this name is replaced: its controllers end, and those of the new one start with empty caches.
    Joined {
        /// The name, which is a label of metrics.
        name: String,
        /// The client of the cluster.
        client: Client,
    },
    /// A cluster has another client, such as one with new credentials: the next requests use it, and caches and controllers stay. Unknown
    /// clusters join.
    Renewed {
        /// The name.
        name: String,
        /// The new client of the same cluster.
        client: Client,
    },
    /// A cluster is gone: its controllers end, and its caches are dropped. Unknown clusters are ignored.
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

/// The members of a manager, for controllers of the hub. A clone is a handle on the same members.
///
/// There are none on a replica that does not lead: a controller of the hub that needs them is one [without
/// shards](crate::controller::Controller::without_shards).
#[derive(Clone, Default)]
pub struct Clusters(Arc<Mutex<BTreeMap<String, Client>>>);

impl Clusters {
    /// Returns the names of the members, sorted.
    pub fn names(&self) -> Vec<String> {
        self.0.lock().keys().cloned().collect()
    }

    /// Returns the client of a member. Like [`Cluster::client`], it writes only while this process leads; the listers of the member do not show
    /// its writes before its watches do.
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
