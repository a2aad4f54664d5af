//! What happens around an operator, besides what users do with its objects.

use std::fmt;

/// Events around an operator. Each scenario is one or more workloads, made from the schema of a kind and from the children that appeared
/// in the runs without faults. Switch one off with [`Simulation::without_scenario`](crate::Simulation::without_scenario).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Scenario {
    /// An object with the kind and name of a child belongs to a user or to another owner, either before the operator would create the
    /// child, or in its place. [`Oracle::Strangers`](crate::Oracle::Strangers) demands that it stays unchanged. Once it is gone, the child
    /// must appear.
    Strangers,
    /// Another client sets a label, an annotation and a finalizer on the objects from the start, like a backup tool or an ingress
    /// controller. [`Oracle::Metadata`](crate::Oracle::Metadata) demands that they stay until the client removes its finalizer, after the
    /// objects were deleted.
    Metadata,
    /// Another client sets a finalizer on a child, which therefore still exists when its owner is deleted and recreated.
    Finalizers,
    /// Objects with the same names exist in a second namespace, for a while only there. It is then deleted with all its content. During this,
    /// nothing can be created in it. It has what [`Simulation::prepare`](crate::Simulation::prepare) has put into the first namespace.
    Namespaces,
    /// Unusual names: with the same first 50 characters, with 63 and 253 characters, of digits, and with dots.
    Names,
    /// Secrets and `ConfigMap`s that a field refers to are created after the object, change, and are deleted.
    References,
    /// For a while, the server rejects the operator's writes with 403, as if a permission were missing, a quota exceeded, or a webhook
    /// objected.
    Forbidden,
    /// For a while, the server answers all requests with 503.
    Unavailable,
    /// For a while, the operator's requests get no response.
    Hanging,
    /// Objects are deleted in various ways: in the foreground, twice, during their creation, while the operator is not running, and with
    /// orphaned children.
    Deletion,
    /// The Pods of Deployments and `StatefulSet`s do not become ready for a while, or are lost; Jobs fail.
    FailingWorkloads,
    /// A node is lost, with one Pod of each Deployment and `StatefulSet` and with the Pods of the operator. These become unready, are
    /// deleted after five minutes, and are replaced.
    LostNode,
    /// Finished Jobs are removed, as by `ttlSecondsAfterFinished`. They need not run again.
    EndedJobs,
    /// The schedules of `CronJob`s fire repeatedly. Each time, a Job is created and finishes, and the oldest is removed. These Jobs do not
    /// belong to the operator.
    Scheduled,
    /// The garbage collector is slow. The children of a deleted owner stay for a while, even if the owner is recreated, and an owner that
    /// is deleted in the foreground loses its children before it disappears.
    SlowCollection,
    /// For a while, an admission webhook rejects writes of children with 400, or does not respond.
    Webhook,
}

impl Scenario {
    /// All scenarios.
    pub const ALL: &[Self] = &[
        Self::Strangers,
        Self::Metadata,
        Self::Finalizers,
        Self::Namespaces,
        Self::Names,
        Self::References,
        Self::Forbidden,
        Self::Unavailable,
        Self::Hanging,
        Self::Deletion,
        Self::FailingWorkloads,
        Self::LostNode,
        Self::EndedJobs,
        Self::Scheduled,
        Self::SlowCollection,
        Self::Webhook,
    ];

    /// Returns the name, as shown in a report.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strangers => "strangers",
            Self::Metadata => "metadata",
            Self::Finalizers => "finalizers",
            Self::Namespaces => "namespaces",
            Self::Names => "names",
            Self::References => "references",
            Self::Forbidden => "forbidden",
            Self::Unavailable => "unavailable",
            Self::Hanging => "hanging",
            Self::Deletion => "deletion",
            Self::FailingWorkloads => "failing workloads",
            Self::LostNode => "lost node",
            Self::EndedJobs => "ended jobs",
            Self::Scheduled => "scheduled",
            Self::SlowCollection => "slow collection",
            Self::Webhook => "webhook",
        }
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
