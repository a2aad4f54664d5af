//! The settings of a leader election.
use std::{
    collections::BTreeMap,
    fs,
    hash::{BuildHasher as _, RandomState},
    sync::LazyLock,
    time::Duration,
};

use thiserror::Error;

/// The namespace of a Pod, mounted by the kubelet.
const NAMESPACE_FILE: &str = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
/// Factor of the longest delay between two attempts to acquire the lease, on top of the retry period (client-go's `JitterFactor`).
pub(crate) const JITTER_FACTOR: f64 = 1.2;

/// The Lease that the candidates share, and the timing. The defaults are the same as in client-go and controller-runtime.
///
/// ```
/// use std::time::Duration;
/// use kube_codegen_runtime::leader_election::LeaderElectionConfig;
///
/// let config = LeaderElectionConfig::new("my-operator.example.com")
///     .namespace("my-operator")
///     .lease_duration(Duration::from_secs(30))
///     .renew_deadline(Duration::from_secs(20));
/// assert!(config.validate().is_ok());
/// assert!(config.renew_deadline(Duration::from_secs(30)).validate().is_err());
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct LeaderElectionConfig {
    pub(crate) name: String,
    pub(crate) namespace: Option<String>,
    pub(crate) identity: Option<String>,
    pub(crate) lease_duration: Duration,
    pub(crate) renew_deadline: Duration,
    pub(crate) retry_period: Duration,
    pub(crate) release_on_stop: bool,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) coordinated: Option<String>,
    pub(crate) seed: Option<u64>,
}

impl LeaderElectionConfig {
    /// Creates the settings for an election on the Lease `name`. All replicas of one operator share it, and no other operator may use it.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            namespace: None,
            identity: None,
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
            release_on_stop: true,
            labels: BTreeMap::new(),
            coordinated: None,
            seed: None,
        }
    }

    /// Sets the namespace of the Lease. The default is the namespace of the Pod; outside a cluster, you must set it.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Sets the identity of this candidate, which must be unique. The default is the host name and a random number.
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = Some(identity.into());
        self
    }

    /// Sets how long other candidates wait after the last renewal that they saw before they take the lease, in whole seconds. The default
    /// is 15 s.
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.lease_duration = duration;
        self
    }

    /// Sets how long the leader may lead after it sent its last successful renewal. The default is 10 s.
    ///
    /// The difference to the lease duration is your safety margin: a request that takes longer to reach the server may arrive in the next
    /// leader's term.
    pub fn renew_deadline(mut self, deadline: Duration) -> Self {
        self.renew_deadline = deadline;
        self
    }

    /// Sets the delay between two renewals, and the minimum delay between two attempts to become leader. The default is 2 s.
    pub fn retry_period(mut self, period: Duration) -> Self {
        self.retry_period = period;
        self
    }

    /// Sets whether the leader releases the lease when its work has ended, so that the next leader need not wait until it expires. The
    /// default is `true`.
    ///
    /// Unlike in client-go, this is safe, because the work has ended by then and its clients no longer write.
    pub fn release_on_stop(mut self, release: bool) -> Self {
        self.release_on_stop = release;
        self
    }

    /// Sets labels that each new leader writes to the Lease.
    pub fn labels<K: Into<String>, V: Into<String>>(
        mut self,
        labels: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let labels = labels.into_iter();
        self.labels
            .extend(labels.map(|(key, value)| (key.into(), value.into())));
        self
    }

    /// Lets the API server choose the leader ([coordinated leader
    /// election](https://kubernetes.io/docs/concepts/cluster-administration/coordinated-leader-election/), KEP-4355). The candidate with
    /// the lowest `version` (semver without `v`) leads, so that the leadership does not move back and forth between versions during an
    /// upgrade.
    ///
    /// If the API server does not serve `leasecandidates`, the candidates elect a leader among themselves. Requires `get`, `list`,
    /// `watch`, `create` and `update` on `leasecandidates` of the group `coordination.k8s.io`.
    pub fn coordinated(mut self, version: impl Into<String>) -> Self {
        self.coordinated = Some(version.into());
        self
    }

    /// Derives all delays and the identity from `seed`, for reproducible tests.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Checks the settings. [`LeaderElector::new`](super::LeaderElector::new) does this, too.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let Self {
            lease_duration,
            renew_deadline,
            retry_period,
            ..
        } = *self;
        if self.name.is_empty() {
            return Err(ConfigError::Empty("name of the Lease"));
        }
        if self.identity.as_deref() == Some("") {
            return Err(ConfigError::Empty("identity"));
        }
        let seconds = i32::try_from(lease_duration.as_secs());
        if lease_duration.subsec_nanos() != 0 || !seconds.is_ok_and(|seconds| seconds > 0) {
            return Err(ConfigError::LeaseDuration(lease_duration));
        }
        if lease_duration <= renew_deadline {
            return Err(ConfigError::RenewDeadline {
                renew_deadline,
                lease_duration,
            });
        }
        // A period below the deadline, which has a limit by now, can be multiplied.
        if retry_period.is_zero()
            || renew_deadline <= retry_period
            || renew_deadline <= retry_period.mul_f64(JITTER_FACTOR)
        {
            return Err(ConfigError::RetryPeriod {
                retry_period,
                renew_deadline,
            });
        }
        Ok(())
    }

    /// Returns the valid settings with namespace, identity and seed.
    pub(crate) fn complete(mut self) -> Result<Complete, ConfigError> {
        self.validate()?;
        let namespace = match self.namespace.take() {
            Some(namespace) => namespace,
            None => fs::read_to_string(NAMESPACE_FILE)
                .map_err(|_| ConfigError::NoNamespace)?
                .trim()
                .to_owned(),
        };
        if namespace.is_empty() {
            return Err(ConfigError::Empty("namespace of the Lease"));
        }
        let seed = self.seed.unwrap_or_else(|| fastrand::u64(..));
        let mut random = fastrand::Rng::with_seed(seed);
        let identity = self.identity.take().unwrap_or_else(|| {
            let host = hostname::get()
                .unwrap_or_default()
                .to_string_lossy()
                .to_lowercase();
            // The name of a LeaseCandidate must be a DNS name.
            let separator = if self.coordinated.is_some() { '-' } else { '_' };
            let mut unique = random.u128(..);
            if self.seed.is_none() {
                unique ^= u128::from(*PROCESS);
            }
            format!("{host}{separator}{unique:032x}")
        });
        Ok(Complete {
            lease: self.name.clone(),
            namespace,
            identity,
            request_timeout: (self.renew_deadline / 2).max(Duration::from_secs(1)),
            random,
            config: self,
        })
    }
}

