//! Runs the workloads of the scenarios, without faults: what happens around the operator is enough.

use std::{collections::BTreeSet, sync::Arc};

use http::Method;
use kube_codegen_testing::ApiServer;
use serde_json::Value;

use super::{learn::Known, shrink::learn_all};
use crate::{
    print::Found,
    request::send,
    scenario::Scenario,
    settings::{Example, Setup, Workload, scenarios},
    timeline::Entry,
};

/// Runs each workload of each scenario twice, and returns the scenarios and the number of runs. `known` are the workloads of users.
pub(crate) fn try_scenarios(
    setup: &Arc<Setup>,
    known: &[Known<'_>],
    seed: u64,
    threads: usize,
    watch: &mut dyn FnMut(&[Entry]),
) -> Result<(BTreeSet<Scenario>, u64), Box<Found>> {
    let workloads = scenarios_of(setup, known);
    let learned = learn_all(setup, &workloads, seed, threads, watch)?;
    let runs = 2 * learned.len() as u64;
    let tried = workloads.iter().filter_map(|workload| workload.scenario);
    Ok((tried.collect(), runs))
}

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
        made.extend(scenarios(
            template,
            &examples,
            is_complete,
            &setup.without_scenarios,
        ));
    }
    made
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
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.map(|it| it.block_on(read)).unwrap_or_default()
}
