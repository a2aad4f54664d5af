//! Makes the workloads of the scenarios: what happens around the operator, from what a kind is made of and from the children that were seen.

mod around;
mod children;
mod cluster;
mod metadata;
mod names;

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Value, json};

use super::template::Template;
use crate::workload::{Turn, Workload};
use crate::{
    scenario::Scenario,
    state::{TOUCHED, text},
};

/// A child as a run without faults has left it.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    pub(crate) path: String,
    pub(crate) object: Value,
}

impl Example {
    fn kind(&self) -> &str {
        text(&self.object, "/kind")
    }

    /// Whether it is a Job that the cluster removes when it has ended, so that it need not come back.
    fn expires(&self) -> bool {
        let ttl = self.object.pointer("/spec/ttlSecondsAfterFinished");
        self.kind() == "Job" && ttl.is_some()
    }

    /// The path of its collection.
    fn collection(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(it, _)| it)
    }
}

/// How many kinds of children have workloads of their own.
const KINDS: usize = 3;

/// The finalizer of another client.
const FINALIZER: &str = "example.com/another-client";

/// How long the server rejects requests.
const OUTAGE: Duration = Duration::from_secs(20);

/// Returns the workloads of all scenarios that are not switched off. `is_complete`: the operator creates nothing but these children. `prepared` is what
/// the namespace contains before the objects.
pub(crate) fn workloads(
    template: &Template,
    children: &[Example],
    is_complete: bool,
    prepared: &[Example],
    without: &BTreeSet<Scenario>,
) -> Vec<Workload> {
    if !template.is_valid {
        return Vec::new();
    }
    // One child of each kind and place.
    let mut kinds: Vec<&Example> = Vec::new();
    for child in children {
        let is_new = |known: &&Example| known.collection() != child.collection();
        if kinds.len() < KINDS && !child.expires() && kinds.iter().all(is_new) {
            kinds.push(child);
        }
    }
    let mut made = Vec::new();
    for child in kinds {
        made.push(children::strangers(template, child));
        made.push(children::finalizers(template, child));
    }
    made.push(metadata::metadata(template));
    made.extend(around::namespaces(template, prepared));
    made.extend(names::names(template));
    made.extend(around::references(template));
    made.extend(around::outages(template));
    made.push(around::deletion(template, children, is_complete));
    made.extend(around::failing(template, children));
    made.extend(cluster::lost_node(template, children));
    made.extend(cluster::ended_jobs(template, children));
    made.extend(cluster::scheduled(template, children));
    made.push(cluster::slow_collection(template));
    made.retain(|it| it.scenario.is_none_or(|it| !without.contains(&it)));
    made
}

/// Begins a workload: the objects are created, and deleted.
fn begin(template: &Template, what: &str) -> Workload {
    let name = format!("{}: {what}", template.primary.plural);
    let created = template.create(Workload::new(&name));
    template.delete(created.phase("delete"))
}

/// Ends a workload: the objects are deleted.
fn end(template: &Template, workload: Workload) -> Workload {
    template.delete(workload.phase("delete at the end"))
}

/// Gives the operator a reason to look at the objects again: they change, and change back.
fn nudge(template: &Template, workload: Workload) -> Workload {
    let touch = |workload: Workload, value: Value| {
        let patch = json!({"metadata": {"labels": {TOUCHED: value}}});
        let names = template.names.iter();
        names.fold(workload, |workload, name| {
            workload.patch(&template.path(name), patch.clone())
        })
    };
    let workload = template.change(touch(workload, json!("yes")), true);
    let workload = workload.turn(Turn::Wait(Duration::from_secs(2)));
    touch(template.change(workload, false), Value::Null)
}
