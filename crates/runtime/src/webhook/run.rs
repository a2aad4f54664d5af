//! Runs the server of the webhooks, and keeps its certificates and configurations.
use std::{
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use kube::Client;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::{
    Certificates, ClientConfig, Dispatch, WebhookError, WebhookServer, Webhooks,
    certificates::{CertificateError, Keeper, Loaded},
    publish::Publisher,
};
use crate::{
    client::describe,
    metrics::Metrics,
    server::{
        Server, Tls,
        checks::{self, Check},
    },
};

/// How soon what failed is tried again.
const RETRY: Duration = Duration::from_secs(2);

/// The server of the webhooks, ready to run.
pub(crate) struct Running {
    webhooks: Webhooks,
    settings: WebhookServer,
    client: Client,
    metrics: Metrics,
    state: Arc<State>,
}

/// What the readiness depends on.
#[derive(Default)]
struct State {
    is_listening: AtomicBool,
    /// The certificate of [`Certificates::Own`].
    loaded: Mutex<Option<Loaded>>,
    /// Why the configurations were not written; `None` once they were.
    problem: Mutex<Option<String>>,
}

impl Running {
    pub(crate) fn new(
        webhooks: Webhooks,
        settings: WebhookServer,
        client: Client,
        metrics: Metrics,
    ) -> Self {
        Dispatch::measure(&webhooks, &metrics);
        let state = State::default();
        let keeps = settings.install || matches!(settings.certificates, Certificates::Own(_));
        *state.problem.lock() = keeps.then(|| "the configurations are not written yet".to_owned());
        Self {
            webhooks,
            settings,
            client,
            metrics,
            state: Arc::new(state),
        }
    }

    /// Returns a check that fails until the server listens, has a valid certificate, and the API server has its CA.
    pub(crate) fn readiness(&self) -> impl Check + use<> {
        let state = Arc::clone(&self.state);
        move || ready(state.check())
    }

    /// Returns a check of the files of the certificate, if there are any.
    pub(crate) fn file_check(&self) -> Option<impl Check + use<>> {
        match &self.settings.certificates {
            Certificates::Files { certificate, .. } => {
                Some(checks::certificate(certificate.clone()))
            }
            Certificates::Own(_) => None,
        }
    }

    /// Serves until `stop` is cancelled.
    pub(crate) async fn run(self, stop: CancellationToken) -> Result<(), WebhookError> {
        let Self {
            webhooks,
            settings,
            client,
            metrics,
            state,
        } = self;
        let name = &webhooks.name;
        let dispatch = Dispatch::new(&webhooks, &metrics)?;
        let reach = settings.client_config.unwrap_or_else(|| {
            ClientConfig::service(client.default_namespace(), format!("{name}-webhook"))
        });
        let server = Server::plain(settings.address)
            .tls_policy(settings.policy)
            .webhooks(dispatch.responder(), &metrics);
        let (server, keeper) = match settings.certificates {
            Certificates::Own(own) => {
                let keeper = Keeper::new(&client, name, reach.names(), own);
                *state.loaded.lock() = Some(keeper.loaded());
                (server.resolver(Arc::new(keeper.loaded())), Some(keeper))
            }
            Certificates::Files { certificate, key } => {
                (server.tls(Tls::Files { certificate, key }), None)
            }
        };
        let listening = server.bind().await?;
        state.is_listening.store(true, Ordering::Release);
        let configurations = webhooks.configurations(&reach);
        let publisher = Publisher::new(client, name, &configurations, settings.install);
        let serving = listening.serve(stop.cancelled_owned());
        match keeper {
            None if !settings.install => serving.await,
            keeper => tokio::select! {
                biased;
                () = serving => {}
                () = keep(keeper, publisher, &state) => {}
            },
        }
        state.is_listening.store(false, Ordering::Release);
        Ok(())
    }
}

/// Keeps the certificates and what the API server knows of them.
async fn keep(keeper: Option<Keeper>, mut publisher: Publisher, state: &State) {
    let (mut last, mut reported) = (None, None);
    loop {
        let pause = match step(keeper.as_ref(), &mut publisher, last.as_deref()).await {
            Ok(bundle) => {
                if state.problem.lock().take().is_some() {
                    info!("the API server has the certificates of the webhooks");
                }
                (last, reported) = (bundle, None);
                match &keeper {
                    Some(keeper) => keeper.pause(),
                    // The configurations are installed.
                    None => return std::future::pending().await,
                }
            }
            Err(error) => {
                let problem = describe(&error);
                if reported.as_ref() != Some(&problem) {
                    warn!("the certificates of the webhooks are not up to date: {problem}");
                }
                // Later failures do not make the replica unready: the API server has a CA.
                let mut first = state.problem.lock();
                if first.is_some() {
                    *first = Some(problem.clone());
                }
                reported = Some(problem);
                keeper
                    .as_ref()
                    .map_or(RETRY, |keeper| keeper.pause().min(RETRY))
            }
        };
        tokio::time::sleep(pause).await;
    }
}

async fn step(
    keeper: Option<&Keeper>,
    publisher: &mut Publisher,
    last: Option<&str>,
) -> Result<Option<String>, CertificateError> {
    let bundle = match keeper {
        Some(keeper) => Some(keeper.step(last).await?),
        None => None,
    };
    publisher.publish(bundle.as_deref()).await?;
    Ok(bundle)
}

impl State {
    fn check(&self) -> Result<(), String> {
        if !self.is_listening.load(Ordering::Acquire) {
            return Err("the server does not listen".to_owned());
        }
        if let Some(loaded) = &*self.loaded.lock() {
            loaded.check()?;
        }
        match &*self.problem.lock() {
            Some(problem) => Err(problem.clone()),
            None => Ok(()),
        }
    }
}
