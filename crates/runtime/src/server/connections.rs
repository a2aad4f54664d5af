//! The open connections of a server: how many there are, and how long each may do nothing.
//!
//! A client that connects and sends nothing holds a file descriptor and some memory, and needs no credentials for that, so the number of
//! connections has a limit. But a server that stops accepting at its limit is down for everyone, and the kubelet restarts it. A new connection
//! therefore ends the one that has been idle for the longest:
//!
//! - A connection is busy from the time when its request has arrived with its body, until the request is answered. A busy connection is never
//!   ended; if all are busy, a new one waits.
//! - While the body is on its way, the connection counts as idle since the head arrived. So the connection of the API server, which is
//!   reused after a long pause, is not the first to be ended, and a client that sends only heads still keeps nobody out.
//!
//! Apart from that, a connection ends after [`Limits::idle`] without work. This includes the time for reading the response.
use std::{collections::BTreeMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

/// What the connections of a server may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// How many there are at once.
    pub(super) connections: usize,
    /// How long a client may take for the head of a request, and for the next one after a response.
    pub(super) head: Duration,
    /// How long a connection stays open without work.
    pub(super) idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1000,
            head: Duration::from_secs(30),
            idle: Duration::from_secs(90),
        }
    }
}

/// The open connections, oldest first.
pub(super) struct Connections {
    pub(super) limits: Limits,
    open: Mutex<BTreeMap<u64, Arc<Connection>>>,
    freed: Notify,
}

struct Connection {
    /// Since when it has no work.
    idle_since: Mutex<Option<Instant>>,
    ended: CancellationToken,
}

impl Connections {
    pub(super) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            open: Mutex::default(),
            freed: Notify::new(),
        })
    }

    /// Makes room for a new connection. `id` is larger than that of all earlier ones.
    pub(super) async fn admit(self: &Arc<Self>, id: u64) -> Admitted {
        let connection = Arc::new(Connection {
            idle_since: Mutex::new(Some(Instant::now())),
            ended: CancellationToken::new(),
        });
        loop {
            let freed = self.freed.notified();
            if self.open.lock().len() < self.limits.connections || self.end_longest_idle() {
                break;
            }
            freed.await;
        }
        self.open.lock().insert(id, Arc::clone(&connection));
        Admitted {
            id,
            connection,
            all: Arc::clone(self),
        }
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.open.lock().len()
    }

    /// Ends the connection that has been without work for the longest.
    pub(super) fn end_longest_idle(&self) -> bool {
        let mut open = self.open.lock();
        let idle = open
            .iter()
            .filter_map(|(id, connection)| Some(((*connection.idle_since.lock())?, *id)));
        let longest = idle.min().and_then(|(_, id)| open.remove(&id));
        longest.is_some_and(|connection| {
            connection.ended.cancel();
            true
        })
    }
}

/// An open connection. It is closed when this is dropped.
pub(super) struct Admitted {
    id: u64,
    connection: Arc<Connection>,
    all: Arc<Connections>,
}

impl Admitted {
    /// Waits until the connection has to end.
    pub(super) async fn over(&self) {
        let idle = async {
            loop {
                let now = Instant::now();
                let since = self.connection.idle_since.lock().unwrap_or(now);
                let end = since + self.all.limits.idle;
                if end <= now {
                    break;
                }
                sleep_until(end).await;
            }
        };
        tokio::select! {
            biased;
            () = self.connection.ended.cancelled() => {}
            () = idle => {}
        }
    }

    /// The work of a request whose head has arrived.
    pub(super) fn work(&self) -> Work {
        *self.connection.idle_since.lock() = Some(Instant::now());
        Work {
            connection: Arc::clone(&self.connection),
            all: Arc::clone(&self.all),
        }
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.all.open.lock().remove(&self.id);
        self.all.freed.notify_waiters();
    }
}

/// The work of a request, from [`begin`](Self::begin) until this is dropped.
pub(crate) struct Work {
    connection: Arc<Connection>,
    all: Arc<Connections>,
}

impl Work {
    /// The request has arrived: from now on, no other connection takes the place of this one.
    pub(crate) fn begin(&self) {
        *self.connection.idle_since.lock() = None;
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        *self.connection.idle_since.lock() = Some(Instant::now());
        self.all.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt as _, poll};

    use super::*;

    fn two() -> Arc<Connections> {
        Connections::new(Limits {
            connections: 2,
            ..Limits::default()
        })
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_connection_ends_the_one_without_work_for_longest() {
        let all = two();
        let first = all.admit(1).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let second = all.admit(2).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        // The first has had work in the meantime, so the second has waited longer.
        let work = first.work();
        work.begin();
        drop(work);
        let _third = all.admit(3).await;
        second.over().now_or_never().expect("it has to end");
        assert!(first.over().now_or_never().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_whose_request_arrives_is_ended_last() {
        let all = two();
        let first = all.admit(1).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let second = all.admit(2).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let _arriving = first.work();
        let third = all.admit(3).await;
        second.over().now_or_never().expect("it has to end");
        assert!(first.over().now_or_never().is_none());
        // The request still has not arrived as a whole: the connection has no lasting place.
        drop(second);
        tokio::time::sleep(Duration::from_secs(1)).await;
        third.work().begin();
        let _fourth = all.admit(4).await;
        first.over().now_or_never().expect("it has to end");
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_connection_waits_while_all_others_work() {
        let all = two();
        let (first, second) = (all.admit(1).await, all.admit(2).await);
        let (one, other) = (first.work(), second.work());
        one.begin();
        other.begin();
        let mut third = Box::pin(all.admit(3));
        assert!(poll!(&mut third).is_pending());
        drop(other);
        let third = third.await;
        second.over().now_or_never().expect("it has to end");
        assert!(first.over().now_or_never().is_none());
        drop((second, third));
        all.admit(4).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_work_ends_and_one_with_work_does_not() {
        let all = two();
        let started = Instant::now();
        let (idle, busy) = (all.admit(1).await, all.admit(2).await);
        let work = busy.work();
        work.begin();
        idle.over().await;
        assert_eq!(started.elapsed(), all.limits.idle);
        assert!(busy.over().now_or_never().is_none());
        drop(work);
        busy.over().await;
        assert_eq!(started.elapsed(), all.limits.idle * 2);
    }
}
