//! What a manager decides about its controllers: workers, timeouts, leader election, warm-up, names; and its client.
use std::{
    convert::Infallible,
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};

use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use kube::{
    Api, Client, Resource,
    api::{DeleteParams, Patch, PatchParams, PostParams},
};
use kube_codegen_runtime::{
    Object,
    client::describe,
    controller::{Action, Controller, MetricsHandle, OnError},
    leader_election::LeaderElectionConfig,
    manager::{FieldValidation, Manager, ManagerBuilder},
};
use kube_codegen_testing::{ApiServer, Failure, On};
use serde_json::json;
use tokio::time::{Instant, sleep};

const SECOND: Duration = Duration::from_secs(1);

fn builder(server: &ApiServer) -> ManagerBuilder {
    Manager::builder(server.client(), "operator")
}

fn elected(server: &ApiServer, identity: &str) -> ManagerBuilder {
    let config = LeaderElectionConfig::new("operator").namespace("default");
    builder(server).leader_election(config.identity(identity))
}

/// Names of reconciled objects.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    /// Adds a controller that notes what it reconciles.
    fn control<K: Object>(
        &self,
        manager: &mut Manager,
        controller: Controller<K>,
    ) -> MetricsHandle {
        let (metrics, seen) = (controller.metrics(), self.clone());
        let reconcile = |object: Arc<K>, seen: Arc<Seen>| async move {
            let name = object.meta().name.clone().unwrap_or_default();
            seen.0.lock().unwrap().push(name);
            Ok::<_, Infallible>(Action::await_change())
        };
        manager.controller(controller, move |controller| {
            controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(seen))
        });
        metrics
    }
}

fn of<K>(manager: &Manager) -> Controller<K>
where
    K: Object + Resource<DynamicType = ()>,
{
    Controller::for_informer(&manager.factory().informer::<K>())
}

fn seed(server: &ApiServer, kind: &str, name: &str) {
    let object = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "default"}});
    server.seed(&object).unwrap();
}

#[tokio::test(start_paused = true)]
async fn workers_come_from_the_controller_its_kind_or_the_manager() {
    let server = ApiServer::new();
    let builder = builder(&server).workers(2).workers_of("Secret", 3);
    let mut manager = builder.workers_of("ConfigMap", 9).build().unwrap();
    let (seen, maps) = (Seen::default(), of::<ConfigMap>(&manager).workers(4));
    let maps = seen.control(&mut manager, maps);
    let secrets = of::<Secret>(&manager);
    let secrets = seen.control(&mut manager, secrets);
    let services = of::<Service>(&manager);
    let services = seen.control(&mut manager, services);
    manager.run(sleep(SECOND)).await.unwrap();
    let workers = [maps, secrets, services].map(|metrics| metrics.get().workers);
    assert_eq!(workers, [4, 3, 2]);
}

#[tokio::test(start_paused = true)]
async fn workers_of_a_kind_without_a_controller_are_an_error() {
    let server = ApiServer::new();
    let mut manager = builder(&server)
        .workers_of("Deployment", 3)
        .build()
        .unwrap();
    let maps = of::<ConfigMap>(&manager);
    Seen::default().control(&mut manager, maps);
    let error = manager.run(pending()).await.unwrap_err();
    assert_eq!(
        describe(&error),
        "a number of workers is set for Deployment, which has no controller; there are controllers for ConfigMap"
    );
}

