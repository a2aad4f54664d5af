//! Shards: all replicas of an operator reconcile, and each handles its share of the objects.
//!
//! Enable them with [`ManagerBuilder::shards`](crate::manager::ManagerBuilder::shards):
//!
//! ```
//! use kube_codegen_runtime::{
//!     leader_election::LeaderElectionConfig,
//!     manager::Manager,
//!     shards::{ShardKey, Shards},
//! };
//!
//! # fn example(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let manager = Manager::builder(client, "my-operator")
//!     .leader_election(LeaderElectionConfig::new("my-operator").namespace("default"))
//!     .shards(Shards::new(64).by(ShardKey::Namespace))
//!     .build()?;
//! # Ok(()) }
//! ```
//!
//! The hashes of all objects form a ring, which is cut into ranges. Each replica holds the Leases of its share of the ranges. New replicas
//! take over ranges from the others, and the ranges of a replica that has ended go to the remaining ones. You need no other component.
//!
//! - A range is handed over only when none of its objects is being reconciled: the old holder starts no reconcile, waits for the running
//!   ones, and then frees the Lease.
//! - A reconcile writes only during the term of its range, as described for [`Term::fence`]. It must use the manager's client and send its
//!   requests from its own task.
//! - A replica that takes over a range reconciles all of its objects.
//! - A replica counts as alive as long as it renews one Lease of its own, so more ranges do not mean more requests. Without a renewal, its
//!   terms end after the renew deadline, and other replicas take over its ranges after the lease duration.
//! - Controllers [without shards](crate::controller::Controller::without_shards), and runnables that need leader election, run on one of
//!   the replicas.
//!
//! All replicas with the same number of ranges and the same key hold the Lease of the election together. This makes a rolling update safe,
//! from a leader to shards, back, or to another number: the new replicas wait until no old one is left.
//!
//! The limits are those of [leader election](crate::leader_election). If a user deletes the Lease of a replica or a range, two replicas
//! can reconcile the same object until the first one's next renewal.
//!
//! Requires `get`, `list`, `watch`, `create`, `update` and `delete` on `leases` of the group `coordination.k8s.io`.
mod balance;
mod leases;
mod membership;
mod replicas;
mod ring;
mod set;
mod units;

use std::{fmt, sync::Arc};

use kube::Client;
use tokio::{
    sync::watch,
    time::{Duration, Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

pub use self::ring::ShardKey;
pub(crate) use self::set::{Entered, ShardSet};
use self::{
    leases::{LABEL, Leases},
    membership::Membership,
    ring::{MAX_RANGES, Ring},
    units::{Timing, Units},
};
use crate::{
    informer::{InformerConfig, SharedInformer},
    leader_election::{
        ConfigError, LeaderElectionConfig, LeaderStatus, LeadershipLost, Lock, Term, TermControl,
        fence, keep_renewed,
    },
};

/// How many times its own lease duration a replica grants others. Replicas of one operator have the same, apart from a moment during an update.
const LONGEST: u32 = 10;

tokio::task_local! {
    /// The term of the range whose object the current task reconciles.
    static CURRENT: Term;
}

/// The number of ranges into which an operator's objects are divided, and the key that divides them. See the [module](self) for an
/// example.
///
/// All replicas of one version must use the same settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Shards {
    ranges: u16,
    key: ShardKey,
}

impl Shards {
    /// Creates the settings for this number of ranges; zero counts as one. Choose several times the maximum number of replicas you expect,
    /// such as 64, so that adding or removing a replica moves few objects.
    pub fn new(ranges: u16) -> Self {
        Self {
            ranges: ranges.clamp(1, MAX_RANGES),
            key: ShardKey::default(),
        }
    }

    /// Sets the field that decides which range an object belongs to. The default is the [uid](ShardKey::Uid).
    pub fn by(mut self, key: ShardKey) -> Self {
        self.key = key;
        self
    }

    /// Returns the number of ranges.
    pub fn ranges(self) -> u16 {
        self.ranges
    }

    /// Returns the field that decides which range an object belongs to.
    pub fn key(self) -> ShardKey {
        self.key
    }
}

/// The ranges of a replica, readable while it runs. Cheap to clone.
#[derive(Clone)]
pub struct ShardStatus {
    name: Arc<str>,
    set: Arc<ShardSet>,
}

impl ShardStatus {
    /// Returns the name of the election's Lease, which is the `name` label of the metrics.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of ranges that this replica reconciles (`leader_election_shards_held`).
    pub fn held(&self) -> usize {
        self.set.open_ranges()
    }

    /// Returns the number of ranges of all replicas (`leader_election_shards`).
    pub fn ranges(&self) -> usize {
        self.set.ranges()
    }

    pub(crate) fn key(&self) -> ShardKey {
        self.set.key()
    }

    pub(crate) fn set(&self) -> Arc<ShardSet> {
        Arc::clone(&self.set)
    }
}

impl fmt::Debug for ShardStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardStatus")
            .field("held", &self.held())
            .finish_non_exhaustive()
    }
}

/// One of the replicas among which the shards are divided.
pub(crate) struct Replica {
    membership: Membership,
    units: Units,
    /// The term of the membership.
    member: TermControl,
    may_take: CancellationToken,
}

