//! Ends a run in which the operator never waits: virtual time does not pass then, and the run would not end.

use std::{
    io::{self, Write as _},
    sync::{
        Arc,
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread,
    time::Duration,
};

use tokio::runtime::Handle;

use super::world::World;
use crate::oracle::{Failure, Oracle};

/// The time between two looks, of the system's clock.
const LOOK: Duration = Duration::from_millis(500);
/// The number of looks without progress after which the run fails. They are counted, since a process may be suspended.
const LOOKS: u32 = 10;

/// Returns how often this thread had nothing to do, and went on at a later time.
pub(crate) fn wakes(runtime: &Handle) -> u64 {
    runtime.metrics().worker_park_count(0)
}

/// Watches the run on the current runtime from another thread, until what is returned is dropped; not where no thread can be started.
pub(crate) fn watch(world: &Arc<World>) -> Sender<()> {
    let (run, end) = channel();
    let (world, runtime) = (world.clone(), Handle::current());
    let look = move || {
        // Of the clock that is paused.
        let _entered = runtime.enter();
        let (mut last, mut looks) = (wakes(&runtime), 0);
        while end.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            let now = wakes(&runtime);
            looks = if now == last { looks + 1 } else { 0 };
            last = now;
            if looks == LOOKS {
                fail(&world);
            } else if looks == 2 * LOOKS {
                complain(&world);
            }
        }
    };
    let thread = thread::Builder::new().name("simulation-watchdog".to_owned());
    drop(thread.spawn(look));
    run
}

fn fail(world: &World) {
    let seconds = (LOOK * LOOKS).as_secs();
    let message = format!(
        "the operator never waits: it was busy for {seconds} seconds, in which no virtual time passed"
    );
    world.fail(Failure::new(Oracle::Rest, message));
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
        "simulation of {name}: the operator computes or blocks without end, somewhere without an await"
    );
}
