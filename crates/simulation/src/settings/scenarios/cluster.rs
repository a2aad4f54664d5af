//! What a cluster does later than the server in memory, or at all: it loses nodes, runs and removes Jobs, and collects garbage slowly.

use std::time::Duration;

use super::{Example, OUTAGE, begin, end};
use crate::workload::{Step, Turn, Workload};
use crate::{scenario::Scenario, settings::template::Template, state::id};

/// What a user does has reached all caches after this time.
const SEEN: Duration = Duration::from_secs(2);

/// How long Pods stay on a node that is lost (`tolerationSeconds` of the plugin `DefaultTolerationSeconds`).
const TOLERATION: Duration = Duration::from_secs(300);

/// A node is lost, with a Pod of each workload, and with the Pods of the operator.
pub(super) fn lost_node(template: &Template, children: &[Example]) -> Option<Workload> {
    let has = |kind: &str| children.iter().any(|child| child.kind() == kind);
    if !["Deployment", "StatefulSet", "Pod"].into_iter().any(has) {
        return None;
    }
    let workload = begin(template, "a node is lost").of(Scenario::LostNode);
    let workload = template
        .create(workload.phase("create again"))
        .same_as("create")
        .phase("a node is lost, with a Pod of each workload")
        .turn(Turn::Node(false))
        .turn(Turn::Wait(TOLERATION))
        .hopeless()
        .phase("the Pods are deleted, and replaced on another node");
    let pods = children.iter().filter(|child| child.kind() == "Pod");
    let workload = pods.fold(workload, |workload, pod| workload.delete(&pod.path));
    Some(end(
        template,
        workload.turn(Turn::Node(true)).same_as("create"),
    ))
}

/// Jobs that have ended are removed, as they ask for.
pub(super) fn ended_jobs(template: &Template, children: &[Example]) -> Option<Workload> {
    let jobs: Vec<&Example> = children.iter().filter(|it| it.expires()).collect();
    if jobs.is_empty() {
        return None;
    }
    let workload = begin(template, "Jobs that have ended are removed").of(Scenario::EndedJobs);
    let workload = template
        .create(workload.phase("create again"))
        .same_as("create")
        .phase("the Jobs are removed, as they ask for");
    let workload = jobs.iter().fold(workload, |workload, job| {
        workload.delete(&job.path).without(id(&job.object))
    });
    Some(end(template, workload))
}

/// How often schedules fire: by default, the last three Jobs that have succeeded are kept.
const TIMES: u32 = 4;

/// The schedules of `CronJob`s fire, until old Jobs are removed.
pub(super) fn scheduled(template: &Template, children: &[Example]) -> Option<Workload> {
    let crons: Vec<&Example> = children
        .iter()
        .filter(|child| child.kind() == "CronJob")
        .collect();
    if crons.is_empty() {
        return None;
    }
    let mut workload = begin(template, "schedules fire").of(Scenario::Scheduled);
    workload = template
        .create(workload.phase("create again"))
        .same_as("create");
    for number in 1..=TIMES {
        workload = workload.phase(&format!("the schedules fire, time {number}"));
        for cron in &crons {
            let path = cron.path.clone();
            workload = workload.step(Step::Finish { path: path.clone() });
            workload = workload.step(Step::Fire { path, number });
        }
    }
    workload = workload.phase("the last Jobs have ended");
    for cron in &crons {
        let path = cron.path.clone();
        workload = workload.step(Step::Finish { path });
    }
    let workload = template
        .delete(workload.phase("the objects are deleted, with the Jobs"))
        .phase("create once more");
    Some(end(template, template.create(workload).same_as("create")))
}

/// The children of deleted objects stay for a while.
pub(super) fn slow_collection(template: &Template) -> Workload {
    let slow = |workload: Workload| workload.turn(Turn::Collection(false));
    let catches_up = |workload: Workload| {
        workload
            .turn(Turn::Wait(OUTAGE))
            .turn(Turn::Collection(true))
    };
    let workload = begin(template, "the garbage collector is slow").of(Scenario::SlowCollection);
    let workload = template
        .create(workload.phase("create again"))
        .same_as("create")
        .phase("deleted and created again, before the children are collected");
    let workload = template.create(delete(template, slow(workload)));
    let workload = catches_up(workload)
        .same_as("create")
        .phase("deleted in the foreground: the objects stay without their children");
    let names = template.names.iter();
    let workload = names
        .fold(slow(workload), |workload, name| {
            let (path, policy) = (template.path(name), "Foreground");
            workload.step(Step::Propagate { path, policy })
        })
        // An operator that does not know yet that its object is being deleted puts back what is missing.
        .turn(Turn::Wait(SEEN))
        .step(Step::Dependents)
        .numbered_as("delete")
        .phase("the objects vanish");
    catches_up(workload).leaves_nothing()
}

/// Users delete the objects, and do not wait until they are gone.
fn delete(template: &Template, workload: Workload) -> Workload {
    let names = template.names.iter();
    names.fold(workload, |workload, name| {
        workload.delete(&template.path(name))
    })
}
