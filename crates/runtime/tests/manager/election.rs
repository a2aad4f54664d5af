//! Managers with leader election.
use std::{convert::Infallible, future::pending, sync::Arc, time::Duration};

use k8s_openapi::api::{coordination::v1::Lease, core::v1::ConfigMap};
use kube::{
    Api, Client,
    api::{DeleteParams, Patch, PatchParams},
};
use kube_codegen_runtime::{
    client::describe,
    controller::{Action, Controller, OnError},
    leader_election::{LeaderElectionConfig, NotLeading},
    manager::{Manager, ManagerError, Runnable},
};
use kube_codegen_testing::{ApiServer, Failure, On};
use serde_json::json;
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::{sleep, timeout},
};

const SECOND: Duration = Duration::from_secs(1);

struct Replica {
    manager: Option<Manager>,
    stop: Option<oneshot::Sender<()>>,
    running: Option<JoinHandle<Result<(), ManagerError>>>,
}

/// Returns a replica whose controller marks each map, and then waits for an hour if `slow`.
fn replica(server: &ApiServer, identity: &str, slow: bool) -> Replica {
    let config = LeaderElectionConfig::new("operator")
        .namespace("default")
        .identity(identity)
        .seed(1);
    let mut manager = Manager::builder(server.client(), "operator")
        .leader_election(config)
        .build()
        .unwrap();
    let controller = Controller::for_informer(&manager.factory().informer::<ConfigMap>());
    let context = (manager.client(), identity.to_owned());
    let reconcile = move |map: Arc<ConfigMap>, context: Arc<(Client, String)>| async move {
        let (client, author) = &*context;
        let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
        let name = map.metadata.name.as_deref().unwrap();
        let patch = Patch::Merge(json!({"data": {"author": author}}));
        maps.patch(name, &PatchParams::default(), &patch).await?;
        if slow {
            sleep(3600 * SECOND).await;
        }
        Ok::<_, kube::Error>(Action::await_change())
    };
    manager.controller(controller, move |controller| {
        controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(context))
    });
    Replica {
        manager: Some(manager),
        stop: None,
        running: None,
    }
}

impl Replica {
    fn manager(&self) -> &Manager {
        self.manager.as_ref().unwrap()
    }

    fn start(&mut self) {
        let (stop, stopped) = oneshot::channel::<()>();
        let manager = self.manager.take().unwrap();
        self.stop = Some(stop);
        self.running = Some(tokio::spawn(manager.run(async { drop(stopped.await) })));
    }

    async fn stop(&mut self) -> Result<(), ManagerError> {
        self.stop.take();
        self.ended().await
    }

    async fn ended(&mut self) -> Result<(), ManagerError> {
        let running = self.running.take().unwrap();
        timeout(120 * SECOND, running).await.unwrap().unwrap()
    }
}

fn seed(server: &ApiServer, name: &str) {
    server
        .seed(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}))
        .unwrap();
}

fn author(server: &ApiServer, name: &str) -> Option<String> {
    let map: ConfigMap = server.get("default", name)?;
    map.data?.remove("author")
}

#[tokio::test(start_paused = true)]
async fn one_replica_reconciles_and_the_next_takes_over_at_once() {
    let server = ApiServer::new();
    seed(&server, "one");
    let (mut a, mut b) = (replica(&server, "a", false), replica(&server, "b", false));
    let (first, second) = (a.manager().term().unwrap(), b.manager().term().unwrap());
    let (status, is_ready) = (
        b.manager().leader_status().unwrap(),
        b.manager().readiness(),
    );
    a.start();
    first.started().await.unwrap();
    b.start();
    sleep(30 * SECOND).await;
    assert_eq!(author(&server, "one").as_deref(), Some("a"));
    // The other replica waits with filled caches.
    assert!(is_ready() && !second.is_active());
    assert_eq!(status.leader().as_deref(), Some("a"));

    a.stop().await.unwrap();
    assert!(!first.is_active());
    seed(&server, "two");
    timeout(5 * SECOND, second.started())
        .await
        .unwrap()
        .unwrap();
    sleep(SECOND).await;
    assert_eq!(author(&server, "two").as_deref(), Some("b"));
    b.stop().await.unwrap();
    let lease: Lease = server.get("default", "operator").unwrap();
    assert_eq!(lease.spec.unwrap().holder_identity.as_deref(), Some(""));
}