impl Replica {
    /// Creates a replica. `client` must not be a fenced one.
    pub(crate) fn new(
        client: &Client,
        config: LeaderElectionConfig,
        shards: Shards,
        grace_period: Duration,
    ) -> Result<Self, ConfigError> {
        let mut own = config.complete()?;
        if own.lease.len() > MAX_NAME {
            return Err(ConfigError::NameTooLong(own.lease));
        }
        if own.config.coordinated.is_some() {
            return Err(ConfigError::CoordinatedShards);
        }
        let leases = Leases::new(client, &own, shards.ranges);
        let mut group = own.config.clone().namespace(own.namespace.clone());
        group = group.identity(format!("shards/{}/{}", shards.ranges, shards.key.name()));
        let group = group.complete()?;
        let lease = own.lease.clone();
        own.config = own.config.labels([(LABEL, lease.clone())]);
        own.lease = Leases::replica(&lease, &own.identity);
        let informer = SharedInformer::new(
            client.clone(),
            InformerConfig {
                namespaces: own.namespace.as_str().into(),
                label_selector: Some(format!("{LABEL}={lease}")),
                ..InformerConfig::default()
            },
        );
        let leader = leases.unit(leases::Unit::Leader);
        let membership = Membership::new(Lock::new(client, group), Lock::new(client, own));
        let timing = Timing {
            retry_period: membership.config().retry_period,
            longest_lease: membership.config().lease_duration.saturating_mul(LONGEST),
            longest_way: membership.longest_way(),
            grace_period,
        };
        let full_name = |name: &str| format!("{}/{name}", membership.own.settings.namespace);
        Ok(Self {
            member: TermControl::new(&full_name(membership.own.name())),
            units: Units::new(
                leases,
                informer,
                ShardSet::new(
                    shards.key,
                    Ring {
                        ranges: shards.ranges,
                    },
                ),
                Arc::new(TermControl::new(&full_name(&leader))),
                LeaderStatus::new(&lease, &membership.own.settings.identity),
                timing,
            ),
            membership,
            may_take: CancellationToken::new(),
        })
    }

    /// Returns the token of the term in which this replica runs what is not divided.
    pub(crate) fn leader_term(&self) -> Term {
        self.units.leader.term()
    }

    /// Returns the token of the term in which this replica may hold ranges.
    pub(crate) fn membership(&self) -> Term {
        self.member.term()
    }

    pub(crate) fn leader_status(&self) -> LeaderStatus {
        self.units.status.clone()
    }

    pub(crate) fn status(&self) -> ShardStatus {
        ShardStatus {
            name: self.units.status.name().into(),
            set: Arc::clone(&self.units.set),
        }
    }

    /// Returns the token to cancel once the caches are filled: this replica then begins to take ranges.
    pub(crate) fn may_take(&self) -> CancellationToken {
        self.may_take.clone()
    }

    /// Returns a client like `client` that writes only in the term of the current task's range or, outside of reconciles of a range, in the
    /// leader's.
    pub(crate) fn fence(&self, client: &Client) -> Client {
        let leader = self.leader_term();
        fence(client, move || {
            CURRENT
                .try_with(Term::clone)
                .unwrap_or_else(|_| leader.clone())
        })
    }

    /// Waits until this replica is a member, and runs `work` as long as it is one.
    pub(crate) async fn run<T>(
        &mut self,
        work: impl Future<Output = T>,
    ) -> Result<T, LeadershipLost> {
        let until = self.membership.join().await;
        self.member.lead(until, None);
        let (sender, receiver) = watch::channel(until);
        let member = &self.member;
        let prolong = |until| {
            member.lead(until, None);
            sender.send_replace(until);
        };
        let keeps = keep_renewed(&mut self.membership, until, prolong);
        self.units.informer.start();
        let (units, may_take) = (&mut self.units, &self.may_take);
        let holds = async {
            may_take.cancelled().await;
            units.run(receiver).await
        };
        let outcome = tokio::select! {
            // After a pause of the process, the deadline is checked before the work continues.
            biased;
            reason = keeps => Err(reason),
            reason = holds => Err(reason),
            output = work => Ok(output),
        };
        outcome.map_err(|reason| {
            self.end();
            LeadershipLost {
                lease: format!(
                    "{}/{}",
                    self.membership.own.settings.namespace,
                    self.membership.own.name()
                ),
                reason,
            }
        })
    }

    fn end(&mut self) -> Option<Instant> {
        self.member.end();
        self.units.end()
    }

    /// Frees all Leases, once no write of their terms can reach the server any more. Only after all work has ended.
    pub(crate) async fn leave(mut self) {
        let unanswered = self.end();
        self.units.informer.shutdown().await;
        if !self.membership.config().release_on_stop {
            return;
        }
        if let Some(sent) = unanswered {
            sleep_until(sent + self.membership.longest_way()).await;
        }
        // Its ranges are free as soon as its own Lease is.
        self.membership.leave(&self.units.leases).await;
    }
}

/// Runs `reconcile` such that its requests belong to the term of a range. Returns `None` if it was dropped at the end of the term.
pub(crate) async fn within<F: Future>(entered: Entered, reconcile: F) -> Option<F::Output> {
    let term = entered.term.clone();
    tokio::select! {
        biased;
        () = term.ended() => None,
        output = CURRENT.scope(entered.term.clone(), reconcile) => Some(output),
    }
}

/// The longest name of a Lease that is a value of a label, too.
const MAX_NAME: usize = 63;

impl fmt::Debug for Replica {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replica")
            .field("settings", &self.membership.own.settings)
            .finish_non_exhaustive()
    }
}
