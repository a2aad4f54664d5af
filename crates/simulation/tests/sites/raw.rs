//! Small operators for sites that act on events of kube's watchers, or elect a leader by their clocks.

use std::{collections::BTreeMap, future::Future, pin::pin, time::Duration};

use futures::{StreamExt as _, stream};
use k8s_openapi::{
    api::{apps::v1::Deployment, coordination::v1::Lease},
    apimachinery::pkg::apis::meta::v1::MicroTime,
};
use kube::{
    Api, Client, ResourceExt as _,
    api::{Patch, PatchParams, PostParams},
    runtime::{WatchStreamExt as _, watcher},
};
use kube_codegen_runtime::{clock, controller::owned_by};
use serde_json::json;
use tokio::{task::JoinHandle, time::sleep};

use crate::{bug::Bug, operator, site::Site};

enum Event {
    Site(Box<watcher::Event<Site>>),
    Deployment(Box<watcher::Event<Deployment>>),
}

/// Creates a Deployment for each site, and reports when it is ready.
pub(crate) async fn run(client: Client, bug: Bug) {
    let sites = Api::<Site>::namespaced(client.clone(), "default");
    let deployments = Api::<Deployment>::namespaced(client.clone(), "default");
    let config = watcher::Config::default();
    let events = stream::select(
        watcher(sites.clone(), config.clone())
            .default_backoff()
            .map(|it| it.map(|event| Event::Site(Box::new(event)))),
        watcher(deployments.clone(), config)
            .default_backoff()
            .map(|it| it.map(|event| Event::Deployment(Box::new(event)))),
    );
    let mut events = pin!(events);
    let mut ready = BTreeMap::<String, bool>::new();
    while let Some(event) = events.next().await {
        match event {
            Ok(Event::Site(event)) => match *event {
                watcher::Event::Apply(site) | watcher::Event::InitApply(site)
                    if site.metadata.deletion_timestamp.is_none() =>
                {
                    until_success(|| create(&deployments, &site, bug)).await;
                }
                _ => {}
            },
            Ok(Event::Deployment(event)) => match *event {
                watcher::Event::Apply(deployment) => {
                    let is_ready = is_ready(&deployment);
                    let before = ready.insert(deployment.name_any(), is_ready);
                    // The change is seen, not the state.
                    if is_ready && before == Some(false) {
                        until_success(|| report(&sites, &deployment)).await;
                    }
                }
                watcher::Event::Delete(deployment) => {
                    ready.remove(&deployment.name_any());
                }
                _ => {}
            },
            Err(_) => {}
        }
    }
}

async fn until_success<F: Future<Output = kube::Result<()>>>(request: impl Fn() -> F) {
    while request().await.is_err() {
        sleep(Duration::from_secs(1)).await;
    }
}

fn is_ready(deployment: &Deployment) -> bool {
    let status = deployment.status.as_ref();
    status.is_some_and(|it| it.ready_replicas.is_some_and(|replicas| replicas > 0))
}

async fn create(api: &Api<Deployment>, site: &Site, bug: Bug) -> kube::Result<()> {
    let name = site.name_any();
    // What has a status has its Deployment.
    if bug == Bug::ActsOnEvents && site.status.is_some() {
        return Ok(());
    }
    let mut metadata = json!({"name": name, "ownerReferences": [owned_by(site)]});
    if bug == Bug::ActsOnEvents {
        metadata = json!({"generateName": format!("{name}-"), "ownerReferences": [owned_by(site)]});
    }
    let labels = json!({"site": name});
    let object = json!({
        "metadata": metadata,
        "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": {
            "metadata": {"labels": labels}, "spec": {"containers": [{"name": "site", "image": "example.com/site:1"}]},
        }},
    });
    let object = serde_json::from_value(object).map_err(kube::Error::SerdeError)?;
    match api.create(&PostParams::default(), &object).await {
        Err(kube::Error::Api(status)) if status.code == 409 || status.code == 404 => {}
        other => drop(other?),
    }
    if bug == Bug::ActsOnEvents {
        let sites = Api::<Site>::namespaced(api.clone().into_client(), "default");
        return note(&sites, &name, "created").await;
    }
    Ok(())
}

async fn report(sites: &Api<Site>, deployment: &Deployment) -> kube::Result<()> {
    if deployment.metadata.generate_name.is_some() {
        return Ok(());
    }
    note(sites, &deployment.name_any(), "ready").await
}

async fn note(sites: &Api<Site>, name: &str, what: &str) -> kube::Result<()> {
    let patch = Patch::Merge(json!({"status": {"account": what}}));
    match sites
        .patch_status(name, &PatchParams::default(), &patch)
        .await
    {
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
        other => other.map(drop),
    }
}

/// Runs one of two replicas, which compare the time in the Lease with their own clocks.
pub(crate) async fn run_replica(client: Client) {
    let me = format!("replica-{}", fastrand::u32(..));
    let mut leads: Option<JoinHandle<()>> = None;
    loop {
        match elect(&client, &me).await {
            Ok(true) if leads.is_none() => {
                leads = Some(tokio::spawn(operator::run(client.clone(), Bug::None)));
            }
            Ok(true) => {}
            _ => {
                if let Some(task) = leads.take() {
                    task.abort();
                }
            }
        }
        sleep(Duration::from_secs(5)).await;
    }
}

async fn elect(client: &Client, me: &str) -> kube::Result<bool> {
    let leases = Api::<Lease>::namespaced(client.clone(), "default");
    let found = leases.get_opt("sites").await?;
    let is_new = found.is_none();
    let mut lease = found.unwrap_or_default();
    lease.metadata.name = Some("sites".to_owned());
    let spec = lease.spec.get_or_insert_default();
    let age = spec.renew_time.as_ref().map_or(i64::MAX, |time| {
        clock::now().duration_since(time.0).as_secs()
    });
    if spec.holder_identity.as_deref() != Some(me) && age <= 15 {
        return Ok(false);
    }
    spec.holder_identity = Some(me.to_owned());
    spec.lease_duration_seconds = Some(15);
    spec.renew_time = Some(MicroTime(clock::now()));
    if is_new {
        leases.create(&PostParams::default(), &lease).await?;
    } else {
        leases
            .replace("sites", &PostParams::default(), &lease)
            .await?;
    }
    Ok(true)
}
