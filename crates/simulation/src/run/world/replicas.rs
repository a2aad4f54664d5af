//! The processes of the operator: each replica starts, crashes, stops for a while, and may see the past.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use kube_codegen_testing::{ApiServer, ApiService, On};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, sleep_until},
};

use super::{World, view::View};
use crate::{request::Seen, timeline};

/// How long a view of the past is shown.
const STALE: Duration = Duration::from_secs(20);

#[derive(Debug, Default)]
pub(super) struct Replica {
    incarnation: u64,
    paused_until: Option<Instant>,
    stale: Option<ApiServer>,
    /// By how many milliseconds its clock is ahead.
    skew: i64,
    pub(super) view: View,
}

pub(crate) struct Replicas {
    /// Notifies the supervisor of each replica that its process has crashed.
    crashes: Vec<mpsc::UnboundedSender<()>>,
    inner: Mutex<Vec<Replica>>,
}

impl Replicas {
    pub(super) fn new(crashes: Vec<mpsc::UnboundedSender<()>>) -> Self {
        let replicas = crashes.iter().map(|_| Replica::default()).collect();
        Self {
            crashes,
            inner: Mutex::new(replicas),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Vec<Replica>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_running(&self, replica: usize, incarnation: u64) -> bool {
        self.lock()[replica].incarnation == incarnation
    }

    /// Whether one of them sees the past.
    pub(super) fn are_stale(&self) -> bool {
        self.lock().iter().any(|it| it.stale.is_some())
    }

    pub(crate) async fn until_resumed(&self, replica: usize) {
        loop {
            let until = self.lock()[replica].paused_until;
            match until.filter(|until| *until > Instant::now()) {
                Some(until) => sleep_until(until).await,
                None => return,
            }
        }
    }

    pub(crate) fn skew(&self, replica: usize) -> i64 {
        self.lock()[replica].skew
    }

    /// Moves the clock of the replica, also of processes that start later.
    pub(crate) fn set_skew(&self, replica: usize, ms: i64) {
        self.lock()[replica].skew = ms;
    }
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
        let started = &mut self.replicas.lock()[replica];
        started.incarnation += 1;
        started.view = View::default();
        started.incarnation
    }

    /// Ends the process of the replica: nothing that it still does reaches the server.
    pub(crate) fn crash(&self, replica: usize) {
        self.replicas.lock()[replica].incarnation += 1;
        self.busy(Duration::from_secs(1));
        // The run may have ended.
        let _ = self.replicas.crashes[replica].send(());
    }

    pub(crate) fn pause(&self, replica: usize, time: Duration) {
        self.busy(time);
        self.replicas.lock()[replica].paused_until = Some(Instant::now() + time);
    }

    /// Shows lists and watches of the replica the state of `server`, for some time.
    pub(crate) fn show_past(self: &Arc<Self>, replica: usize, server: ApiServer) {
        self.busy(STALE);
        self.replicas.lock()[replica].stale = Some(server.clone());
        let world = self.clone();
        tokio::spawn(async move {
            sleep(STALE).await;
            world.replicas.lock()[replica].stale = None;
            server.cut_watches(&On::any());
            world.touch();
        });
    }

    /// Returns the server that answers a request.
    pub(crate) fn service(&self, replica: usize, seen: &Seen) -> ApiService {
        match &self.replicas.lock()[replica].stale {
            Some(stale) if seen.may_be_stale(stale.revision()) => stale.service(),
            _ => self.server.service(),
        }
    }
}
