//! Leader election on a Lease: one of several replicas leads, and only the leader writes.
//!
//! [`LeaderElector::run`] acquires the lease, runs the leader's work, and renews the lease until the work has ended. A
//! [`manager`](crate::manager) does this for the controllers of an operator.
//!
//! ```
//! use std::time::Duration;
//! use kube_codegen_runtime::leader_election::{LeaderElectionConfig, LeaderElector};
//! use kube_codegen_testing::ApiServer;
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = ApiServer::new();
//! let config = LeaderElectionConfig::new("my-operator").namespace("default");
//! let elector = LeaderElector::new(&server.client(), config)?;
//! let work = elector.run(async |term| {
//!     // Run the controllers here, with `term.fence(&client)` as their client.
//!     tokio::time::sleep(Duration::from_secs(60)).await;
//!     term.is_active()
//! });
//! assert!(work.await?);
//! # Ok(()) }
//! ```
//!
//! The algorithm and the defaults are those of client-go's `leaderelection`. A candidate takes a lease when its record has not changed for
//! the duration that the holder wrote, measured on the candidate's own monotonic clock; every write is guarded by the resource version.
//! Clocks may differ by any amount, and their rates by the ratio of lease duration to renew deadline.
//!
//! The work is better protected than in client-go:
//!
//! - A leader has a deadline, counted from the moment it *sent* its last successful renewal. A process that was paused stops its work at
//!   the next step, without having to fail a renewal first.
//! - [`Term::fence`] returns a client that rejects writes after the deadline, at which [`LeaderElector::run`] also drops the work.
//! - A leader that sees another holder stops its work at once. In client-go, it retries until the renew deadline.
//!
//! Limits: the API server knows nothing about terms. If the process is paused while a write is under way, or the network delays the write
//! for longer than the lease duration minus the renew deadline, the write can arrive in the next leader's term. Writes guarded by a
//! resource version are safe. If a user deletes the Lease, there can be two leaders until the first one's next renewal. On Linux, the
//! monotonic clock stops while the machine is suspended.
//!
//! Requires `get`, `create` and `update` on `leases` of the group `coordination.k8s.io`.
mod candidate;
mod config;
mod lease;
mod lock;
mod status;
mod term;

use std::{fmt, sync::Arc};

use futures::future::{Either, select};
use kube::Client;
use thiserror::Error;
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use tracing::{info, warn};

use self::candidate::Candidate;
pub(crate) use self::{
    config::{Complete, JITTER_FACTOR},
    lease::Lease,
    lock::{AttemptError, Holder, Lock, within},
    term::{TermControl, fence},
};
use crate::{
    client::describe,
    event::{Event, EventRecorder, EventType},
};

pub use crate::client::NotLeading;

pub use self::{
    config::{ConfigError, LeaderElectionConfig},
    status::LeaderStatus,
    term::Term,
};

/// Takes part in one election and leads for one term. See the [module](self) for an example.
#[must_use]
pub struct LeaderElector {
    client: Client,
    lock: Lock,
    control: TermControl,
    recorder: Option<EventRecorder>,
}

/// This process lost its lease, and its work was dropped. Exit the process, or create a new elector.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("lost the lease {lease}: {reason}")]
pub struct LeadershipLost {
    /// Namespace and name of the Lease.
    pub lease: String,
    /// The reason for the loss.
    pub reason: String,
}

impl LeaderElector {
    /// Creates a candidate. `client` must not be a fenced client.
    pub fn new(client: &Client, config: LeaderElectionConfig) -> Result<Self, ConfigError> {
        let settings = config.complete()?;
        Ok(Self {
            control: TermControl::new(&format!("{}/{}", settings.namespace, settings.lease)),
            client: client.clone(),
            lock: Lock::new(client, settings),
            recorder: None,
        })
    }

    /// Reports an event about the Lease when this process starts leading and when it stops.
    pub fn recorder(mut self, recorder: &EventRecorder) -> Self {
        self.recorder = Some(recorder.clone());
        self
    }

    /// Calls `callback` with the identity of each new leader, including this process. It must return quickly.
    pub fn on_new_leader(mut self, callback: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.lock.on_new_leader = Some(Arc::new(callback));
        self
    }

