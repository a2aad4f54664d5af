//! Waits for the end of a phase, and lets the oracles judge what the operator has made of it.

use std::sync::Arc;

use http::Method;
use kube_codegen_testing::ApiServer;
use serde_json::Value;

use super::{
    experiment::{Before, carry_out},
    rest::{crash_and_rest, rest, settle},
    world::World,
};
use crate::{
    experiment::{Experiment, Shown},
    judge::Reference,
    oracles::{AfterRestart, AtRest, Failure, Moment, touched},
    request::send,
    schedule::Schedule,
    state::{State, text},
    workload::{Phase, Step, Workload},
};

/// Waits until the operator is at rest after a phase, and judges the state.
pub(super) async fn at_rest_after(
    world: &Arc<World>,
    workload: &Workload,
    schedule: &Schedule,
    reference: Option<&Reference>,
    states: &[Option<Arc<State>>],
) -> State {
    let judge = Judged {
        world,
        workload,
        schedule,
        reference,
        states,
    };
    rest(world).await;
    // Without faults, what is expected of a phase says whether the operator has got there.
    let phase = &workload.phases[states.len()];
    let is_unknown = phase.same_as.is_none() && !phase.empty && !phase.hopeless;
    // The point of a fault may be in that time.
    let lacks_fault = || schedule.decisions.len() == 1 && world.link.lacks_fault();
    settle(world, || {
        is_unknown && (reference.is_none() || lacks_fault())
            || !judge.broken(&world.state(), false).is_empty()
    })
    .await;
    let current = world.state();
    if !world.has_ended() {
        world.judge.fails(judge.broken(&current, true));
        let is_change =
            |phase: &Phase| !phase.steps.is_empty() && phase.steps.iter().all(Step::is_change);
        for (path, old, new) in world.take_replaced() {
            if is_change(phase) && could_update(&world.server, &path, &old, &new).await {
                world.judge.notice(Moment::Replaced(&new));
            }
        }
        if world.may_probe() {
            match schedule.experiment_in(states.len()) {
                Some(tried) => experiment(&judge, tried).await,
                None => judge.start_once_more().await,
            }
        }
    }
    current
}

/// A phase that is judged, after the phases before have led to `states`.
pub(super) struct Judged<'a> {
    pub(super) world: &'a Arc<World>,
    pub(super) workload: &'a Workload,
    schedule: &'a Schedule,
    reference: Option<&'a Reference>,
    states: &'a [Option<Arc<State>>],
}

impl Judged<'_> {
    /// Returns what does not hold.
    pub(super) fn broken(&self, current: &State, is_final: bool) -> Vec<Failure> {
        let Self {
            world,
            workload,
            schedule,
            reference,
            states,
        } = *self;
        let expected = reference.and_then(|it| it.states.get(states.len()));
        let judged = expected.map(|expected| touched(current, expected, || world.before()));
        world.broken(&AtRest {
            workload,
            schedule,
            reference,
            states,
            current,
            judged: judged.as_deref().unwrap_or(current),
            before: &|| world.before(),
            strangers: world.strangers(),
            marks: world.marks(),
            has_failed_requests: world.link.has_failed_requests(),
            is_in_reach: &|object| world.history.is_in_reach(object),
            is_final,
        })
    }

    /// Starts the operator once more after a failure, with a fresh cache and without faults, and notes whether that puts the state right.
    async fn start_once_more(&self) {
        let world = self.world;
        let oracle = world.judge.found();
        let before = world.history.changes();
        world.probe(true);
        crash_and_rest(world).await;
        let broken = self.broken(&world.state(), false);
        let is_wrong = broken.iter().any(|it| Some(it.oracle) == oracle);
        let writes = world.history.changes() > before;
        world.probe(false);
        world.judge.note_probe(match (is_wrong, writes) {
            (false, _) => AfterRestart::Right,
            (true, false) => AfterRestart::AsBefore,
            (true, true) => AfterRestart::Writes,
        });
    }
}

/// Whether the server would have accepted an update of the first object to the second one, which has replaced it. Jobs and Pods run once: a new one
/// is another thing.
async fn could_update(server: &ApiServer, path: &str, old: &Value, new: &Value) -> bool {
    if matches!(text(old, "/kind"), "Job" | "Pod") {
        return false;
    }
    let server = server.fork();
    let mut old = old.clone();
    if let Some(metadata) = old.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("deletionTimestamp");
    }
    if server.seed(&old).is_err() {
        return false;
    }
    let mut update = new.clone();
    if let Some(metadata) = update.get_mut("metadata").and_then(Value::as_object_mut) {
        for name in [
            "uid",
            "resourceVersion",
            "creationTimestamp",
            "managedFields",
        ] {
            metadata.remove(name);
        }
    }
    let json = "application/json";
    let answer = send(server.service(), Method::PUT, path, json, &update).await;
    answer.is_ok_and(|(status, _)| status == 200)
}

/// Tries an experiment after a failure, and notes whether it puts the state right.
async fn experiment(judge: &Judged<'_>, experiment: Experiment) {
    let (world, workload) = (judge.world, judge.workload);
    let oracle = world.judge.found();
    world.probe(true);
    let before = Before::of(world);
    if carry_out(experiment, world, workload).await {
        world.touch();
        if experiment.starts_anew() {
            crash_and_rest(world).await;
        } else {
            rest(world).await;
        }
        let shown = before.shows(world);
        let broken = judge.broken(&world.state(), false);
        let is_wrong = broken.iter().any(|it| Some(it.oracle) == oracle);
        world.judge.note_experiment(Shown {
            is_right: !is_wrong,
            ..shown
        });
    }
    world.probe(false);
}
