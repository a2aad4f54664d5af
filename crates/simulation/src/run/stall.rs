//! Ends a run in which the operator never waits: virtual time does not pass then, and the run would not end.

use std::{
    io::{self, Write as _},
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak},
    thread,
    time::Duration,
};

use tokio::runtime::Handle;

use super::world::World;
use crate::oracles::Moment;

/// The time between two looks, of the system's clock.
const LOOK: Duration = Duration::from_millis(500);
/// The number of looks without progress after which the run fails. They are counted, since a process may be suspended.
const LOOKS: u32 = 10;

/// What one thread looks at: to start one for each run took a tenth of its time.
static RUNS: LazyLock<Mutex<Vec<Run>>> = LazyLock::new(|| {
    let thread = thread::Builder::new().name("simulation-watchdog".to_owned());
    // Where no thread can be started, an operator that never waits is not found.
    drop(thread.spawn(look));
    Mutex::default()
});

fn runs() -> MutexGuard<'static, Vec<Run>> {
    RUNS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A run that is watched.
#[derive(Clone)]
struct Run {
    world: Weak<World>,
    runtime: Handle,
    last: u64,
    looks: u32,
}

/// Returns how often this thread had nothing to do, and went on at a later time.
pub(crate) fn wakes(runtime: &Handle) -> u64 {
    runtime.metrics().worker_park_count(0)
}

/// A run that is watched until this is dropped.
pub(crate) struct Watched(Weak<World>);

impl Drop for Watched {
    fn drop(&mut self) {
        runs().retain(|run| !run.world.ptr_eq(&self.0));
    }
}

/// Watches the run on the current runtime from another thread.
pub(crate) fn watch(world: &Arc<World>) -> Watched {
    let world = Arc::downgrade(world);
    let runtime = Handle::current();
    runs().push(Run {
        world: world.clone(),
        last: wakes(&runtime),
        runtime,
        looks: 0,
    });
    Watched(world)
}

impl Run {
    /// Returns this run if it has made no progress for too long.
    fn look(&mut self) -> Option<Self> {
        let now = wakes(&self.runtime);
        self.looks = if now == self.last { self.looks + 1 } else { 0 };
        self.last = now;
        let is_due = self.looks == LOOKS || self.looks == 2 * LOOKS;
        is_due.then(|| self.clone())
    }
}

fn look() {
    loop {
        thread::sleep(LOOK);
        let stalled: Vec<Run> = runs().iter_mut().filter_map(Run::look).collect();
        for run in stalled {
            let Some(world) = run.world.upgrade() else {
                continue;
            };
            // Of the clock that is paused.
            let _entered = run.runtime.enter();
            if run.looks == LOOKS {
                fail(&world);
            } else {
                complain(&world);
            }
        }
    }
}

fn fail(world: &World) {
    let seconds = (LOOK * LOOKS).as_secs();
    let message = format!(
        "the operator never waits: it was busy for {seconds} seconds while no virtual time passed"
    );
    world.judge.notice(Moment::Wakes(&message));
    for replica in 0..world.setup.replicas {
        world.crash(replica);
    }
}

/// Nothing ends code that does not return to the runtime. What is printed as usual would be seen after the end of the test only.
fn complain(world: &World) {
    let name = &world.setup.name;
    // Where stderr is closed, the message is lost.
    let _ = writeln!(
        io::stderr(),
        "simulation of {name}: the operator is stuck in a loop or a blocking call that never reaches an `.await`"
    );
}
