//! What happens around an operator, besides what users do with its objects.

use std::fmt;

/// What happens around an operator: each is one or more workloads, made from the schema of a kind and from the children that the runs without faults
/// have shown. [`Simulation::without_scenario`](crate::Simulation::without_scenario) switches one off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Scenario {
    /// An object that has the kind and the name of a child belongs to a user, or to another owner: before the operator would create the child, and in
    /// its place. [`Oracle::Strangers`](crate::Oracle::Strangers) demands that it stays as it is. When it is gone, the child comes.
    Strangers,
    /// Another client has a label, an annotation and a finalizer on the objects, from the start, as a backup tool or an ingress controller does.
    /// [`Oracle::Metadata`](crate::Oracle::Metadata) demands that they stay until that client removes its finalizer, after the objects were deleted.
    Metadata,
    /// Another client has a finalizer on a child: the child stays after its owner is deleted and created again.
    Finalizers,
    /// Objects of the same names are in a second namespace, for a while in that alone. It is deleted with all that it contains; meanwhile nothing can be
    /// created in it. What [`Simulation::prepare`](crate::Simulation::prepare) has put into the first namespace is in the second one, too.
    Namespaces,
    /// Names with 50 letters in common, of 63 and 253 letters, numbers, and with dots.
    Names,
    /// Secrets and `ConfigMap`s that a field names come later than the object, change, and are deleted.
    References,
    /// The server rejects the writes of the operator with 403 for a while, as without a permission, beyond a quota, or by a webhook.
    Forbidden,
    /// The server answers all requests with 503 for a while.
    Unavailable,
    /// The requests of the operator get no answer for a while.
    Hanging,
    /// Objects are deleted in the foreground, twice, during their creation, while the operator does not run, and so that their children stay.
    Deletion,
    /// The Pods of Deployments and `StatefulSet`s do not get ready for a while, or are lost; Jobs fail.
    FailingWorkloads,
    /// A node is lost, with one Pod of each Deployment and `StatefulSet`, and with the Pods of the operator. They are not ready, are deleted after five
    /// minutes, and replaced.
    LostNode,
    /// Jobs that have ended are removed, as `ttlSecondsAfterFinished` says. They need not run again.
    EndedJobs,
    /// The schedules of `CronJob`s fire, again and again: each makes Jobs, which end, and removes the oldest. These Jobs are not the operator's.
    Scheduled,
    /// The garbage collector is slow: the children of a deleted owner stay for a while, also while it is created again; and one that is deleted in the
    /// foreground loses its children before it vanishes.
    SlowCollection,
    /// An admission webhook rejects the writes of children for a while, with 400, or does not answer.
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

    /// Returns the name in a report.
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
