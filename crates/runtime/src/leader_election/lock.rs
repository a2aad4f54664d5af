//! One attempt to acquire or renew a Lease, as client-go's `tryAcquireOrRenew`.
use std::sync::Arc;

use k8s_openapi::{
    api::{coordination::v1::LeaseSpec, core::v1::ObjectReference},
    apimachinery::pkg::apis::meta::v1::MicroTime,
    jiff::SignedDuration,
};
use kube::{Api, Client, Resource, api::PostParams};
use thiserror::Error;
use tokio::time::{Duration, Instant, timeout};
use tracing::{debug, info, warn};

use super::{config::Complete, lease::Lease, status::LeaderStatus};
use crate::{
    client::{ErrorExt, describe},
    clock,
};

/// A candidate that has to wait longer than this for a Lease logs a warning: the duration in it is probably a mistake.
const LONG: Duration = Duration::from_secs(3600);

/// Called with the identity of each new leader.
pub(crate) type OnNewLeader = Arc<dyn Fn(&str) + Send + Sync>;

/// A Lease as this candidate sees it.
pub(crate) struct Lock {
    api: Api<Lease>,
    pub(crate) settings: Complete,
    pub(crate) status: LeaderStatus,
    pub(crate) on_new_leader: Option<OnNewLeader>,
    observed: Option<Observed>,
}

/// The last response of the server.
struct Observed {
    /// With the resource version that guards the next write.
    lease: Lease,
    /// When the spec last changed, on the monotonic clock. The times in the spec are never compared with a clock here.
    changed: Instant,
}

/// Who holds the lease after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    /// This candidate, by a write that was sent at this moment; with the resource version of the Lease, if it is a number.
    This { sent: Instant, number: Option<u64> },
    /// Another candidate, or none in a coordinated election.
    Other,
    /// This candidate, but the API server prefers another one.
    Unwanted,
}

/// An attempt without a result.
#[derive(Debug, Error)]
pub(crate) enum AttemptError {
    #[error(transparent)]
    Request(#[from] kube::Error),
    #[error("no response within {0:?}")]
    Timeout(Duration),
    #[error("the response is not the Lease {0}")]
    NotTheLease(String),
}

/// Waits for the response to a request, but not longer than `limit`.
pub(crate) async fn within<T>(
    limit: Duration,
    request: impl Future<Output = kube::Result<T>>,
) -> Result<T, AttemptError> {
    let response = timeout(limit, request).await;
    Ok(response.map_err(|_| AttemptError::Timeout(limit))??)
}

impl Lock {
    pub(crate) fn new(client: &Client, settings: Complete) -> Self {
        Self {
            api: Api::namespaced(client.clone(), &settings.namespace),
            status: LeaderStatus::new(&settings.lease, &settings.identity),
            on_new_leader: None,
            observed: None,
            settings,
        }
    }

    /// Acquires the lease if it is free or expired, or renews it.
    pub(crate) async fn acquire_or_renew(&mut self) -> Result<Holder, AttemptError> {
        if let Some(holder) = self.renew_unread().await {
            return Ok(holder);
        }
        let Some(lease) = self.read().await? else {
            return self.create().await;
        };
        let is_free = lease.holder().is_none();
        if self.is_own(&lease) {
            if self.status.is_leader() {
                self.status.count_slow_path();
            }
            let lease = self.renewed(lease);
            return self.replace(lease).await;
        }
        if !is_free && self.observed.as_ref().is_some_and(Observed::is_valid) {
            return Ok(Holder::Other);
        }
        let lease = self.taken(lease);
        self.replace(lease).await
    }

    /// Renews the lease if this candidate still holds it. One that was deleted is lost, although the API server makes it again for a renewal:
    /// others may have seen that it was gone.
    pub(crate) async fn renew(&mut self) -> Result<Holder, AttemptError> {
        let uid = |lock: &Self| Some(lock.observed.as_ref()?.lease.metadata.uid.clone());
        let before = uid(self);
        let holder = self.renew_any().await?;
        Ok(if before == uid(self) {
            holder
        } else {
            Holder::Other
        })
    }

    async fn renew_any(&mut self) -> Result<Holder, AttemptError> {
        if let Some(holder) = self.renew_unread().await {
            return Ok(holder);
        }
        match self.read().await? {
            Some(lease) if self.is_own(&lease) => {
                let lease = self.renewed(lease);
                self.replace(lease).await
            }
            _ => Ok(Holder::Other),
        }
    }

