//! What follows for an informer from responses that say that its kind is not served.
use std::{sync::Arc, time::Duration};

use tracing::{info, warn};

use super::{scope::Scope, served::Step, state::State};

impl State {
    /// Takes a response that says that the kind is not served: the first one is reported as a failure, and the objects of an absent kind leave the cache.
    pub(super) async fn not_served(&self, scope: &Arc<Scope>, report: impl FnOnce()) {
        match self.service.missing() {
            Step::First => report(),
            Step::Known => {}
            Step::Log(since) => warn!(
                kind = %self.kind,
                version = self.kind.version(),
                cluster = self.cluster,
                "the server has not served this kind for {:?}: is its CRD installed? Its controllers wait",
                rounded(since.elapsed())
            ),
        }
        let joins = scope.part.get().is_some_and(|part| part.joins);
        if self.service.is_absent() && !joins {
            self.forget(scope).await;
        }
    }

    /// Takes a successful response.
    pub(super) fn served(&self) {
        if let Some(since) = self.service.set_served() {
            info!(
                kind = %self.kind,
                version = self.kind.version(),
                cluster = self.cluster,
                "the server serves this kind, after {:?}",
                rounded(since.elapsed())
            );
        }
    }
}

/// Whole seconds, for people.
fn rounded(time: Duration) -> Duration {
    Duration::from_secs(time.as_secs())
}
