//! Runs the workloads of the scenarios, without faults: what happens around the operator is enough.
//!
//! Each workload runs twice, with restarts the second time, and both runs must agree (`learn`). Most errors show in the first run of a scenario, though.
//! So all first runs come before any fault is tried ([`Scenarios::glance`]); their outcomes are kept, and the second runs follow after the single faults
//! ([`Scenarios::try_all`]). The workloads run on several threads, but results are read in their order, up to the first failure, so that the number of
//! threads decides nothing.
//!
//! An operator that takes over an object of another client may do so on purpose. That ends its workload only, not the search.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use http::Method;
use kube_codegen_testing::ApiServer;
use serde_json::Value;

use super::{
    learn::{Known, glance, learn_after},
    shrink::shrink_calm,
    threads::on_threads,
};
use crate::{
    oracles::Variety,
    print::Found,
    request::send,
    run::Outcome,
    scenario::Scenario,
    settings::{Example, Setup, Workload, scenarios},
    state::{is_ignored, text},
    timeline::Entry,
    workload::path_of,
};

/// The workloads of the scenarios, and what they have shown.
#[derive(Default)]
pub(super) struct Scenarios {
    /// Each with its first run, until the second one follows.
    workloads: Vec<Tried>,
    pub(super) tried: BTreeSet<Scenario>,
    pub(super) runs: u64,
    /// How the operator takes over objects of others, as server-side apply does: its author may want that.
    pub(super) taken_over: Option<Box<Found>>,
}

impl Scenarios {
    /// `known` are the workloads of users.
    pub(super) fn new(setup: &Setup, known: &[Known<'_>]) -> Self {
        let workloads = scenarios_of(setup, known).into_iter();
        Self {
            workloads: workloads.map(|it| (it, Mutex::default())).collect(),
            ..Self::default()
        }
    }

    pub(super) fn len(&self) -> usize {
        self.workloads.len()
    }

    /// Runs each workload once.
    pub(super) fn glance(
        &mut self,
        setup: &Arc<Setup>,
        seed: u64,
        threads: usize,
        watch: &mut dyn FnMut(&[Entry]),
    ) -> Result<(), Box<Found>> {
        let outcomes = self.each(setup, seed, threads, watch, |workload, _, watch| {
            glance(setup, workload, seed, watch)
        })?;
        for ((_, first), outcome) in self.workloads.iter_mut().zip(outcomes) {
            *first = Mutex::new(Some(outcome));
        }
        Ok(())
    }

    /// Runs each workload twice, or once more after [`Self::glance`].
    pub(super) fn try_all(
        &mut self,
        setup: &Arc<Setup>,
        seed: u64,
        threads: usize,
        watch: &mut dyn FnMut(&[Entry]),
    ) -> Result<(), Box<Found>> {
        self.each(setup, seed, threads, watch, |workload, first, watch| {
            learn_after(setup, workload, seed, first, watch).map(drop)
        })?;
        let scenarios = self.workloads.iter().filter_map(|(it, _)| it.scenario);
        self.tried.extend(scenarios);
        Ok(())
    }

    /// Calls `one` for each workload, with its first run if there is one, up to the first that fails. One in which the operator takes something over is
    /// not run again.
    fn each<T: Send + Sync>(
        &mut self,
        setup: &Arc<Setup>,
        seed: u64,
        threads: usize,
        watch: &mut dyn FnMut(&[Entry]),
        one: impl Fn(&Workload, Option<Outcome>, &mut dyn FnMut(&[Entry])) -> Result<T, Box<Found>>
        + Sync,
    ) -> Result<Vec<T>, Box<Found>> {
        let with_logs = |(workload, first): &Tried| {
            let first = first.lock().unwrap_or_else(PoisonError::into_inner).take();
            let mut logs = Vec::new();
            let done = one(workload, first, &mut |log| logs.push(log.to_vec()));
            (done, logs)
        };
        let takes_over = |found: &Found| found.failure.variety == Variety::TakenOver;
        let is_end = |(done, _): &(Result<T, Box<Found>>, _)| {
            done.as_ref().err().is_some_and(|found| !takes_over(found))
        };
        let done = on_threads(threads, &self.workloads, with_logs, is_end);
        let (mut results, mut kept) = (Vec::new(), Vec::new());
        let workloads = std::mem::take(&mut self.workloads).into_iter();
        for ((workload, first), (done, logs)) in workloads.zip(done) {
            self.runs += 1;
            for log in &logs {
                watch(log);
            }
            match done {
                Ok(result) => {
                    results.push(result);
                    kept.push((workload, first));
                }
                Err(found) if takes_over(&found) => {
                    self.tried.extend(workload.scenario);
                    if self.taken_over.is_none() {
                        self.taken_over = Some(shrink_calm(setup, &workload, seed, found));
                    }
                }
                Err(found) => return Err(shrink_calm(setup, &workload, seed, found)),
            }
        }
        self.workloads = kept;
        Ok(results)
    }
}

/// A workload, with its first run.
type Tried = (Workload, Mutex<Option<Outcome>>);

/// Returns the workloads of the scenarios, for the children that the workloads of users have shown.
pub(crate) fn scenarios_of(setup: &Setup, known: &[Known<'_>]) -> Vec<Workload> {
    let mut made = Vec::new();
    for template in &setup.templates {
        let first = template.first_workload();
        let Some(of) = known.iter().find(|it| it.workload.name == first) else {
            continue;
        };
        let Some(rested) = of.reference.rested.first() else {
            continue;
        };
        let paths = of.created.iter().map(|child| child.path.clone());
        let (named, random): (Vec<_>, Vec<_>) = paths.partition(|path| !path.contains('*'));
        let examples = examples(&rested.server, named);
        let is_complete = random.is_empty();
        let prepared = prepared(setup);
        made.extend(scenarios(
            template,
            &examples,
            is_complete,
            &prepared,
            &setup.without_scenarios,
        ));
    }
    made
}

/// Returns what is in the namespace of the objects before them, such as a Secret that they name.
fn prepared(setup: &Setup) -> Vec<Example> {
    let objects = setup.server.filter_map(|object| {
        let is_here = text(object, "/metadata/namespace") == "default";
        let is_owned = object.pointer("/metadata/ownerReferences").is_some();
        let is_other =
            !is_ignored(text(object, "/kind")) && !setup.demands.is_object_of_user(object);
        (is_here && is_other && !is_owned).then(|| object.clone())
    });
    let read = async {
        let mut prepared = Vec::new();
        for mut object in objects {
            let path = path_of(&setup.server, &object).await;
            if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                let is_written = |name: &str| matches!(name, "name" | "labels" | "annotations");
                metadata.retain(|name, _| is_written(name));
            }
            prepared.push(Example { path, object });
        }
        prepared
    };
    on_this_thread(read)
}

/// Returns the objects with these paths, as far as they exist.
fn examples(server: &ApiServer, paths: Vec<String>) -> Vec<Example> {
    let read = async {
        let mut examples = Vec::new();
        for path in paths {
            let answer = send(server.service(), Method::GET, &path, "", &Value::Null).await;
            if let Ok((200, object)) = answer {
                examples.push(Example { path, object });
            }
        }
        examples
    };
    on_this_thread(read)
}

fn on_this_thread<T>(read: impl Future<Output = Vec<T>>) -> Vec<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.map(|it| it.block_on(read)).unwrap_or_default()
}
