//! [`Setup`]: what all runs of a simulation share.

use std::{collections::BTreeSet, num::NonZero, sync::Arc, thread, time::Duration};

use futures::future::BoxFuture;
use kube::Client;
use kube_codegen_testing::ApiServer;
use serde_json::Value;

use super::{primary::Primary, template::Template, variable::variable};
use crate::workload::{Version, Workload};
use crate::{
    faults::FaultKind,
    oracles::{Demands, MakeCheck},
    progress::Progress,
    scenario::Scenario,
};

pub(crate) type Operator = Arc<dyn Fn(Client) -> BoxFuture<'static, String> + Send + Sync>;
/// A system outside of the cluster.
#[derive(Clone)]
pub(crate) struct Outside {
    pub(crate) name: String,
    pub(crate) read: Arc<dyn Fn() -> Value + Send + Sync>,
    pub(crate) restore: Arc<dyn Fn(&Value) + Send + Sync>,
    /// What it contains before each run.
    pub(crate) before: Value,
}

impl Outside {
    /// Whether the key of a state is of one of its entries.
    pub(crate) fn has(&self, key: &str) -> bool {
        let rest = key.strip_prefix(self.name.as_str());
        rest.is_some_and(|rest| rest.starts_with(' '))
    }

    /// Returns the entries of its contents, by the keys that a state has for them.
    pub(crate) fn entries(&self, contents: Value) -> impl Iterator<Item = (String, Value)> {
        let entries: Vec<(String, Value)> = match contents {
            Value::Object(entries) => entries.into_iter().collect(),
            contents => vec![("contents".to_owned(), contents)],
        };
        let name = self.name.clone();
        entries
            .into_iter()
            .map(move |(key, value)| (format!("{name} {key}"), value))
    }
}

/// Something that the operator may write at any time.
#[derive(Clone, Debug)]
pub(crate) struct Free {
    pub(crate) kind: String,
    /// Names of fields, from the outside in; empty for whole objects.
    pub(crate) path: Vec<String>,
}

/// What all runs share.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) name: String,
    pub(crate) server: ApiServer,
    pub(crate) operator: Option<Operator>,
    pub(crate) primaries: Vec<Primary>,
    pub(crate) demands: Demands,
    /// The oracles of the test, each with its name.
    pub(crate) own: Vec<(String, MakeCheck)>,
    pub(crate) replicas: usize,
    pub(crate) quiet: Duration,
    pub(crate) patience: Duration,
    pub(crate) requests_per_second: u32,
    pub(crate) without_faults: BTreeSet<FaultKind>,
    pub(crate) without_scenarios: BTreeSet<Scenario>,
    /// What workloads are made of; empty where the author has written them.
    pub(crate) templates: Vec<Template>,
    /// The definitions of the kinds that have one.
    pub(crate) crds: Vec<Value>,
    /// The operator before an upgrade.
    pub(crate) former: Option<Former>,
    pub(crate) outside: Vec<Outside>,
    pub(crate) free: Vec<Free>,
    pub(crate) most_faults: usize,
    /// Whether all runs keep their timeline.
    pub(crate) logs: bool,
    /// At most.
    pub(crate) threads: Option<usize>,
    pub(crate) progress: Progress,
}

/// The version before an upgrade.
#[derive(Clone)]
pub(crate) struct Former {
    pub(crate) operator: Operator,
    pub(crate) crds: Vec<Value>,
}

impl Setup {
    /// Returns the operator of a version.
    pub(crate) fn operator(&self, version: Version) -> Option<Operator> {
        match (version, &self.former) {
            (Version::Old, Some(former)) => Some(former.operator.clone()),
            _ => self.operator.clone(),
        }
    }

    /// Returns the number of threads that run schedules. What all runs share, one run at a time changes.
    pub(crate) fn threads(&self, workloads: &[Workload]) -> usize {
        let is_shared = !self.outside.is_empty() || workloads.iter().any(Workload::has_calls);
        let cores = || thread::available_parallelism().map_or(1, NonZero::get);
        let set = variable("SIMULATE_THREADS", |text| text.parse().ok()).or(self.threads);
        if is_shared {
            1
        } else {
            set.unwrap_or_else(cores)
        }
    }
}