    /// Returns the token of the term in which this elector will lead.
    pub fn term(&self) -> Term {
        self.control.term()
    }

    /// Returns a handle to the observed leader and the counters.
    pub fn status(&self) -> LeaderStatus {
        self.lock.status.clone()
    }

    /// Waits until this process leads, runs `work`, and releases the lease when the work has ended.
    ///
    /// At the deadline of the term, or as soon as another process holds the lease, `work` is dropped at its current `await` and the result
    /// is an error. `work` runs in the same task as the renewals, so it must not block the thread. Tasks that it spawns must end with it.
    ///
    /// Dropping the returned future stops the work but does not release the lease.
    pub async fn run<W: Future>(
        mut self,
        work: impl FnOnce(Term) -> W,
    ) -> Result<W::Output, LeadershipLost> {
        let output = self.run_unreleased(work).await?;
        self.release().await;
        Ok(output)
    }

    /// Like [`run`](Self::run), but keeps the lease.
    pub(crate) async fn run_unreleased<W: Future>(
        &mut self,
        work: impl FnOnce(Term) -> W,
    ) -> Result<W::Output, LeadershipLost> {
        let version = self.lock.settings.config.coordinated.clone();
        let candidate = match version {
            Some(version) => Candidate::register(&self.client, &self.lock.settings, version).await,
            None => None,
        };
        let is_coordinated = candidate.is_some();
        let answers_pings = async {
            match candidate {
                Some(candidate) => candidate.keep().await,
                None => std::future::pending().await,
            }
        };
        let leads = async {
            let until = self.acquire(is_coordinated).await;
            self.lead(is_coordinated, until, work).await
        };
        tokio::pin!(answers_pings, leads);
        match select(leads, answers_pings).await {
            Either::Left((result, _)) => result,
            Either::Right((never, _)) => match never {},
        }
    }

    /// Attempts until the lease is acquired. Returns the deadline of the term.
    async fn acquire(&mut self, is_coordinated: bool) -> Instant {
        info!(
            lease = self.lock.name(),
            identity = self.lock.settings.identity,
            "waiting for the lease"
        );
        loop {
            match attempt(&mut self.lock, is_coordinated).await {
                Ok(Holder::This { sent, number }) => {
                    let until = deadline(&self.lock.settings, sent);
                    if Instant::now() < until {
                        self.control.lead(until, number);
                        return until;
                    }
                }
                Ok(Holder::Other | Holder::Unwanted) => {}
                Err(error) => warn!(
                    lease = self.lock.name(),
                    "cannot acquire the lease: {}",
                    describe(&error)
                ),
            }
            let random = self.lock.settings.random.f64();
            let period = self.lock.settings.config.retry_period;
            sleep(period.mul_f64(1.0 + JITTER_FACTOR * random)).await;
        }
    }

    async fn lead<W: Future>(
        &mut self,
        is_coordinated: bool,
        until: Instant,
        work: impl FnOnce(Term) -> W,
    ) -> Result<W::Output, LeadershipLost> {
        self.lock.status.set_leader(true);
        self.report("became leader");
        let work = work(self.control.term());
        let result = {
            tokio::pin!(work);
            tokio::select! {
                // After a pause of the process, the deadline is checked before the work continues.
                biased;
                reason = self.renew(is_coordinated, until) => Err(reason),
                output = &mut work => Ok(output),
            }
        };
        // From here on the clients of the term write no more, and the work was dropped.
        self.control.end();
        self.lock.status.set_leader(false);
        self.report("stopped leading");
        result.map_err(|reason| LeadershipLost {
            lease: format!("{}/{}", self.lock.settings.namespace, self.lock.name()),
            reason,
        })
    }

    /// Renews the lease until the term has ended. Returns why.
    async fn renew(&mut self, is_coordinated: bool, until: Instant) -> String {
        let control = &self.control;
        let mut renewal = LockRenewal {
            lock: &mut self.lock,
            is_coordinated,
        };
        let prolong = |until| control.lead(until, None);
        // On the heap, since programs await the election as a whole.
        let reason = Box::pin(keep_renewed(&mut renewal, until, prolong)).await;
        control.end();
        reason
    }

