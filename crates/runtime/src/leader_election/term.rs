//! The term of a leader: a token with a deadline, and clients that write only before it.
use std::{fmt, sync::Arc};

use http::{Method, Request, header::UPGRADE};
use kube::{Client, client::Body};
use parking_lot::Mutex;
use tokio::{
    sync::watch,
    time::{Duration, Instant, sleep_until},
};
use tower::{BoxError, service_fn};

use crate::client::NotLeading;

/// The state of a term.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Candidate,
    Leader { until: Instant, number: Option<u64> },
    Ended,
}

/// The single term in which an elector leads, as a token for reconcilers. Cheap to clone.
///
/// A term starts when the lease is acquired. It ends at its deadline, unless a renewal extends it, when another process holds the lease,
/// or when the leader's work has ended. It never starts again.
///
/// The deadline comes before the moment at which another process can take the lease. If you write only during the active term, you never
/// write in the term of another leader, except with a request that takes longer than the lease duration minus the renew deadline to
/// arrive.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::{Api, api::PostParams};
/// use kube_codegen_runtime::leader_election::{LeaderElectionConfig, LeaderElector};
/// use kube_codegen_testing::ApiServer;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = ApiServer::new();
/// let config = LeaderElectionConfig::new("my-operator").namespace("default");
/// let elector = LeaderElector::new(&server.client(), config)?;
/// let term = elector.term();
/// let maps: Api<ConfigMap> = Api::default_namespaced(term.fence(&server.client()));
/// let mut map = ConfigMap::default();
/// map.metadata.name = Some("a".into());
///
/// let rejected = maps.create(&PostParams::default(), &map).await.unwrap_err();
/// assert!(rejected.to_string().contains("does not hold the lease default/my-operator"));
/// let number = elector
///     .run(async |term| {
///         maps.create(&PostParams::default(), &map).await?;
///         Ok::<_, kube::Error>(term.number())
///     })
///     .await??;
/// assert!(number.is_some());
/// assert!(!term.is_active());
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Term {
    lease: Arc<str>,
    phase: watch::Receiver<Phase>,
    writes: Arc<Mutex<TermWrites>>,
}

/// The writes of a term, of which the server may not yet have executed some.
#[derive(Debug, Default)]
struct TermWrites {
    /// Number of writes that wait for their response.
    waiting: usize,
    /// When the last write without a response was sent.
    unanswered: Option<Instant>,
}

impl Term {
    /// Whether this process leads right now.
    pub fn is_active(&self) -> bool {
        self.deadline().is_some_and(|until| Instant::now() < until)
    }

    /// Returns an error unless this process leads right now.
    pub fn check(&self) -> Result<(), NotLeading> {
        if self.is_active() {
            return Ok(());
        }
        Err(NotLeading {
            lease: Arc::clone(&self.lease),
        })
    }

    /// Returns the moment at which the term ends if it is not renewed again, on the monotonic clock; `None` outside the term.
    pub fn deadline(&self) -> Option<Instant> {
        match *self.phase.borrow() {
            Phase::Leader { until, .. } => Some(until),
            Phase::Candidate | Phase::Ended => None,
        }
    }

    /// Returns the time left until the deadline; zero outside the term.
    pub fn remaining(&self) -> Duration {
        self.deadline().map_or(Duration::ZERO, |until| {
            until.saturating_duration_since(Instant::now())
        })
    }

    /// Returns the resource version of the Lease at the start of the term: a fencing token for systems that compare such numbers. It is
    /// higher than in all earlier terms, even if the Lease was deleted in between. (`leaseTransitions` would not be, because it starts
    /// again at 0.)
    ///
    /// Returns `None` outside the term, and if resource versions are not numbers. After a restore of etcd from a backup, a number may be
    /// lower.
    pub fn number(&self) -> Option<u64> {
        match *self.phase.borrow() {
            Phase::Leader { number, .. } => number,
            Phase::Candidate | Phase::Ended => None,
        }
    }

    /// Waits until the term starts. Fails if it has already ended, or can never start because the elector was dropped.
    pub async fn started(&self) -> Result<(), NotLeading> {
        let mut phase = self.phase.clone();
        // An error means that the elector was dropped, which has set the phase to `Ended`.
        let _ = phase.wait_for(|phase| *phase != Phase::Candidate).await;
        self.check()
    }

    /// Waits until the term has ended.
    pub async fn ended(&self) {
        let mut changes = self.phase.clone();
        loop {
            let phase = *changes.borrow_and_update();
            match phase {
                Phase::Ended => return,
                Phase::Candidate => {
                    if changes.changed().await.is_err() {
                        return;
                    }
                }
                Phase::Leader { until, .. } => {
                    if Instant::now() >= until {
                        return;
                    }
                    tokio::select! {
                        // A renewal that has arrived extends the term.
                        biased;
                        _ = changes.changed() => {}
                        () = sleep_until(until) => {}
                    }
                }
            }
        }
    }

