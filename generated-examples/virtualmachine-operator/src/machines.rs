//! Takes the place of a hypervisor: remembers which machines run.
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

/// The number of CPUs and the memory of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// The number of CPUs.
    pub cpu: i32,
    /// The memory, such as `4Gi`.
    pub memory: String,
}

/// The running machines by the uid of their object. A clone is a handle on the same.
#[derive(Clone, Debug, Default)]
pub struct Machines(Arc<Mutex<BTreeMap<String, Size>>>);

impl Machines {
    /// Starts a machine, or changes its size. Returns whether it did not run with this size before.
    pub fn start(&self, uid: &str, size: Size) -> bool {
        let mut machines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        machines.insert(uid.to_owned(), size.clone()) != Some(size)
    }

    /// Stops a machine if it runs.
    pub fn stop(&self, uid: &str) {
        let mut machines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        machines.remove(uid);
    }

    /// Returns all machines that run.
    pub fn all(&self) -> BTreeMap<String, Size> {
        let machines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        machines.clone()
    }

    /// Replaces all machines.
    pub fn replace(&self, with: BTreeMap<String, Size>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = with;
    }

    /// Returns the size of a machine that runs.
    pub fn get(&self, uid: &str) -> Option<Size> {
        let machines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        machines.get(uid).cloned()
    }
}