    /// Gives up the lease, if the settings say so, once no write of this term can reach the server any more.
    pub(crate) async fn release(&mut self) {
        let LeaderElectionConfig {
            lease_duration,
            renew_deadline,
            release_on_stop,
            ..
        } = self.lock.settings.config;
        if !release_on_stop {
            return;
        }
        if let Some(sent) = self.control.last_unanswered() {
            sleep_until(sent + lease_duration.saturating_sub(renew_deadline)).await;
        }
        match timeout(renew_deadline, self.lock.release()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => warn!(
                lease = self.lock.name(),
                "cannot release the lease: {}",
                describe(&error)
            ),
            Err(_) => warn!(
                lease = self.lock.name(),
                "cannot release the lease within {renew_deadline:?}"
            ),
        }
    }

    fn report(&self, what: &str) {
        let note = format!("{} {what}", self.lock.settings.identity);
        let Some(recorder) = &self.recorder else {
            info!(lease = self.lock.name(), "{note}");
            return;
        };
        recorder.publish_for(
            &self.lock.reference(),
            Event {
                type_: EventType::Normal,
                reason: "LeaderElection".into(),
                action: "LeaderElection".into(),
                note: Some(note),
                secondary: None,
            },
        );
    }
}

async fn attempt(lock: &mut Lock, is_coordinated: bool) -> Result<Holder, AttemptError> {
    if is_coordinated {
        lock.renew_coordinated().await
    } else {
        lock.acquire_or_renew().await
    }
}

/// Returns the end of the term after a renewal that was sent at `sent`. The server cannot have received it earlier, so other candidates wait at
/// least for the lease duration from then on.
pub(crate) fn deadline(settings: &Complete, sent: Instant) -> Instant {
    sent + settings.config.renew_deadline
}

/// What is renewed until it is lost.
pub(crate) trait Renewal {
    /// The Lease, and the timing.
    fn settings(&self) -> &Complete;

    /// Renews it once. Returns the moment from which on the renewal counts, or why it is lost.
    fn renew(
        &mut self,
    ) -> impl Future<Output = Result<Result<Instant, String>, AttemptError>> + Send;
}

/// The renewal of a leader.
struct LockRenewal<'l> {
    lock: &'l mut Lock,
    is_coordinated: bool,
}

impl Renewal for LockRenewal<'_> {
    fn settings(&self) -> &Complete {
        &self.lock.settings
    }

    async fn renew(&mut self) -> Result<Result<Instant, String>, AttemptError> {
        Ok(match attempt(self.lock, self.is_coordinated).await? {
            Holder::This { sent, .. } => Ok(sent),
            Holder::Other => Err(match self.lock.status.leader() {
                Some(leader) if leader != self.lock.settings.identity => {
                    format!("{leader} holds it")
                }
                _ => "it was taken away".to_owned(),
            }),
            Holder::Unwanted => Err("the API server prefers another leader".to_owned()),
        })
    }
}

/// Renews until it is lost, or not renewed before the deadline; returns the reason. `prolong` gets each new deadline.
pub(crate) async fn keep_renewed(
    renewal: &mut impl Renewal,
    mut until: Instant,
    mut prolong: impl FnMut(Instant),
) -> String {
    let retry_period = renewal.settings().config.retry_period;
    let mut failure = None;
    loop {
        if timeout_at(until, sleep(retry_period)).await.is_err() || Instant::now() >= until {
            break;
        }
        match timeout_at(until, renewal.renew()).await {
            Ok(Ok(Ok(sent))) => {
                until = deadline(renewal.settings(), sent);
                failure = None;
                prolong(until);
            }
            Ok(Ok(Err(reason))) => return reason,
            Ok(Err(error)) => {
                let reason = describe(&error);
                let lease = &renewal.settings().lease;
                warn!(lease, "cannot renew the lease: {reason}");
                failure = Some(reason);
            }
            Err(_) => break,
        }
    }
    let renew_deadline = renewal.settings().config.renew_deadline;
    match failure {
        Some(reason) => format!("no renewal within {renew_deadline:?}: {reason}"),
        None => format!("no renewal within {renew_deadline:?}"),
    }
}

impl fmt::Debug for LeaderElector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeaderElector")
            .field("settings", &self.lock.settings)
            .field("term", &self.control.term())
            .finish_non_exhaustive()
    }
}