/// A number from the operating system. The generator of random numbers starts with the time since the boot, which is the same in two processes of a
/// machine that start at the same time; both would hold the Lease.
static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0_u8));

/// Settings without gaps.
#[derive(Debug)]
pub(crate) struct Complete {
    pub(crate) lease: String,
    pub(crate) namespace: String,
    pub(crate) identity: String,
    /// Limit of one request, so that one without a response does not cost the leadership.
    pub(crate) request_timeout: Duration,
    pub(crate) random: fastrand::Rng,
    pub(crate) config: LeaderElectionConfig,
}

/// The reason why the settings of a leader election are invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A required string is empty.
    #[error("the {0} is empty")]
    Empty(&'static str),
    /// The name is too long: with shards, it is also used as a label value.
    #[error("the name of the Lease is longer than the 63 characters of a label's value: {0}")]
    NameTooLong(String),
    /// Coordinated election cannot be combined with shards: the API server chooses one leader, not the holders of shards.
    #[error("a coordinated election cannot be combined with shards")]
    CoordinatedShards,
    /// The namespace is not set and the process does not run in a Pod, whose namespace would be the default.
    #[error(
        "the leader election has no namespace: outside of a cluster, set the namespace of the Lease"
    )]
    NoNamespace,
    /// The duration is not a whole number of seconds, which a Lease requires.
    #[error("the lease duration must be a whole number of seconds, at least one, and not {0:?}")]
    LeaseDuration(Duration),
    /// The renew deadline is too long: the leader would write after its lease has expired.
    #[error(
        "the renew deadline ({renew_deadline:?}) must be shorter than the lease duration ({lease_duration:?})"
    )]
    RenewDeadline {
        /// The configured renew deadline.
        renew_deadline: Duration,
        /// The configured lease duration.
        lease_duration: Duration,
    },
    /// The retry period is too long: the leader could not retry a renewal before the deadline.
    #[error(
        "the retry period ({retry_period:?}) must be longer than zero, and 1.2 times the period shorter than the renew deadline ({renew_deadline:?})"
    )]
    RetryPeriod {
        /// The configured retry period.
        retry_period: Duration,
        /// The configured renew deadline.
        renew_deadline: Duration,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> LeaderElectionConfig {
        LeaderElectionConfig::new("a").namespace("n")
    }

    #[test]
    fn invalid_settings_are_rejected() {
        let seconds = Duration::from_secs;
        assert_eq!(config().validate(), Ok(()));
        for (invalid, message) in [
            (
                LeaderElectionConfig::new(""),
                "the name of the Lease is empty",
            ),
            (config().identity(""), "the identity is empty"),
            (
                config().lease_duration(Duration::from_millis(15_500)),
                "whole number of seconds",
            ),
            (
                config().lease_duration(Duration::ZERO),
                "whole number of seconds",
            ),
            (
                config().lease_duration(Duration::MAX),
                "whole number of seconds",
            ),
            (
                config().lease_duration(seconds(10)),
                "must be shorter than the lease duration (10s)",
            ),
            (
                config().retry_period(Duration::ZERO),
                "must be longer than zero",
            ),
            (
                config().retry_period(seconds(9)),
                "shorter than the renew deadline (10s)",
            ),
        ] {
            let text = invalid.validate().unwrap_err().to_string();
            assert!(text.contains(message), "{text}");
        }
    }

    #[test]
    fn identities_differ_unless_a_seed_is_given() {
        let identity = |config: LeaderElectionConfig| config.complete().unwrap().identity;
        assert_ne!(identity(config()), identity(config()));
        assert_eq!(identity(config().seed(1)), identity(config().seed(1)));
        assert_eq!(identity(config().identity("me")), "me");
        // Another process may have the same random numbers.
        fastrand::seed(1);
        let unique = fastrand::Rng::with_seed(fastrand::u64(..)).u128(..);
        fastrand::seed(1);
        assert!(!identity(config()).ends_with(&format!("{unique:032x}")));
        assert!(!identity(config().coordinated("1.0.0")).contains('_'));
    }
}
