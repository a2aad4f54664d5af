//! The Leases of shards: one for each replica, one for each range, and one for the leader; their names, and the writes that hand them over.
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use k8s_openapi::{api::coordination::v1::LeaseSpec, apimachinery::pkg::apis::meta::v1::MicroTime};
use kube::{
    Api, Client,
    api::{DeleteParams, PostParams, Preconditions},
};
use tokio::time::Duration;

use super::{balance::View, ring::hash};
use crate::{
    cache::ObjectKey,
    client::ErrorExt,
    clock,
    leader_election::{AttemptError, Complete, Lease, within},
};

/// The label of all these Leases; its value is the name of the Lease of the election.
pub(super) const LABEL: &str = "kube-codegen.dev/shards-of";

/// What one process holds at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unit {
    /// What is not divided.
    Leader,
    /// A range of the ring.
    Range(u16),
}

/// The Leases of an operator, and the identity of this replica.
#[derive(Clone)]
pub(super) struct Leases {
    api: Api<Lease>,
    namespace: Arc<str>,
    name: Arc<str>,
    identity: Arc<str>,
    labels: BTreeMap<String, String>,
    ranges: u16,
    request_timeout: Duration,
}

impl Leases {
    pub(super) fn new(client: &Client, settings: &Complete, ranges: u16) -> Self {
        let mut labels = settings.config.labels.clone();
        labels.insert(LABEL.to_owned(), settings.lease.clone());
        Self {
            api: Api::namespaced(client.clone(), &settings.namespace),
            namespace: settings.namespace.as_str().into(),
            name: settings.lease.as_str().into(),
            identity: settings.identity.as_str().into(),
            labels,
            ranges,
            request_timeout: settings.request_timeout,
        }
    }

    /// Returns the name of the Lease of a replica. Identities may have characters that names may not.
    pub(super) fn replica(name: &str, identity: &str) -> String {
        format!("{name}-replica-{:016x}", hash(identity))
    }

    pub(super) fn unit(&self, unit: Unit) -> String {
        match unit {
            Unit::Leader => format!("{}-leader", self.name),
            Unit::Range(number) => format!("{}-shard-{number}", self.name),
        }
    }

    pub(super) fn key(&self, unit: Unit) -> ObjectKey {
        ObjectKey {
            namespace: Some(self.namespace.to_string()),
            name: self.unit(unit),
        }
    }

    /// Sorts the Leases of the cache. Returns the view of the ranges, the holder of the leader's Lease, and the Leases of the replicas.
    pub(super) fn view(&self, leases: &[Arc<Lease>]) -> (View, Option<String>, Vec<Arc<Lease>>) {
        let mut view = View {
            replicas: BTreeSet::from([self.identity.to_string()]),
            holders: vec![None; usize::from(self.ranges)],
        };
        let (mut leader, mut replicas) = (None, Vec::new());
        for lease in leases {
            let name = lease.metadata.name.as_deref().unwrap_or_default();
            let Some(kind) = name.strip_prefix(&*self.name) else {
                continue;
            };
            let holder = lease.holder().map(str::to_owned);
            if kind == "-leader" {
                leader = holder;
            } else if let Some(number) = kind.strip_prefix("-shard-") {
                let number = number.parse().ok();
                if let Some(of_range) = number.and_then(|n: usize| view.holders.get_mut(n)) {
                    *of_range = holder;
                }
            } else if kind.starts_with("-replica-") {
                // A stranger's Lease has another name than a replica's would. It keeps nothing, and is deleted once it expires.
                let is_replica = |holder: &String| Self::replica(&self.name, holder) == name;
                view.replicas.extend(holder.filter(is_replica));
                replicas.push(Arc::clone(lease));
            }
        }
        (view, leader, replicas)
    }