    /// Renews the lease as it was last seen, if this candidate held it then. Fails if anything has changed, or if the response to the last
    /// write was lost.
    async fn renew_unread(&mut self) -> Option<Holder> {
        let observed = self.observed.as_ref()?;
        if !self.is_own(&observed.lease) || !observed.is_valid() {
            return None;
        }
        let lease = self.renewed(observed.lease.clone());
        let renewed = self.replace(lease).await;
        let failed = |error: &AttemptError| {
            debug!(
                lease = self.name(),
                "renewing the lease failed: {}",
                describe(error)
            );
        };
        renewed.inspect_err(failed).ok()
    }

    /// Reads the lease. Returns whether this candidate holds it.
    pub(crate) async fn is_held(&mut self) -> Result<bool, AttemptError> {
        let lease = self.read().await?;
        Ok(lease.is_some_and(|lease| self.is_own(&lease)))
    }

    /// Returns the record of the lease as it was last seen.
    pub(crate) fn spec(&self) -> Option<&LeaseSpec> {
        self.observed.as_ref()?.lease.spec.as_ref()
    }

    /// Renews the lease if the API server has given it to this candidate, as client-go's `tryCoordinatedRenew`.
    pub(crate) async fn renew_coordinated(&mut self) -> Result<Holder, AttemptError> {
        let Some(lease) = self.read().await? else {
            return Ok(Holder::Other);
        };
        let spec = lease.spec.as_ref();
        let ends = spec
            .and_then(|spec| spec.preferred_holder.as_deref())
            .is_some_and(|preferred| !preferred.is_empty());
        let is_valid = self.observed.as_ref().is_some_and(Observed::is_valid);
        if !self.is_own(&lease) || !is_valid {
            return Ok(Holder::Other);
        }
        if ends {
            return Ok(Holder::Unwanted);
        }
        let lease = self.renewed(lease);
        self.replace(lease).await
    }

    /// Frees the lease if this candidate holds it, so that the next one need not wait for its expiry. Only after all work has ended.
    pub(crate) async fn release(&mut self) -> Result<(), AttemptError> {
        while let Some(lease) = self.read().await? {
            if !self.is_own(&lease) {
                break;
            }
            let lease = self.freed(lease);
            match self.replace(lease).await {
                // A renewal whose response was lost has arrived in between.
                Err(AttemptError::Request(error)) if error.is_conflict() => {}
                result => return result.map(drop),
            }
        }
        Ok(())
    }

    /// Frees the lease if it is as it was last seen.
    pub(crate) async fn give_up(&mut self) -> Result<(), AttemptError> {
        let Some(observed) = &self.observed else {
            return Ok(());
        };
        let lease = self.freed(observed.lease.clone());
        self.replace(lease).await.map(drop)
    }

    /// Returns a reference to the Lease, for events.
    pub(crate) fn reference(&self) -> ObjectReference {
        let mut lease = Lease::default();
        lease.metadata.name = Some(self.settings.lease.clone());
        lease.metadata.namespace = Some(self.settings.namespace.clone());
        let observed = self.observed.as_ref().map(|observed| &observed.lease);
        observed.unwrap_or(&lease).object_ref(&())
    }

    pub(crate) fn name(&self) -> &str {
        &self.settings.lease
    }

    fn is_own(&self, lease: &Lease) -> bool {
        lease.holder() == Some(&*self.settings.identity)
    }

    async fn read(&mut self) -> Result<Option<Lease>, AttemptError> {
        let request = self.api.get_opt(&self.settings.lease);
        let lease = within(self.settings.request_timeout, request).await?;
        let lease = lease.map(|lease| self.checked(lease)).transpose()?;
        if let Some(lease) = &lease {
            self.observe(lease.clone(), Instant::now());
        }
        Ok(lease)
    }

    async fn create(&mut self) -> Result<Holder, AttemptError> {
        let mut lease = Lease::default();
        lease.metadata.name = Some(self.settings.lease.clone());
        let mut lease = self.taken(lease);
        lease.spec.get_or_insert_default().lease_transitions = Some(0);
        let sent = Instant::now();
        let params = PostParams::default();
        let request = self.api.create(&params, &lease);
        let stored = within(self.settings.request_timeout, request).await?;
        self.hold(stored, &lease, sent)
    }

    async fn replace(&mut self, lease: Lease) -> Result<Holder, AttemptError> {
        let sent = Instant::now();
        let params = PostParams::default();
        let request = self.api.replace(&self.settings.lease, &params, &lease);
        let stored = within(self.settings.request_timeout, request).await?;
        self.hold(stored, &lease, sent)
    }

