//! The controllers of a manager: their names, their kinds, and which caches they fill before the election.
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Duration,
};

use parking_lot::Mutex;

use super::ManagerError;
use crate::{
    controller::{Defaults, Needs, Plan},
    informer::InformerId,
    shards::ShardKey,
};

/// What the controllers have in common, and what is known of each.
#[derive(Debug)]
pub(super) struct Controllers {
    pub(super) defaults: Defaults,
    pub(super) workers: usize,
    /// By kind and group.
    pub(super) workers_of: BTreeMap<String, usize>,
    warm_up: bool,
    /// Changes through a shared reference: controllers are added while others are being built.
    added: Mutex<Added>,
}

/// What is known of the controllers that were added.
#[derive(Debug, Default)]
struct Added {
    /// Whether there may be controllers of members, whose kinds are not known yet.
    has_members: bool,
    names: BTreeSet<String>,
    kinds: BTreeSet<String>,
    taken: Option<String>,
    /// Whether the cache of an informer is filled before the election: if one of the controllers that use it wants that.
    caches: HashMap<InformerId, bool>,
    /// Whether the cache of an informer may have the objects of this replica's ranges alone: if all controllers that use it allow that.
    divisible: HashMap<InformerId, bool>,
    /// The longest of all timeouts.
    cache_sync_timeout: Duration,
}

impl Controllers {
    pub(super) fn new(
        defaults: Defaults,
        workers: usize,
        workers_of: BTreeMap<String, usize>,
        warm_up: bool,
    ) -> Self {
        Self {
            workers,
            workers_of,
            warm_up,
            added: Mutex::new(Added {
                cache_sync_timeout: defaults.cache_sync_timeout,
                ..Added::default()
            }),
            defaults,
        }
    }

    /// Adds a controller, and returns its number of workers unless it has its own.
    pub(super) fn add(&self, plan: Plan, shards: Option<ShardKey>) -> usize {
        let mut added = self.added.lock();
        let added = &mut *added;
        let is_warm = !plan.needs_leader_election || plan.warm_up.unwrap_or(self.warm_up);
        for (informer, needs) in plan.informers {
            let is_divisible = match (needs, shards) {
                (Needs::Own, Some(_)) | (Needs::Namespaces, Some(ShardKey::Namespace)) => {
                    !plan.has_whole_caches
                }
                _ => false,
            };
            *added.divisible.entry(informer).or_insert(true) &= is_divisible;
            *added.caches.entry(informer).or_default() |= is_warm;
        }
        if let Some(timeout) = plan.cache_sync_timeout {
            added.cache_sync_timeout = added.cache_sync_timeout.max(timeout);
        }
        let workers = self.workers_of.get(&plan.kind).copied();
        added.kinds.insert(plan.kind);
        if !added.names.insert(plan.name.clone()) {
            added.taken.get_or_insert(plan.name);
        }
        workers.unwrap_or(self.workers)
    }

    /// Expects controllers of members.
    pub(super) fn add_members(&self) {
        self.added.lock().has_members = true;
    }

    /// Fails if two controllers have the same name, or a setting is for a kind without a controller.
    pub(super) fn check(&self) -> Result<(), ManagerError> {
        let added = self.added.lock();
        if let Some(name) = &added.taken {
            return Err(ManagerError::NameTaken { name: name.clone() });
        }
        let unknown = |kind: &&String| !added.has_members && !added.kinds.contains(*kind);
        match self.workers_of.keys().find(unknown) {
            None => Ok(()),
            Some(kind) => Err(ManagerError::NoController {
                kind: kind.clone(),
                known: added.kinds.iter().cloned().collect(),
            }),
        }
    }

    /// Whether the cache of an informer may have the objects of this replica's ranges alone.
    pub(super) fn is_divisible(&self, informer: InformerId) -> bool {
        let added = self.added.lock();
        added
            .divisible
            .get(&informer)
            .is_some_and(|allowed| *allowed)
    }

    pub(super) fn caches(&self) -> Caches {
        let added = self.added.lock();
        Caches {
            is_warm: added.caches.clone(),
            otherwise: self.warm_up,
            timeout: added.cache_sync_timeout,
        }
    }
}

/// Which caches are filled before the election.
#[derive(Debug)]
pub(super) struct Caches {
    is_warm: HashMap<InformerId, bool>,
    /// For informers that no controller uses.
    otherwise: bool,
    pub(super) timeout: Duration,
}

impl Caches {
    pub(super) fn is_warm(&self, informer: InformerId) -> bool {
        self.is_warm
            .get(&informer)
            .copied()
            .unwrap_or(self.otherwise)
    }
}