#[tokio::test(start_paused = true)]
async fn a_lost_lease_ends_the_manager_at_once() {
    let server = ApiServer::new();
    seed(&server, "one");
    let mut replica = replica(&server, "a", true);
    let (term, client) = (
        replica.manager().term().unwrap(),
        replica.manager().client(),
    );
    replica.start();
    term.started().await.unwrap();
    sleep(SECOND).await;
    assert_eq!(author(&server, "one").as_deref(), Some("a"));
    server.fail_always(On::verb("update").resource("leases"), Failure::status(503));
    server.fail_always(On::verb("get").resource("leases"), Failure::status(503));
    // Its reconcile, which would take an hour, gets no time to finish.
    let error = timeout(11 * SECOND, replica.running.as_mut().unwrap())
        .await
        .unwrap()
        .unwrap()
        .unwrap_err();
    let text = describe(&error);
    assert!(
        text.starts_with(
            "the leadership was lost: lost the lease default/operator: no renewal within 10s"
        ),
        "{text}"
    );
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let rejected = maps
        .delete("one", &DeleteParams::default())
        .await
        .unwrap_err();
    assert!(NotLeading::caused(&rejected));
}

#[tokio::test(start_paused = true)]
async fn reconciles_that_do_not_finish_are_dropped_before_the_lease_is_released() {
    let server = ApiServer::new();
    seed(&server, "one");
    let mut replica = replica(&server, "a", true);
    let term = replica.manager().term().unwrap();
    replica.start();
    term.started().await.unwrap();
    sleep(SECOND).await;
    replica.stop().await.unwrap();
    let lease: Lease = server.get("default", "operator").unwrap();
    assert_eq!(lease.spec.unwrap().holder_identity.as_deref(), Some(""));
}

#[tokio::test(start_paused = true)]
async fn the_lease_is_kept_while_something_may_still_run() {
    let server = ApiServer::new();
    let mut replica = replica(&server, "a", false);
    let term = replica.manager().term().unwrap();
    let stuck = Runnable::new("stuck", |_| pending::<Result<(), Infallible>>());
    replica.manager.as_mut().unwrap().add(stuck);
    replica.start();
    term.started().await.unwrap();
    let error = replica.stop().await.unwrap_err();
    assert_eq!(describe(&error), "still running 30s after the stop: stuck");
    let lease: Lease = server.get("default", "operator").unwrap();
    assert_eq!(lease.spec.unwrap().holder_identity.as_deref(), Some("a"));
}

#[tokio::test(start_paused = true)]
async fn a_failure_of_a_leader_bound_part_ends_the_manager_and_releases_the_lease() {
    let server = ApiServer::new();
    let mut replica = replica(&server, "a", false);
    let (fail, failing) = mpsc::channel::<()>(1);
    replica
        .manager
        .as_mut()
        .unwrap()
        .add(Runnable::new("part", async move |_| {
            let mut failing = failing;
            failing.recv().await;
            Err("out of disk")
        }));
    let term = replica.manager().term().unwrap();
    replica.start();
    term.started().await.unwrap();
    drop(fail);
    let error = replica.ended().await.unwrap_err();
    assert_eq!(describe(&error), "part failed: out of disk");
    let lease: Lease = server.get("default", "operator").unwrap();
    assert_eq!(lease.spec.unwrap().holder_identity.as_deref(), Some(""));
}

#[tokio::test(start_paused = true)]
async fn a_replica_that_never_leads_stops_without_an_error() {
    let server = ApiServer::new();
    let (mut a, mut b) = (replica(&server, "a", false), replica(&server, "b", false));
    let first = a.manager().term().unwrap();
    a.start();
    first.started().await.unwrap();
    b.start();
    sleep(10 * SECOND).await;
    b.stop().await.unwrap();
    assert!(first.is_active());
}

#[tokio::test(start_paused = true)]
async fn without_warm_up_only_the_leader_fills_its_caches() {
    let server = ApiServer::new();
    seed(&server, "one");
    let manager = |identity: &str| {
        let config = LeaderElectionConfig::new("operator")
            .namespace("default")
            .identity(identity);
        let builder = Manager::builder(server.client(), "operator").leader_election(config);
        builder.warm_up(false).build().unwrap()
    };
    let (a, b) = (manager("a"), manager("b"));
    let (first, second) = (
        a.factory().informer::<ConfigMap>(),
        b.factory().informer::<ConfigMap>(),
    );
    let leads = a.term().unwrap();
    let _a = tokio::spawn(a.run(pending()));
    leads.started().await.unwrap();
    let _b = tokio::spawn(b.run(pending()));
    sleep(10 * SECOND).await;
    assert!(first.has_synced() && !second.has_synced());
}