    /// Accepts the response to a write of `lease`.
    fn hold(
        &mut self,
        stored: Lease,
        lease: &Lease,
        sent: Instant,
    ) -> Result<Holder, AttemptError> {
        let stored = self.checked(stored)?;
        if stored.holder() != lease.holder() {
            return Err(self.not_the_lease());
        }
        let version = stored.metadata.resource_version.as_ref();
        let number = version.and_then(|version| version.parse().ok());
        self.observe(stored, sent);
        Ok(Holder::This { sent, number })
    }

    /// Rejects what is not this Lease as the server stores it. Every field of a Lease is optional, so any object decodes as one: without this
    /// check, a candidate would take an error that a proxy sends with status 200 for a free lease, and then for its own.
    fn checked(&self, lease: Lease) -> Result<Lease, AttemptError> {
        let meta = &lease.metadata;
        let is_stored = meta
            .resource_version
            .as_ref()
            .is_some_and(|v| !v.is_empty());
        if is_stored && meta.name.as_ref() == Some(&self.settings.lease) {
            return Ok(lease);
        }
        Err(self.not_the_lease())
    }

    fn not_the_lease(&self) -> AttemptError {
        AttemptError::NotTheLease(format!(
            "{}/{}",
            self.settings.namespace, self.settings.lease
        ))
    }

    fn observe(&mut self, lease: Lease, at: Instant) {
        let changed = match &self.observed {
            Some(observed) if observed.lease.spec == lease.spec => observed.changed,
            _ => at,
        };
        let holder = lease.holder().unwrap_or_default();
        if self.status.observe(holder) {
            info!(lease = self.name(), leader = holder, "new leader");
            if let Some(on_new_leader) = &self.on_new_leader {
                on_new_leader(holder);
            }
        }
        let is_news = self
            .observed
            .as_ref()
            .is_none_or(|it| it.lease.spec != lease.spec);
        let is_own = self.is_own(&lease);
        let observed = Observed { lease, changed };
        if is_news
            && !is_own
            && observed.lease.holder().is_some()
            && observed.lease.duration() > LONG
        {
            warn!(
                lease = self.name(),
                "no other replica can take over the lease until its holder has not renewed it for {:?}; if that duration is a mistake, delete the Lease",
                observed.lease.duration()
            );
        }
        self.observed = Some(observed);
    }

    /// Returns `lease`, held by this candidate for another duration.
    fn renewed(&self, mut lease: Lease) -> Lease {
        let spec = lease.spec.get_or_insert_default();
        let seconds = self.settings.config.lease_duration.as_secs();
        spec.holder_identity = Some(self.settings.identity.clone());
        spec.lease_duration_seconds = i32::try_from(seconds).ok();
        spec.renew_time = Some(after(spec));
        lease
    }

    /// Returns `lease` without a holder.
    fn freed(&self, lease: Lease) -> Lease {
        let mut lease = self.renewed(lease);
        let spec = lease.spec.get_or_insert_default();
        spec.holder_identity = Some(String::new());
        spec.lease_duration_seconds = Some(1);
        spec.acquire_time.clone_from(&spec.renew_time);
        lease
    }

    /// Returns `lease`, held by this candidate as the next leader.
    fn taken(&self, lease: Lease) -> Lease {
        let mut lease = self.renewed(lease);
        let spec = lease.spec.get_or_insert_default();
        spec.acquire_time.clone_from(&spec.renew_time);
        spec.lease_transitions = Some(spec.lease_transitions.unwrap_or(0).saturating_add(1));
        let labels = &self.settings.config.labels;
        if !labels.is_empty() {
            let all = lease.metadata.labels.get_or_insert_default();
            all.extend(
                labels
                    .iter()
                    .map(|(key, value)| (key.clone(), value.clone())),
            );
        }
        lease
    }
}

impl Observed {
    /// Whether the lease cannot have expired for the server, by the duration that its holder wrote.
    fn is_valid(&self) -> bool {
        self.changed.elapsed() < self.lease.duration()
    }
}

/// Returns the current time, but later than the last renewal: other candidates must notice each renewal, also after the clock was set back.
fn after(spec: &LeaseSpec) -> MicroTime {
    let now = clock::now();
    let next = spec
        .renew_time
        .as_ref()
        .and_then(|last| last.0.checked_add(SignedDuration::from_micros(1)).ok());
    MicroTime(next.map_or(now, |next| now.max(next)))
}