    /// Returns a client like `client` that writes only during the active term. It works with `kube::Api` and with
    /// [`TypedClient`](crate::client::TypedClient).
    ///
    /// Outside the term, a write is not sent and fails with a [`NotLeading`] inside a `kube::Error::Service`. A write that is under way at
    /// the deadline also fails, although the server may have executed it. Reads, watches, and token and access reviews pass. Dry runs do
    /// not.
    ///
    /// # Panics
    /// If called outside a Tokio runtime, like `kube::Client::new`.
    #[must_use]
    pub fn fence(&self, client: &Client) -> Client {
        let term = self.clone();
        fence(client, move || term.clone())
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Term")
            .field("lease", &self.lease)
            .field("phase", &*self.phase.borrow())
            .finish_non_exhaustive()
    }
}

/// Returns a client like `client` that writes only in the term that `current` returns, in the task that sends the request.
pub(crate) fn fence(
    client: &Client,
    current: impl Fn() -> Term + Clone + Send + Sync + 'static,
) -> Client {
    let inner = client.clone();
    let service = service_fn(move |request: Request<Body>| {
        let (current, inner) = (current.clone(), inner.clone());
        async move {
            if !is_write(&request) {
                return inner.send(request).await.map_err(BoxError::from);
            }
            let term = current();
            term.check()?;
            let write = Write::new(&term);
            tokio::select! {
                biased;
                () = term.ended() => Err(NotLeading { lease: Arc::clone(&term.lease) }.into()),
                result = inner.send(request) => {
                    let response = result?;
                    write.answered();
                    Ok(response)
                }
            }
        }
    });
    Client::new(service, client.default_namespace()).with_valid_until(*client.valid_until())
}

/// A write on its way. Dropped without a response, it counts as unanswered.
struct Write<'t> {
    writes: &'t Mutex<TermWrites>,
    /// The moment of sending, until there is a response.
    sent: Option<Instant>,
}

impl<'t> Write<'t> {
    fn new(term: &'t Term) -> Self {
        term.writes.lock().waiting += 1;
        Self {
            writes: &term.writes,
            sent: Some(Instant::now()),
        }
    }

    fn answered(mut self) {
        self.sent = None;
    }
}

impl Drop for Write<'_> {
    fn drop(&mut self) {
        let mut writes = self.writes.lock();
        writes.waiting -= 1;
        writes.unanswered = writes.unanswered.max(self.sent);
    }
}

/// Whether a request may change objects. An upgraded connection (`exec`, `attach`, `port-forward`) may change what runs.
fn is_write(request: &Request<Body>) -> bool {
    let reads = [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
    let path = request.uri().path();
    let is_review = path.starts_with("/apis/authentication.k8s.io/")
        || path.starts_with("/apis/authorization.k8s.io/");
    !is_review && (!reads || request.headers().contains_key(UPGRADE))
}

/// The side of the elector. Dropping it ends the term.
#[derive(Debug)]
pub(crate) struct TermControl {
    lease: Arc<str>,
    phase: watch::Sender<Phase>,
    writes: Arc<Mutex<TermWrites>>,
}

impl TermControl {
    pub(crate) fn new(lease: &str) -> Self {
        Self {
            lease: lease.into(),
            phase: watch::Sender::new(Phase::Candidate),
            writes: Arc::default(),
        }
    }

    pub(crate) fn term(&self) -> Term {
        Term {
            lease: Arc::clone(&self.lease),
            phase: self.phase.subscribe(),
            writes: Arc::clone(&self.writes),
        }
    }

    /// Starts or prolongs the term. The first number counts.
    pub(crate) fn lead(&self, until: Instant, number: Option<u64>) {
        self.phase.send_modify(|phase| {
            let number = match *phase {
                Phase::Leader { number, .. } => number,
                Phase::Candidate | Phase::Ended => number,
            };
            *phase = Phase::Leader { until, number };
        });
    }

    pub(crate) fn end(&self) {
        self.phase.send_replace(Phase::Ended);
    }

    /// Returns when the last write was sent that the server may still execute. Call it after [`end`](Self::end).
    pub(crate) fn last_unanswered(&self) -> Option<Instant> {
        let writes = self.writes.lock();
        let waiting = (writes.waiting > 0).then(Instant::now);
        waiting.max(writes.unanswered)
    }
}

impl Drop for TermControl {
    fn drop(&mut self) {
        self.end();
    }
}
