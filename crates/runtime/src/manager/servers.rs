//! The servers of a manager, and their checks.
use std::future::ready;

use super::{Phase, Runnable, State};
use crate::{
    chain::BoxError,
    informer::{InformerFactory, NotSynced},
    leader_election::Term,
    metrics::Metrics,
    server::{
        Server,
        checks::{self, Check},
    },
};
use std::sync::Arc;

#[derive(Debug, Default)]
pub(super) struct Servers {
    pub(super) health: Option<Server>,
    pub(super) metrics: Option<Server>,
}

impl Servers {
    /// Adds what the manager knows.
    pub(super) fn complete(
        self,
        metrics: &Metrics,
        factory: &InformerFactory,
        state: &Arc<State>,
        term: Option<&Term>,
    ) -> Self {
        let health = self.health.map(|server| {
            let server = server.healthz("ping", checks::ping).readyz_with_note(
                "caches",
                caches(factory, state),
                absent(factory),
            );
            let file = self.metrics.as_ref().and_then(Server::certificate_file);
            let server = match file {
                Some(file) => server.readyz("metrics-certificate", checks::certificate(file)),
                None => server,
            };
            match term {
                Some(term) => server.healthz("leader-election", checks::leader_election(term)),
                None => server,
            }
        });
        Self {
            health,
            metrics: self
                .metrics
                .map(|server| server.metrics(metrics).informers_of(metrics)),
        }
    }

    pub(super) fn healthz(&mut self, name: String, check: impl Check) {
        let server = self.health.take();
        self.health = server.map(|server| server.healthz(name, check));
    }

    pub(super) fn readyz(&mut self, name: String, check: impl Check) {
        let server = self.health.take();
        self.health = server.map(|server| server.readyz(name, check));
    }

    pub(super) fn runnables(self) -> impl Iterator<Item = Runnable> {
        let named = [
            ("health server", self.health),
            ("metrics server", self.metrics),
        ];
        named.into_iter().filter_map(|(name, server)| {
            let server = server?;
            let run = |stop: super::CancellationToken| server.serve(stop.cancelled_owned());
            Some(Runnable::new(name, run).server())
        })
    }
}

/// Fails until the caches are filled that a waiting replica needs, and once the manager stops.
fn caches(factory: &InformerFactory, state: &Arc<State>) -> impl Check + use<> {
    let (status, state) = (factory.weak_status(), Arc::clone(state));
    move || {
        ready(match state.phase() {
            Phase::Ready => Ok::<(), BoxError>(()),
            Phase::Stopping => Err("the manager is stopping".into()),
            Phase::Starting => {
                let missing = status()
                    .into_iter()
                    .filter(|one| !one.synced && one.not_served_seconds.is_none());
                let kinds = missing.map(|one| one.kind_and_group()).collect();
                Err(NotSynced { kinds }.into())
            }
        })
    }
}

/// Returns which kinds the server does not serve: their controllers wait, and the others work.
fn absent(factory: &InformerFactory) -> impl Fn() -> Option<String> + Send + Sync + use<> {
    let status = factory.weak_status();
    move || {
        let waiting = status().into_iter().filter_map(|one| {
            let seconds = one.not_served_seconds?;
            let (kind, version) = (one.kind_and_group(), &one.version);
            Some(format!("{kind}/{version} for {seconds:.0} s"))
        });
        let waiting: Vec<_> = waiting.collect();
        (!waiting.is_empty()).then(|| format!("not served: {}", waiting.join(", ")))
    }
}
