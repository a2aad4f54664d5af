//! The background tasks of one informer. Tasks spawned before the start wait for it.
use std::{future::poll_fn, task::Poll, time::Duration};

use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    time::Instant,
};
use tokio_util::task::TaskTracker;

/// Tasks that all run on the runtime on which [`start`](Tasks::start) was called.
#[derive(Default)]
pub(super) struct Tasks {
    tracker: TaskTracker,
    stage: Mutex<Stage>,
}

enum Stage {
    Waiting(Vec<BoxFuture<'static, ()>>),
    Running(Handle, Instant),
}

impl Default for Stage {
    fn default() -> Self {
        Self::Waiting(Vec::new())
    }
}

impl Tasks {
    /// Runs `task` in the background, from the start on.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        match &mut *self.stage.lock() {
            Stage::Waiting(tasks) => tasks.push(Box::pin(task)),
            Stage::Running(runtime, _) => drop(self.tracker.spawn_on(task, runtime)),
        }
    }

    /// Starts the waiting tasks. Returns `false` if called before.
    pub(super) fn start(&self) -> bool {
        let mut stage = self.stage.lock();
        let Stage::Waiting(tasks) = &mut *stage else {
            return false;
        };
        let runtime = Handle::current();
        for task in tasks.drain(..) {
            self.tracker.spawn_on(task, &runtime);
        }
        *stage = Stage::Running(runtime, Instant::now());
        true
    }

    /// Calls `change` unless the tasks were started, and returns whether it did. They do not start meanwhile.
    pub(super) fn before_start(&self, change: impl FnOnce()) -> bool {
        let stage = self.stage.lock();
        let waits = matches!(&*stage, Stage::Waiting(_));
        if waits {
            change();
        }
        waits
    }

    /// Returns the time since the start.
    pub(super) fn age(&self) -> Option<Duration> {
        match &*self.stage.lock() {
            Stage::Waiting(_) => None,
            Stage::Running(_, since) => Some(since.elapsed()),
        }
    }

    /// Waits until all tasks have ended. Tasks that were never started are dropped.
    pub(super) async fn join(&self) {
        if let Stage::Waiting(tasks) = &mut *self.stage.lock() {
            tasks.clear();
        }
        self.tracker.close();
        self.tracker.wait().await;
    }
}

/// Lets other tasks run, after a slice of work.
///
/// `tokio::task::yield_now` (and an exhausted budget) wakes its task only when the worker thread runs out of other tasks. A handler that blocks this
/// thread would so delay the informer, and with it all other handlers. A task that wakes itself can move to another thread, if there is one.
pub(super) async fn give_way() {
    if Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread {
        return tokio::task::yield_now().await;
    }
    let mut given = false;
    poll_fn(|cx| {
        if given {
            return Poll::Ready(());
        }
        given = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