    /// Takes the Lease of a unit unless a replica that lives holds it. Returns its resource version if this replica holds it now.
    pub(super) async fn take(&self, unit: Unit) -> Result<Option<String>, AttemptError> {
        let name = self.unit(unit);
        let Some(mut lease) = self.read(&name).await? else {
            let mut lease = Lease::default();
            lease.metadata.name = Some(name);
            self.hold(&mut lease, &self.identity);
            let params = PostParams::default();
            let created = within(self.request_timeout, self.api.create(&params, &lease)).await?;
            return Ok(created.metadata.resource_version.clone());
        };
        if let Some(holder) = lease.holder()
            && *holder != *self.identity
        {
            // A replica releases its own Lease when all of its work has ended, and others write to it when it has expired.
            let replica = self.read(&Self::replica(&self.name, holder)).await?;
            if replica.is_some_and(|replica| replica.holder().is_some()) {
                return Ok(None);
            }
        }
        self.hold(&mut lease, &self.identity);
        let held = self.replace(&name, &lease).await?;
        Ok(held.metadata.resource_version.clone())
    }

    /// Frees the Lease of a unit if this replica holds it. Only after all work of the unit has ended.
    pub(super) async fn release(&self, unit: Unit) -> Result<(), AttemptError> {
        let name = self.unit(unit);
        while let Some(mut lease) = self.read(&name).await? {
            if lease.holder() != Some(&*self.identity) {
                break;
            }
            self.hold(&mut lease, "");
            match self.replace(&name, &lease).await {
                Err(AttemptError::Request(error)) if error.is_conflict() => {}
                result => return result.map(drop),
            }
        }
        Ok(())
    }

    /// Frees the Lease of a replica if it is still as it was when it began to expire.
    pub(super) async fn evict(&self, expired: &Lease) -> Result<(), AttemptError> {
        let name = expired.metadata.name.as_deref().unwrap_or_default();
        match self.read(name).await? {
            Some(mut lease) if lease.spec == expired.spec => {
                self.hold(&mut lease, "");
                self.replace(name, &lease).await.map(drop)
            }
            _ => Ok(()),
        }
    }

    /// Deletes the Lease of a replica that has ended.
    pub(super) async fn delete(&self, ended: &Lease) -> Result<(), AttemptError> {
        let params = DeleteParams::default().preconditions(Preconditions {
            resource_version: ended.metadata.resource_version.clone(),
            uid: ended.metadata.uid.clone(),
        });
        let name = ended.metadata.name.as_deref().unwrap_or_default();
        let deleted = within(self.request_timeout, self.api.delete(name, &params)).await;
        deleted.map(drop)
    }

    /// Whether another replica holds a Lease of its own, by the state of the server.
    pub(super) async fn has_others(&self) -> Result<bool, AttemptError> {
        let params = kube::api::ListParams::default().labels(&format!("{LABEL}={}", self.name));
        let all = within(self.request_timeout, self.api.list(&params)).await?;
        let all: Vec<_> = all.items.into_iter().map(Arc::new).collect();
        Ok(self.view(&all).0.replicas.len() > 1)
    }

    async fn read(&self, name: &str) -> Result<Option<Lease>, AttemptError> {
        within(self.request_timeout, self.api.get_opt(name)).await
    }

    async fn replace(&self, name: &str, lease: &Lease) -> Result<Lease, AttemptError> {
        let params = PostParams::default();
        within(self.request_timeout, self.api.replace(name, &params, lease)).await
    }

    fn hold(&self, lease: &mut Lease, holder: &str) {
        let labels = lease.metadata.labels.get_or_insert_default();
        labels.extend(
            self.labels
                .iter()
                .map(|(key, value)| (key.clone(), value.clone())),
        );
        let now = Some(MicroTime(clock::now()));
        let spec = lease.spec.get_or_insert_default();
        *spec = LeaseSpec {
            holder_identity: Some(holder.to_owned()),
            acquire_time: now.clone(),
            renew_time: now,
            ..std::mem::take(spec)
        };
    }
}
