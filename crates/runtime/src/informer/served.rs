//! Whether the API server serves a kind: a CRD may be installed after the operator, and deleted while it runs.
//!
//! The informer asks nothing else than its lists and watches, so it needs no permission to read CRDs. A 404 about the path, not about an object, says that
//! the kind is not served. One such response is not enough: behind a load balancer, another API server may know a new CRD a moment earlier. So a kind
//! counts as absent once the responses have said so for five seconds, which is how long Kubernetes waits for the same reason before a CRD is `Established`.
//!
//! An absent kind has no objects: the cached ones leave the cache, and nothing waits for its first list except its own controllers. The informer lists again
//! at most ten seconds later, and the first list that succeeds ends the absence.
use std::time::Duration;

use tokio::{sync::watch, time::Instant};

/// How long responses must say that a kind is not served before it counts as absent.
const CONFIRM: Duration = Duration::from_secs(5);
/// Interval of the log lines about an absent kind.
const REMIND: Duration = Duration::from_secs(600);

/// What the responses say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// Nothing yet, or that the kind is served.
    Served,
    /// That it is not, since then.
    Doubtful(Instant),
    /// The same, for long enough.
    Absent { since: Instant, logged: Instant },
}

/// Whether the kind of an informer is served.
pub(super) struct Service(watch::Sender<Answer>);

impl Service {
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(Answer::Served))
    }

    /// Since when the responses say that the kind is not served.
    pub(super) fn missing_since(&self) -> Option<Instant> {
        match *self.0.borrow() {
            Answer::Served => None,
            Answer::Doubtful(since) | Answer::Absent { since, .. } => Some(since),
        }
    }

    pub(super) fn is_absent(&self) -> bool {
        is_absent(&self.0.borrow())
    }

    /// Waits until the kind is absent.
    pub(super) async fn absent(&self) {
        self.wait(is_absent).await;
    }

    /// Waits until the kind is served, after it was absent.
    pub(super) async fn back(&self) {
        self.absent().await;
        self.served().await;
    }

    /// Waits until no response says that the kind is not served.
    pub(super) async fn served(&self) {
        self.wait(|answer| *answer == Answer::Served).await;
    }

    async fn wait(&self, holds: impl FnMut(&Answer) -> bool) {
        // The sender is held here.
        let _ = self.0.subscribe().wait_for(holds).await;
    }

    /// Takes a response that says that the kind is not served.
    pub(super) fn missing(&self) -> Step {
        let (now, mut step) = (Instant::now(), Step::Known);
        self.0.send_if_modified(|answer| {
            let (next, taken) = match *answer {
                Answer::Served => (Answer::Doubtful(now), Step::First),
                Answer::Doubtful(since) if now - since >= CONFIRM => {
                    (Answer::Absent { since, logged: now }, Step::Log(since))
                }
                Answer::Absent { since, logged } if now - logged >= REMIND => {
                    (Answer::Absent { since, logged: now }, Step::Log(since))
                }
                before => (before, Step::Known),
            };
            step = taken;
            std::mem::replace(answer, next) != next
        });
        step
    }

    /// Takes a successful response. Returns since when the kind was absent, if it was.
    pub(super) fn set_served(&self) -> Option<Instant> {
        let mut absent = None;
        self.0.send_if_modified(|answer| {
            let was = std::mem::replace(answer, Answer::Served);
            if let Answer::Absent { since, .. } = was {
                absent = Some(since);
            }
            was != Answer::Served
        });
        absent
    }
}

fn is_absent(answer: &Answer) -> bool {
    matches!(answer, Answer::Absent { .. })
}

/// What a response that says that the kind is not served means for the log.
pub(super) enum Step {
    First,
    Known,
    /// Absent since then.
    Log(Instant),
}
