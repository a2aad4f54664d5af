//! Records what was asked, and injects faults: into requests, answers and open watches.
//!
//! It may use `request` and `kinds` and what those use.

mod fault;
mod intercept;
mod log;
mod metrics;
mod recorded;

use std::sync::Mutex;

use crate::storage::lock;
pub use fault::Failure;
pub(crate) use fault::{Command, Effect, Faults, Watches};
pub(crate) use intercept::Interceptors;
pub use intercept::{Action, EventAction, EventInFlight};
pub(crate) use log::RequestLog;
pub use log::blocked_owners;
pub(crate) use metrics::{CONTENT as METRICS_CONTENT, Labels, Metrics, PATH as METRICS};
pub use recorded::{On, RecordedRequest};

/// What a server records, and what a test injects.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) requests: Mutex<RequestLog>,
    pub(crate) metrics: Mutex<Metrics>,
    pub(crate) faults: Mutex<Faults>,
    pub(crate) watches: Mutex<Watches>,
    pub(crate) interceptors: Mutex<Interceptors>,
}

impl Record {
    /// Records a request and returns its number; `None` if no requests are kept.
    pub(crate) fn add(&self, request: impl FnOnce() -> RecordedRequest) -> Option<usize> {
        if !lock(&self.requests).is_kept() {
            return None;
        }
        let request = request();
        Some(lock(&self.requests).add(request))
    }

    /// Records the status of the request with this number, if it was recorded, and the verb for which its user has no permission.
    pub(crate) fn answered(
        &self,
        number: Option<usize>,
        status: u16,
        message: &str,
        denied: Option<&'static str>,
    ) {
        if let Some(number) = number {
            lock(&self.requests).answered(number, status, message, denied);
        }
    }
}
