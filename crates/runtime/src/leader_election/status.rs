//! What others may know of an elector: the leader, and counters.
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use parking_lot::Mutex;

/// The observed leader and the counters of an elector, readable while it runs. Cheap to clone.
///
/// ```
/// use kube_codegen_runtime::leader_election::{LeaderElectionConfig, LeaderElector};
/// # use kube_codegen_testing::ApiServer;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let client = ApiServer::new().client();
/// let config = LeaderElectionConfig::new("my-operator").namespace("default").identity("a");
/// let elector = LeaderElector::new(&client, config)?;
/// let status = elector.status();
/// elector.run(async |_| assert_eq!(status.leader().as_deref(), Some("a"))).await?;
/// assert!(!status.is_leader());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct LeaderStatus {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    name: String,
    identity: String,
    leader: Mutex<Option<String>>,
    is_leader: AtomicBool,
    slow_paths: AtomicU64,
}

impl LeaderStatus {
    pub(crate) fn new(name: &str, identity: &str) -> Self {
        Self {
            inner: Arc::new(Inner {
                name: name.to_owned(),
                identity: identity.to_owned(),
                leader: Mutex::default(),
                is_leader: AtomicBool::new(false),
                slow_paths: AtomicU64::new(0),
            }),
        }
    }

    /// Returns the name of the Lease, which is the `name` label of the metrics.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Returns the identity of this candidate.
    pub fn identity(&self) -> &str {
        &self.inner.identity
    }

    /// Returns the identity of the last observed leader, whose lease may have expired since. Returns `None` before the first response of
    /// the server and while the lease is released.
    pub fn leader(&self) -> Option<String> {
        self.inner.leader.lock().clone()
    }

    /// Whether this process leads (`leader_election_master_status`).
    pub fn is_leader(&self) -> bool {
        self.inner.is_leader.load(Ordering::Relaxed)
    }

    /// Returns the number of renewals that had to read the lease first, after a failure (`leader_election_slowpath_total`).
    pub fn slow_paths(&self) -> u64 {
        self.inner.slow_paths.load(Ordering::Relaxed)
    }

    /// Sets the observed leader; empty for a released lease. Returns whether it is a new one.
    pub(crate) fn observe(&self, leader: &str) -> bool {
        let leader = (!leader.is_empty()).then(|| leader.to_owned());
        let mut current = self.inner.leader.lock();
        let is_new = *current != leader && leader.is_some();
        *current = leader;
        is_new
    }

    pub(crate) fn set_leader(&self, is_leader: bool) {
        self.inner.is_leader.store(is_leader, Ordering::Relaxed);
    }

    pub(crate) fn count_slow_path(&self) {
        self.inner.slow_paths.fetch_add(1, Ordering::Relaxed);
    }
}
