//! The processes of the operator: each replica starts, crashes, stops for a while, and may see the past.

use std::{sync::Arc, time::Duration};

use kube_codegen_testing::{ApiServer, ApiService, On};
use tokio::time::Instant;

use super::{World, view::View};
use crate::{request::Seen, timeline};

/// How long a view of the past is shown.
const STALE: Duration = Duration::from_secs(20);

#[derive(Debug, Default)]
pub(super) struct Replica {
    pub(super) incarnation: u64,
    pub(super) paused_until: Option<Instant>,
    pub(super) stale: Option<ApiServer>,
    /// By how many milliseconds its clock is ahead.
    pub(super) skew: i64,
    pub(super) view: View,
}

impl World {
    /// Names a replica in the log.
    pub(crate) fn name(&self, replica: usize) -> timeline::Replica {
        if self.setup.replicas == 1 {
            timeline::Replica::Only
        } else {
            timeline::Replica::Number(replica)
        }
    }

    /// Starts a process of the replica and returns its number.
    pub(crate) fn start_process(&self, replica: usize) -> u64 {
        self.touch();
        if let Some(steering) = &self.steering {
            steering.restarts(replica);
        }
        let mut inner = self.lock();
        let started = &mut inner.replicas[replica];
        started.incarnation += 1;
        started.view = View::default();
        started.incarnation
    }

    pub(crate) fn is_running(&self, replica: usize, incarnation: u64) -> bool {
        self.lock().replicas[replica].incarnation == incarnation
    }

    /// Ends the process of the replica: nothing that it still does reaches the server.
    pub(crate) fn crash(&self, replica: usize) {
        self.lock().replicas[replica].incarnation += 1;
        self.busy(Duration::from_secs(1));
        // The run may have ended.
        let _ = self.crashes[replica].send(());
    }

    pub(crate) async fn until_resumed(&self, replica: usize) {
        loop {
            let until = self.lock().replicas[replica].paused_until;
            match until.filter(|until| *until > Instant::now()) {
                Some(until) => tokio::time::sleep_until(until).await,
                None => return,
            }
        }
    }

    pub(crate) fn pause(&self, replica: usize, time: Duration) {
        self.busy(time);
        self.lock().replicas[replica].paused_until = Some(Instant::now() + time);
    }

    pub(crate) fn skew(&self, replica: usize) -> i64 {
        self.lock().replicas[replica].skew
    }

    /// Moves the clock of the replica, also of processes that start later.
    pub(crate) fn set_skew(&self, replica: usize, ms: i64) {
        self.lock().replicas[replica].skew = ms;
    }

    /// Shows lists and watches of the replica the state of `server`, for some time.
    pub(crate) fn show_past(self: &Arc<Self>, replica: usize, server: ApiServer) {
        self.busy(STALE);
        self.lock().replicas[replica].stale = Some(server.clone());
        let world = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(STALE).await;
            world.lock().replicas[replica].stale = None;
            server.cut_watches(&On::any());
            world.touch();
        });
    }

    /// Returns the server that answers a request.
    pub(crate) fn service(&self, replica: usize, seen: &Seen) -> ApiService {
        let inner = self.lock();
        match &inner.replicas[replica].stale {
            Some(stale) if seen.may_be_stale(stale.revision()) => stale.service(),
            _ => self.server.service(),
        }
    }
}
