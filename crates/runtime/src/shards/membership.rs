//! The membership of a replica: it lives as long as it renews a Lease of its own, beside other replicas with the same shards.
//!
//! The Lease of the election decides which kind of program works: its holder is a leader without shards, or all replicas with the same number and
//! key of shards, which renew it together. So replicas with other settings, as during a rolling update, wait for each other.
use tokio::time::{Duration, Instant, sleep, timeout};
use tracing::{info, warn};

use super::leases::Leases;
use crate::{
    client::describe,
    leader_election::{
        AttemptError, Complete, Holder, JITTER_FACTOR, LeaderElectionConfig, Lock, Renewal,
        deadline,
    },
};

pub(super) struct Membership {
    /// The Lease of the election, with an identity that the replicas with the same shards share.
    pub(super) group: Lock,
    /// When the Lease of the group was last read.
    asked: Option<Instant>,
    /// The Lease of this replica.
    pub(super) own: Lock,
}

impl Membership {
    pub(super) fn new(group: Lock, own: Lock) -> Self {
        Self {
            group,
            asked: None,
            own,
        }
    }

    /// Attempts until this replica is a member. Returns until when.
    pub(super) async fn join(&mut self) -> Instant {
        let settings = &self.own.settings;
        info!(
            lease = self.group.name(),
            identity = settings.identity,
            "joining the replicas"
        );
        loop {
            match self.attempt().await {
                Ok(Some(until)) if Instant::now() < until => return until,
                Ok(_) => {}
                Err(error) => {
                    warn!(
                        lease = self.group.name(),
                        "cannot join the replicas: {}",
                        describe(&error)
                    );
                }
            }
            let random = self.own.settings.random.f64();
            sleep(
                self.config()
                    .retry_period
                    .mul_f64(1.0 + JITTER_FACTOR * random),
            )
            .await;
        }
    }

    async fn attempt(&mut self) -> Result<Option<Instant>, AttemptError> {
        let Holder::This { .. } = self.group.acquire_or_renew().await? else {
            return Ok(None);
        };
        let Holder::This { sent, .. } = self.own.acquire_or_renew().await? else {
            return Ok(None);
        };
        // A replica that stops gives up the Lease of the group unless there are other members. From here on it sees this one, or this write fails.
        let Holder::This { sent: later, .. } = self.group.acquire_or_renew().await? else {
            return Ok(None);
        };
        self.asked = None;
        Ok(Some(deadline(&self.own.settings, sent.min(later))))
    }

    /// Renews the Lease of the group, unless another member has done so since the last time.
    async fn renew_group(&mut self) -> Result<Option<Instant>, AttemptError> {
        let asked = self.asked.replace(Instant::now());
        let before = self.group.spec().cloned();
        if !self.group.is_held().await? {
            return Ok(None);
        }
        match asked {
            // Written after the server answered the last question, which was sent at this time.
            Some(asked) if before.as_ref() != self.group.spec() => return Ok(Some(asked)),
            _ => {}
        }
        match self.group.renew().await? {
            Holder::This { sent, .. } => Ok(Some(sent)),
            _ => Ok(None),
        }
    }

    /// Ends the membership: frees the Lease of the replica, and that of the group if this was its last member.
    pub(super) async fn leave(&mut self, leases: &Leases) {
        let limit = self.config().renew_deadline;
        let left = timeout(limit, async {
            self.own.release().await?;
            // Read before the question whether there are others, so that the write fails if one has joined since.
            if self.group.is_held().await? && !leases.has_others().await? {
                self.group.give_up().await?;
            }
            Ok::<_, AttemptError>(())
        });
        match left.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => warn!(
                lease = self.own.name(),
                "cannot release the lease: {}",
                describe(&error)
            ),
            Err(_) => warn!(
                lease = self.own.name(),
                "cannot release the lease within {limit:?}"
            ),
        }
    }

    pub(super) fn config(&self) -> &LeaderElectionConfig {
        &self.own.settings.config
    }

    /// Returns the longest time that a write may be on its way after the end of a term.
    pub(super) fn longest_way(&self) -> Duration {
        self.config()
            .lease_duration
            .saturating_sub(self.config().renew_deadline)
    }
}

impl Renewal for Membership {
    fn settings(&self) -> &Complete {
        &self.own.settings
    }

    /// Renews both Leases.
    async fn renew(&mut self) -> Result<Result<Instant, String>, AttemptError> {
        let lost = || Ok(Err("other replicas have taken over".to_owned()));
        let Holder::This { sent, .. } = self.own.renew().await? else {
            return lost();
        };
        let Some(group) = self.renew_group().await? else {
            return lost();
        };
        Ok(Ok(sent.min(group)))
    }
}
