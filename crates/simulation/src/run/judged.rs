//! Waits for the end of a phase, and judges what the operator has made of it.

use std::sync::Arc;

use super::{
    rest::{crash_and_rest, rest, settle},
    world::World,
};
use crate::{
    judge::{
        Allocated, Reference, as_many, at_rest, done_again, emptied, gap, history, touched, untrue,
    },
    oracle::{AfterRestart, Failure, Oracle, Variety},
    scenario::Scenario,
    schedule::Schedule,
    settings::{Phase, Step, Workload},
    state::{Mask, State},
};

/// Waits until the operator is at rest after a phase, and judges the state.
pub(super) async fn at_rest_after(
    world: &Arc<World>,
    workload: &Workload,
    schedule: &Schedule,
    reference: Option<&Reference>,
    states: &[Option<Arc<State>>],
) -> State {
    let wrong = |current: &State| broken(world, workload, schedule, reference, states, current);
    rest(world).await;
    // Without faults, what is expected of a phase says whether the operator has got there.
    let phase = &workload.phases[states.len()];
    let is_unknown = phase.same_as.is_none() && !phase.empty && !phase.hopeless;
    // The point of a fault may be in that time.
    let lacks_fault = || schedule.decisions.len() == 1 && world.lacks_fault();
    settle(world, || {
        let mut broken = wrong(&world.state()).into_iter();
        is_unknown && (reference.is_none() || lacks_fault())
            || broken.any(|it| world.is_checked(&it))
    })
    .await;
    let current = world.state();
    if !world.has_ended() {
        // Without faults, the children are compared when both runs show what differs anyway.
        let known = |it: &Failure| {
            reference.is_some() || it.oracle != Oracle::History || it.variety == Variety::Number
        };
        for failure in wrong(&current).into_iter().filter(known) {
            world.fail(failure);
        }
        for (path, old, new) in world.take_replaced() {
            let is_change =
                |phase: &Phase| !phase.steps.is_empty() && phase.steps.iter().all(Step::is_change);
            if is_change(&workload.phases[states.len()])
                && let Some(failure) = gap(&world.server, &path, &old, &new).await
            {
                world.fail(failure);
            }
        }
        if world.may_probe() {
            start_once_more(world, wrong).await;
        }
    }
    current
}

/// Starts the operator once more after a failure, with a fresh cache and without faults, and notes whether that puts the state right.
async fn start_once_more(world: &Arc<World>, wrong: impl Fn(&State) -> Vec<Failure>) {
    let oracle = world.lock().failure.as_ref().map(|it| it.oracle);
    let before = world.lock().changes;
    world.probe(true);
    crash_and_rest(world).await;
    let is_wrong = wrong(&world.state())
        .iter()
        .any(|it| Some(it.oracle) == oracle);
    let writes = world.lock().changes > before;
    world.probe(false);
    world.note_probe(match (is_wrong, writes) {
        (false, _) => AfterRestart::Right,
        (true, false) => AfterRestart::AsBefore,
        (true, true) => AfterRestart::Writes,
    });
}

/// Returns what does not hold at rest, after the phases before have led to `states`.
fn broken(
    world: &World,
    workload: &Workload,
    schedule: &Schedule,
    reference: Option<&Reference>,
    states: &[Option<Arc<State>>],
    current: &State,
) -> Vec<Failure> {
    let (setup, phase) = (&world.setup, states.len());
    let is_hopeless = world.is_hopeless();
    let expected = reference.and_then(|it| it.states.get(phase));
    let judged = expected.map(|expected| touched(current, expected, || world.before()));
    let mut broken = at_rest(
        setup,
        &world.server,
        judged.as_deref().unwrap_or(current),
        schedule,
        reference,
        phase,
        is_hopeless,
    );
    let calm: Vec<_>;
    let (known, mask, allocated) = if let Some(reference) = reference {
        let Reference {
            states,
            mask,
            allocated,
            ..
        } = reference;
        (states.as_slice(), mask, allocated)
    } else {
        calm = states.iter().flatten().cloned().collect();
        (calm.as_slice(), &Mask::new(), &Allocated::new())
    };
    let history = history(allocated, workload, states, current, phase, known, mask);
    broken.extend(history);
    if !world.has_failed_requests() {
        broken.extend(as_many(workload, states, current, phase));
    }
    let phase_absent = &workload.phases[phase].absent;
    let again = phase_absent.iter().filter(|key| done_again(current, key));
    broken.extend(again.map(|key| {
        let message = format!("{key} has ended and was removed by its time to live, and was created again, although the status of its owner says that it is done");
        Failure::new(Oracle::Counts, message)
    }));
    broken.extend(world.harmed());
    broken.extend(world.unmarked());
    // What cannot be done is not said in a status, but Pods that do not get ready are.
    let is_about_pods = matches!(
        workload.scenario,
        Some(Scenario::FailingWorkloads | Scenario::LostNode)
    );
    if !is_hopeless || is_about_pods {
        broken.extend(untrue(setup, &world.server, |it| world.is_in_reach(it)));
    }
    if workload.phases[phase].empty {
        broken.extend(emptied(&world.before(), current));
    }
    broken
}
