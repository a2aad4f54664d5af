//! Waits until the operator is at rest, and finds operators that never are.

use std::{sync::Arc, time::Duration};

use tokio::{
    runtime::Handle,
    time::{Instant, timeout_at},
};

use super::{
    experiment::{Before, carry_out},
    stall::wakes,
    world::World,
};
use crate::{
    experiment::{Experiment, Shown},
    oracles::{AfterRestart, Failure, Moment, Oracle, Violation},
    plural::{counted, lasting},
    state::{Difference, Mask, State, differences},
    timeline::{Happening, Note},
    workload::Workload,
};

/// Requests for one object in the second half of the time in which nothing changes. A loop goes on there; a back-off, which begins with many
/// attempts, has become rare by then.
const REQUESTS_AT_REST: u32 = 15;

/// How often the tasks of a run may wake in a second in which nothing changes; informers and the timers of this crate do 1 to 3 times.
const WAKES_AT_REST: u64 = 20;

/// Writes of one phase after which an operator is not expected to come to rest.
const CHANGES: usize = 1_000;

/// A longer time could exceed the clock.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
/// The clock of a run does not advance by less.
const SHORTEST: Duration = Duration::from_millis(1);

/// Waits until nothing has changed for a while.
pub(super) async fn rest(world: &Arc<World>) {
    let setup = &world.setup;
    let quiet = setup.quiet.clamp(SHORTEST, LONGEST);
    let begin = Instant::now();
    let before = world.history.changes();
    let runtime = Handle::current();
    let mut idle = (world.clock.active(), wakes(&runtime));
    loop {
        if world.has_ended() {
            return;
        }
        let idle_since = world.clock.active();
        // While something is delayed, an operator may do again and again what an old view asks for.
        if idle.0 != idle_since || Instant::now() < idle_since {
            idle = (idle_since, wakes(&runtime));
        }
        let seconds = quiet.as_secs().max(1);
        if wakes(&runtime) - idle.1 > WAKES_AT_REST * seconds {
            let message = format!(
                "the operator woke more than {} times in {}, without any change",
                WAKES_AT_REST * seconds,
                counted(seconds, "second")
            );
            return world.judge.notice(Moment::Wakes(&message));
        }
        let rested = idle_since + quiet;
        if Instant::now() >= rested {
            break;
        }
        if begin.elapsed() > setup.patience {
            let message = format!(
                "the operator still changes objects after {}",
                lasting(setup.patience)
            );
            return world.judge.notice(Moment::Restless(&message));
        }
        if world.history.changes() > before + CHANGES {
            let message = format!("the operator has changed objects {CHANGES} times, and goes on");
            return world.judge.notice(Moment::Restless(&message));
        }
        let pause = (quiet / 10).min(setup.patience).max(SHORTEST);
        let next = rested.min(Instant::now() + pause);
        // An early end is seen at once.
        let _ = timeout_at(next, world.judge.ended.notified()).await;
    }
    let seconds = (quiet / 2).as_secs();
    for (object, count) in &world.link.take_requests() {
        if *count > REQUESTS_AT_REST && !world.is_hopeless() {
            world.judge.notice(Moment::Repeats {
                count: *count,
                object,
                seconds,
            });
        }
    }
}

/// Waits for what the operator does later, after a request of it has failed or an event was hidden from it: until the state is not wrong any more,
/// or nothing has happened for the time of the operator's patience. Operators try again, or look again, after seconds or minutes.
pub(super) async fn settle(world: &Arc<World>, is_wrong: impl Fn() -> bool) {
    let begin = Instant::now();
    let patience = world.setup.patience;
    // Of an enumeration, the moves while it waits would be part.
    while world.steering.is_none()
        && (world.link.has_failed_requests() || world.link.has_hidden_events())
        && !world.has_ended()
        && is_wrong()
    {
        let failed = world.link.has_failed_requests();
        world.log(|| Happening::Simulation(Note::Waits { failed }));
        let idle = world.clock.active();
        while world.clock.active() == idle {
            if begin.elapsed() > patience || world.has_ended() {
                let seconds = begin.elapsed().as_secs();
                world.log(|| Happening::Simulation(Note::Waited(seconds)));
                return;
            }
            let next = Instant::now() + world.setup.quiet / 10;
            let _ = timeout_at(next, world.judge.ended.notified()).await;
        }
        rest(world).await;
    }
}

/// Restarts all replicas, and checks that nothing changes.
///
/// Instead of that, an experiment makes the running process reconcile, and counts what it writes then as the violation that the restart is.
pub(super) async fn restart(world: &Arc<World>, workload: &Workload, tried: Option<Experiment>) {
    let before = world.state();
    let writes = world.history.changes();
    if let Some(tried) = tried {
        world.link.hold_faults(true);
        let shown = in_place_of_restart(world, workload, tried, &before).await;
        let violation = Violation::new("an experiment in place of a restart");
        return world.judge.fails(vec![Failure {
            shown,
            ..violation.by(Oracle::Idempotence)
        }]);
    }
    world.log(|| Happening::Simulation(Note::Restarts));
    // An operator at rest may act on a fault.
    world.link.hold_faults(true);
    crash_and_rest(world).await;
    world.link.hold_faults(false);
    if world.has_ended() || world.history.changes() == writes {
        return;
    }
    let after = world.state();
    world.judge.notice(Moment::Wrote {
        last: world.history.last_write().unwrap_or_default(),
        before: &before,
        after: &after,
    });
    if world.may_probe() {
        let writes = world.history.changes();
        world.probe(true);
        crash_and_rest(world).await;
        let is_same = world.history.changes() == writes;
        world.probe(false);
        let found = differences(&before, &after, &Mask::new());
        let again = differences(&after, &world.state(), &Mask::new());
        let is_first = |it: &Difference| {
            let mut first = found.iter();
            !it.path.is_empty() && first.any(|of| of.path == it.path)
        };
        world.judge.note_probe(if is_same {
            AfterRestart::Right
        } else if found.is_empty() || again.is_empty() || again.iter().any(is_first) {
            AfterRestart::Writes
        } else {
            AfterRestart::GoesOn
        });
    }
}

/// Carries out an experiment where a restart would write something, and returns what it shows.
async fn in_place_of_restart(
    world: &Arc<World>,
    workload: &Workload,
    tried: Experiment,
    before: &State,
) -> Option<Shown> {
    let done_before = Before::of(world);
    if !carry_out(tried, world, workload).await {
        return None;
    }
    world.touch();
    if tried.starts_anew() {
        crash_and_rest(world).await;
    } else {
        rest(world).await;
    }
    let mut shown = done_before.shows(world);
    shown.is_right = match tried {
        // A new process may have several things to do, one after the other.
        Experiment::AskAgain => shown.writes,
        // All that a new process does is done.
        Experiment::NewGeneration | Experiment::Anew => {
            let writes = world.history.changes();
            crash_and_rest(world).await;
            shown.writes && world.history.changes() == writes
        }
        Experiment::WithoutStatus | Experiment::WithoutChild => {
            differences(before, &world.state(), &Mask::new()).is_empty()
        }
    };
    Some(shown)
}

/// Ends all replicas, and waits until those that follow are at rest.
pub(super) async fn crash_and_rest(world: &Arc<World>) {
    for replica in 0..world.setup.replicas {
        world.crash(replica);
    }
    rest(world).await;
}
