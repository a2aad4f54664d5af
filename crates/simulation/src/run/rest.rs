//! Waits until the operator is at rest, and finds operators that never are.

use std::{sync::Arc, time::Duration};

use tokio::{
    runtime::Handle,
    time::{Instant, timeout_at},
};

use super::{stall::wakes, world::World};
use crate::{
    oracle::{AfterRestart, Failure, Oracle, Variety},
    state::{Difference, Mask, differences},
    timeline::{Happening, Note},
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
    let before = world.lock().changes;
    let runtime = Handle::current();
    let mut idle = (world.active(), wakes(&runtime));
    loop {
        if world.has_ended() {
            return;
        }
        let idle_since = world.active();
        // While something is delayed, an operator may do again and again what an old view asks for.
        if idle.0 != idle_since || Instant::now() < idle_since {
            idle = (idle_since, wakes(&runtime));
        }
        let seconds = quiet.as_secs().max(1);
        if wakes(&runtime) - idle.1 > WAKES_AT_REST * seconds {
            let message = format!(
                "the operator woke more than {} times in {seconds} seconds, without any change",
                WAKES_AT_REST * seconds
            );
            return world.fail(Failure::new(Oracle::Rest, message).of(Variety::Repeated));
        }
        let rested = idle_since + quiet;
        if Instant::now() >= rested {
            break;
        }
        if begin.elapsed() > setup.patience {
            let minutes = setup.patience.as_secs() / 60;
            let message = format!("the operator still changes objects after {minutes} minutes");
            return world.fail(world.endless(&message));
        }
        if world.lock().changes > before + CHANGES {
            let message = format!("the operator has changed objects {CHANGES} times, and goes on");
            return world.fail(world.endless(&message));
        }
        let pause = (quiet / 10).min(setup.patience).max(SHORTEST);
        let next = rested.min(Instant::now() + pause);
        // An early end is seen at once.
        let _ = timeout_at(next, world.ended.notified()).await;
    }
    for (key, count) in world.take_requests() {
        if count > REQUESTS_AT_REST && !world.is_hopeless() {
            let message = format!(
                "{count} requests for {key} in the last {} seconds without any change",
                (quiet / 2).as_secs()
            );
            world.fail(Failure::new(Oracle::Requests, message));
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
        && (world.has_failed_requests() || world.has_hidden_events())
        && !world.has_ended()
        && is_wrong()
    {
        let failed = world.has_failed_requests();
        world.log(|| Happening::Simulation(Note::Waits { failed }));
        let idle = world.active();
        while world.active() == idle {
            if begin.elapsed() > patience || world.has_ended() {
                let seconds = begin.elapsed().as_secs();
                world.log(|| Happening::Simulation(Note::Waited(seconds)));
                return;
            }
            let next = Instant::now() + world.setup.quiet / 10;
            let _ = timeout_at(next, world.ended.notified()).await;
        }
        rest(world).await;
    }
}

/// Restarts all replicas, and checks that nothing changes.
pub(super) async fn restart(world: &Arc<World>) {
    let before = world.state();
    let writes = world.lock().changes;
    world.log(|| Happening::Simulation(Note::Restarts));
    // An operator at rest may act on a fault.
    world.hold_faults(true);
    crash_and_rest(world).await;
    world.hold_faults(false);
    if world.has_ended() || world.lock().changes == writes {
        return;
    }
    let after = world.state();
    let last = world
        .lock()
        .passed
        .iter()
        .rev()
        .find(|passed| passed.effect && !passed.report)
        .map(|passed| passed.point.what().to_string());
    let message = format!(
        "the operator was at rest, and wrote again after a restart: {}",
        last.unwrap_or_default()
    );
    let found = differences(&before, &after, &Mask::new());
    let message = match found.iter().find(|it| !it.path.is_empty()) {
        Some(Difference {
            object,
            path,
            expected,
            found,
        }) => {
            let value = |value: &Option<String>| value.clone().unwrap_or("(absent)".to_owned());
            format!(
                "{message}, {path} of {object} from {} to {}",
                value(expected),
                value(found)
            )
        }
        None => message,
    };
    let failure = Failure::new(Oracle::Idempotence, message).of(Variety::Restart);
    world.fail(failure.with(found));
    if world.may_probe() {
        let writes = world.lock().changes;
        world.probe(true);
        crash_and_rest(world).await;
        let is_same = world.lock().changes == writes;
        world.probe(false);
        world.note_probe(if is_same {
            AfterRestart::Right
        } else {
            AfterRestart::Writes
        });
    }
}

/// Ends all replicas, and waits until those that follow are at rest.
pub(super) async fn crash_and_rest(world: &Arc<World>) {
    for replica in 0..world.setup.replicas {
        world.crash(replica);
    }
    rest(world).await;
}
