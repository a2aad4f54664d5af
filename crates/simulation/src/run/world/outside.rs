//! What happens in the systems outside of the cluster, for the timeline.
//!
//! Nothing says when such a system changes: it can only be read. Whatever the operator does takes no virtual time, so that a look before each line of the
//! timeline, and before each time at which all tasks wait, shows every change at its time, and before what follows from it. Only runs with a timeline look.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    sync::{Arc, PoisonError, Weak},
};

use serde_json::Value;

use super::World;
use crate::{
    run::panics::caught,
    state::{brief, changes, conceal, general},
    timeline::{Change, Happening, Outside},
};

thread_local! {
    /// The run of this thread.
    static WORLD: RefCell<Weak<World>> = const { RefCell::new(Weak::new()) };
}

/// Called when all tasks of a run wait, just before time passes.
pub(crate) fn look_before_time_passes() {
    if let Some(world) = WORLD.with_borrow(Weak::upgrade) {
        world.look_outside();
    }
}

/// What each system has had at the last look: entries by the keys of a state.
pub(super) type Outsides = Vec<BTreeMap<String, Value>>;

impl World {
    /// Notes what is there when the run begins.
    pub(super) fn begin_outside(self: &Arc<Self>) {
        WORLD.set(Weak::new());
        if !self.logs || self.setup.outside.is_empty() {
            return;
        }
        WORLD.set(Arc::downgrade(self));
        let systems = self.setup.outside.iter();
        let entries = systems.map(|it| it.entries((it.read)()).collect());
        *self.outside.lock().unwrap_or_else(PoisonError::into_inner) = entries.collect();
    }

    /// Adds to the timeline what has changed since the last look.
    pub(crate) fn look_outside(&self) {
        let mut known = self.outside.lock().unwrap_or_else(PoisonError::into_inner);
        let mut happened = Vec::new();
        for (system, before) in self.setup.outside.iter().zip(known.iter_mut()) {
            // It may be broken for now, as a workload wants it.
            let Some(contents) = caught(|| (system.read)()) else {
                continue;
            };
            let after: BTreeMap<String, Value> = system.entries(contents).collect();
            if after == *before {
                continue;
            }
            for (key, old) in &*before {
                let change = match after.get(key) {
                    None => Change::Disappears,
                    Some(new) if new == old => continue,
                    Some(new) => Change::Changes(changes(key, old, new)),
                };
                happened.push((key.clone(), change));
            }
            for (key, new) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
                let mut shown = new.clone();
                conceal(&mut shown, None);
                happened.push((key.clone(), Change::Appears(brief(&shown))));
            }
            *before = after;
        }
        drop(known);
        for (key, change) in happened {
            let object = general(&self.names, &key).unwrap_or(key);
            self.push(Happening::Outside(Outside { object, change }));
        }
    }
}
