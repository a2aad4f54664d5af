//! The candidate of a coordinated election: keeps a `LeaseCandidate` up to date, which the API server chooses from.
use std::{convert::Infallible, time::Duration};

use futures::StreamExt;
use k8s_openapi::{
    api::coordination::v1beta1::{LeaseCandidate, LeaseCandidateSpec},
    apimachinery::pkg::apis::meta::v1::MicroTime,
    jiff::SignedDuration,
};
use kube::{Api, Client, Resource, api::PostParams};
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

use super::config::Complete;
use crate::{
    client::{ErrorExt, describe},
    clock,
    informer::{InformerConfig, InformerEvent, SharedInformer},
};

/// How the API server chooses; the only strategy of Kubernetes.
const STRATEGY: &str = "OldestEmulationVersion";
/// A candidate is renewed at least this often. The API server ignores one that is 30 minutes old.
const RENEW: Duration = Duration::from_secs(5 * 60);

/// A registered candidate.
pub(super) struct Candidate {
    client: Client,
    namespace: String,
    api: Api<LeaseCandidate>,
    name: String,
    lease: String,
    version: String,
    retry_period: Duration,
    request_timeout: Duration,
}

impl Candidate {
    /// Returns the candidate if the API server serves coordinated election. Waits while it cannot be reached.
    pub(super) async fn register(
        client: &Client,
        settings: &Complete,
        version: String,
    ) -> Option<Self> {
        let api_version = LeaseCandidate::api_version(&());
        loop {
            let resources = client.list_api_group_resources(&api_version);
            match timeout(settings.request_timeout, resources).await {
                Ok(Ok(list)) => {
                    let plural = LeaseCandidate::plural(&());
                    if list
                        .resources
                        .iter()
                        .any(|resource| resource.name == plural)
                    {
                        break;
                    }
                    return not_served(settings);
                }
                Ok(Err(error)) if error.is_not_found() => return not_served(settings),
                Ok(Err(error)) => warn!(
                    lease = settings.lease,
                    "cannot discover leasecandidates: {}",
                    describe(&error)
                ),
                Err(_) => warn!(
                    lease = settings.lease,
                    "cannot discover leasecandidates: no response"
                ),
            }
            sleep(settings.config.retry_period).await;
        }
        Some(Self {
            client: client.clone(),
            namespace: settings.namespace.clone(),
            api: Api::namespaced(client.clone(), &settings.namespace),
            name: settings.identity.clone(),
            lease: settings.lease.clone(),
            version,
            retry_period: settings.config.retry_period,
            request_timeout: settings.request_timeout,
        })
    }

    /// Creates the candidate, and renews it when the API server asks for that and once per five minutes.
    pub(super) async fn keep(self) -> Infallible {
        let informer = self.informer();
        let mut states = informer.events();
        informer.start();
        loop {
            let renewed = timeout(self.request_timeout, self.renew()).await;
            match renewed {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    warn!(
                        candidate = self.name,
                        "cannot renew the candidate: {}",
                        describe(&error)
                    );
                    sleep(self.retry_period).await;
                    continue;
                }
                Err(_) => continue,
            }
            let asked = async {
                loop {
                    match states.next().await {
                        Some(InformerEvent::Deleted(_)) => break,
                        Some(event) => {
                            if is_asked(&event.into_object()) {
                                break;
                            }
                        }
                        None => std::future::pending().await,
                    }
                }
            };
            // Without a request of the server, the time has come.
            let _ = timeout(RENEW, asked).await;
        }
    }

    /// Returns an informer of this candidate alone.
    fn informer(&self) -> SharedInformer<LeaseCandidate> {
        let config = InformerConfig {
            namespaces: self.namespace.as_str().into(),
            field_selector: Some(format!("metadata.name={}", self.name)),
            ..InformerConfig::default()
        };
        let informer = SharedInformer::new(self.client.clone(), config);
        let name = self.name.clone();
        informer.set_error_handler(move |error| {
            debug!(candidate = name, "watch failed: {}", describe(error));
        });
        informer
    }

    /// Creates the candidate, or sets the time of its renewal.
    async fn renew(&self) -> kube::Result<()> {
        let now = MicroTime(clock::now());
        let params = PostParams::default();
        if let Some(mut candidate) = self.api.get_opt(&self.name).await? {
            let mut spec = spec_of(&candidate).cloned().unwrap_or_default();
            // The clock of the API server may be ahead of this one.
            let asked = spec.ping_time.as_ref();
            let later = asked.and_then(|at| at.0.checked_add(SignedDuration::from_micros(1)).ok());
            spec.renew_time = Some(MicroTime(later.map_or(now.0, |later| later.max(now.0))));
            candidate.spec = spec.into();
            self.api.replace(&self.name, &params, &candidate).await?;
            return Ok(());
        }
        let mut candidate = LeaseCandidate::default();
        candidate.metadata.name = Some(self.name.clone());
        let spec = LeaseCandidateSpec {
            binary_version: self.version.clone(),
            emulation_version: Some(self.version.clone()),
            lease_name: self.lease.clone(),
            renew_time: Some(now),
            strategy: STRATEGY.to_owned(),
            ..LeaseCandidateSpec::default()
        };
        candidate.spec = spec.into();
        self.api.create(&params, &candidate).await?;
        Ok(())
    }
}

/// Returns the spec, which k8s-openapi has as an `Option` before Kubernetes 1.36 and as a required field since.
fn spec_of(candidate: &LeaseCandidate) -> Option<&LeaseCandidateSpec> {
    (&candidate.spec).into()
}

/// Whether the API server waits for a renewal.
fn is_asked(candidate: &LeaseCandidate) -> bool {
    spec_of(candidate).is_some_and(|it| it.ping_time.is_some() && it.ping_time > it.renew_time)
}

fn not_served(settings: &Complete) -> Option<Candidate> {
    warn!(
        lease = settings.lease,
        "the API server does not serve leasecandidates: the candidates elect a leader among themselves"
    );
    None
}