#[tokio::test(start_paused = true)]
async fn two_controllers_of_one_name_are_an_error() {
    let server = ApiServer::new();
    let names = |second: &str| {
        let mut manager = builder(&server).build().unwrap();
        let (first, second) = (
            of::<ConfigMap>(&manager),
            of::<ConfigMap>(&manager).named(second),
        );
        Seen::default().control(&mut manager, first);
        Seen::default().control(&mut manager, second);
        manager
    };
    let error = names("configmap").run(pending()).await.unwrap_err();
    assert_eq!(
        describe(&error),
        "two controllers are named \"configmap\"; Controller::named gives one of them another name"
    );
    assert!(names("other").run(sleep(SECOND)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_controller_without_leader_election_runs_on_every_replica() {
    let server = ApiServer::new();
    let start = |identity: &str| {
        let mut manager = elected(&server, identity).build().unwrap();
        let (leader, everywhere) = (Seen::default(), Seen::default());
        let maps = of::<ConfigMap>(&manager);
        leader.control(&mut manager, maps);
        let secrets = of::<Secret>(&manager).needs_leader_election(false);
        everywhere.control(&mut manager, secrets);
        tokio::spawn(manager.run(pending()));
        (leader, everywhere)
    };
    let (leader, one) = start("a");
    sleep(5 * SECOND).await;
    let (waiting, other) = start("b");
    sleep(5 * SECOND).await;
    seed(&server, "ConfigMap", "map");
    seed(&server, "Secret", "secret");
    sleep(5 * SECOND).await;
    assert_eq!(
        (leader.take(), waiting.take()),
        (vec!["map".into()], vec![])
    );
    assert_eq!(
        (one.take(), other.take()),
        (vec!["secret".into()], vec!["secret".into()])
    );
}

#[tokio::test(start_paused = true)]
async fn each_controller_may_differ_in_its_warm_up() {
    let server = ApiServer::new();
    for warm_up in [true, false] {
        let leader = elected(&server, "a").build().unwrap();
        let term = leader.term().unwrap();
        let leader = tokio::spawn(leader.run(pending()));
        term.started().await.unwrap();
        let mut manager = elected(&server, "b").warm_up(warm_up).build().unwrap();
        let seen = Seen::default();
        let maps = of::<ConfigMap>(&manager).warm_up(!warm_up);
        seen.control(&mut manager, maps);
        let secrets = of::<Secret>(&manager);
        seen.control(&mut manager, secrets);
        // Used by a cold and a warm controller.
        let shared = manager.factory().informer::<Service>();
        let both = of::<ConfigMap>(&manager).watches(&shared, |_| vec![]);
        seen.control(&mut manager, both.named("cold").warm_up(false));
        let both = of::<Secret>(&manager).watches(&shared, |_| vec![]);
        seen.control(&mut manager, both.named("warm").warm_up(true));
        let maps = manager.factory().informer::<ConfigMap>();
        let is_ready = manager.readiness();
        let term = manager.term().unwrap();
        let waiting = tokio::spawn(manager.run(pending()));
        sleep(10 * SECOND).await;
        assert!(is_ready(), "a waiting replica needs its warm caches only");
        assert_eq!((maps.has_synced(), shared.has_synced()), (!warm_up, true));

        leader.abort();
        term.started().await.unwrap();
        sleep(SECOND).await;
        assert!(maps.has_synced(), "the leader needs all caches");
        waiting.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn the_longest_timeout_of_the_caches_counts() {
    let server = ApiServer::new();
    server.fail_always(On::any().resource("secrets"), Failure::status(403));
    let mut manager = builder(&server).build().unwrap();
    let secrets = of::<Secret>(&manager).cache_sync_timeout(600 * SECOND);
    Seen::default().control(&mut manager, secrets);
    let started = Instant::now();
    manager.run(pending()).await.unwrap_err();
    assert_eq!(started.elapsed().as_secs(), 600);
}

#[tokio::test(start_paused = true)]
async fn reconciles_have_the_managers_timeout() {
    let server = ApiServer::new();
    seed(&server, "ConfigMap", "slow");
    let mut manager = builder(&server).reconcile_timeout(SECOND).build().unwrap();
    let controller = of::<ConfigMap>(&manager);
    let metrics = controller.metrics();
    let reconcile = async |_, _| pending::<Result<Action, Infallible>>().await;
    manager.controller(controller, move |controller| {
        controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(()))
    });
    manager.run(sleep(10 * SECOND)).await.unwrap();
    assert!(metrics.get().timeouts > 1);
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_does_not_change_what_listers_show() {
    let server = ApiServer::new();
    seed(&server, "ConfigMap", "a");
    for is_dry in [true, false] {
        let builder = builder(&server);
        let builder = if is_dry { builder.dry_run() } else { builder };
        let manager = builder.build().unwrap();
        let (client, maps) = (manager.client(), manager.factory().informer::<ConfigMap>());
        let running = tokio::spawn(manager.run(pending()));
        maps.wait_synced().await.unwrap();
        let api: Api<ConfigMap> = Api::default_namespaced(client);
        let params = DeleteParams {
            dry_run: !is_dry,
            ..DeleteParams::default()
        };
        api.delete("a", &params).await.unwrap();
        sleep(SECOND).await;
        assert_eq!(maps.lister().all().len(), 1, "{is_dry}");
        running.abort();
    }
    assert_eq!(server.list::<ConfigMap>().len(), 1);
}

/// Sends a write of each kind, and returns the queries that the server has received.
async fn queries(server: &ApiServer, client: Client) -> Vec<String> {
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let mut map = ConfigMap::default();
    map.metadata.name = Some("a".into());
    server.clear_requests();
    let _ = maps.create(&PostParams::default(), &map).await;
    let patch = Patch::Merge(json!({"data": {"a": "b"}}));
    let _ = maps.patch("a", &PatchParams::apply("own"), &patch).await;
    let _ = maps.get("a").await;
    let _ = maps.delete("a", &DeleteParams::default()).await;
    let requests = server.requests();
    let query = |path: &str| {
        let (_, query) = path.split_once('?').unwrap_or_default();
        query.trim_start_matches('&').to_owned()
    };
    requests
        .iter()
        .map(|request| query(&request.path))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn the_client_adds_its_parameters_to_writes() {
    let server = ApiServer::new();
    let plain = builder(&server).build().unwrap();
    assert_eq!(
        queries(&server, plain.client()).await,
        ["fieldManager=operator", "fieldManager=own", "", ""]
    );
    let builder = builder(&server).field_manager("my operator").dry_run();
    let manager = builder
        .field_validation(FieldValidation::Strict)
        .build()
        .unwrap();
    assert_eq!(
        queries(&server, manager.client()).await,
        [
            "dryRun=All&fieldManager=my+operator&fieldValidation=Strict",
            "fieldManager=own&dryRun=All&fieldValidation=Strict",
            "",
            "",
        ]
    );
    // The options of a deletion are in its body.
    let deleted = server.requests().pop().unwrap();
    assert_eq!(deleted.body["dryRun"], json!(["All"]));
    assert!(server.list::<ConfigMap>().is_empty());
    // What runs on every replica writes.
    let own = queries(&server, manager.unfenced_client()).await;
    assert_eq!(own[0], "");
}
