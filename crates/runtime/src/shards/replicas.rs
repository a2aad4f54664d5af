//! Which replicas have stopped to renew their Leases.
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use k8s_openapi::api::coordination::v1::LeaseSpec;
use tokio::time::{Duration, Instant};
use tracing::warn;

use crate::leader_election::Lease;

/// The Leases of the replicas, as the cache has shown them.
pub(super) struct Replicas {
    seen: BTreeMap<String, Seen>,
    retry_period: Duration,
    longest: Duration,
}

struct Seen {
    spec: Option<LeaseSpec>,
    /// Since when it is so, on the monotonic clock. The times in the record are never compared with a clock here.
    since: Instant,
    not_before: Instant,
}

impl Replicas {
    /// A Lease expires after `longest`, whatever it says. Otherwise, one for many years would keep its share of the objects that long.
    pub(super) fn new(retry_period: Duration, longest: Duration) -> Self {
        Self {
            seen: BTreeMap::new(),
            retry_period,
            longest,
        }
    }

    /// Returns the Leases that have expired, each once in a period, whatever comes of it, and when the next one expires.
    pub(super) fn expired(
        &mut self,
        replicas: &[Arc<Lease>],
        now: Instant,
    ) -> (Vec<Arc<Lease>>, Instant) {
        let mut next = now + Duration::from_secs(3600);
        let mut expired = Vec::new();
        let names: BTreeSet<_> = replicas
            .iter()
            .filter_map(|lease| lease.metadata.name.as_deref())
            .collect();
        self.seen.retain(|name, _| names.contains(&**name));
        for lease in replicas {
            let spec = &lease.spec;
            let name = lease.metadata.name.clone().unwrap_or_default();
            let says = lease.duration();
            let longest = self.longest;
            let new = || {
                if says > longest {
                    warn!(
                        lease = lease.metadata.name,
                        "the lease of a replica is for {says:?}, but expires {longest:?} after its last renewal"
                    );
                }
                Seen {
                    spec: spec.clone(),
                    since: now,
                    not_before: now,
                }
            };
            let seen = self.seen.entry(name).or_insert_with(new);
            if seen.spec != *spec {
                *seen = new();
            }
            let expiry = (seen.since + says.min(longest)).max(seen.not_before);
            if now < expiry {
                next = next.min(expiry);
            } else {
                seen.not_before = now + self.retry_period;
                expired.push(Arc::clone(lease));
            }
        }
        (expired, next)
    }
}
