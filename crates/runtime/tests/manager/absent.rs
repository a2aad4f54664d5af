//! Kinds that the server does not serve, or only for some time.
use std::{
    collections::BTreeMap,
    convert::Infallible,
    future::pending,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use k8s_openapi::{
    api::core::v1::ConfigMap,
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{Client, Resource};
use kube_codegen_runtime::{
    Object,
    client::{ErrorExt, TypedClient, describe},
    controller::{Action, Controller, OnError, RunError},
    informer::{InformerConfig, ObjectKey, SharedInformer},
    leader_election::LeaderElectionConfig,
    manager::{Manager, ManagerBuilder, ManagerError},
    shards::Shards,
};
use kube_codegen_testing::{ApiServer, Failure, On};
use serde_json::json;
use tokio::{
    sync::oneshot,
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};

use tower::ServiceExt;

use crate::client::gadget::{self, Gadget};

const SECOND: Duration = Duration::from_secs(1);

fn builder(server: &ApiServer) -> ManagerBuilder {
    Manager::builder(server.client(), "operator")
}

/// What was reconciled, and whether the object existed.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    fn control<K: Object>(&self, manager: &mut Manager, controller: Controller<K>) {
        let reconcile = |key: ObjectKey, object: Option<Arc<K>>, seen: Arc<Seen>| async move {
            let sign = if object.is_some() { '+' } else { '-' };
            seen.0.lock().unwrap().push(format!("{sign}{}", key.name));
            Ok::<_, Infallible>(Action::await_change())
        };
        let seen = Arc::new(self.clone());
        manager.controller(controller, move |controller| {
            controller.run_keyed(reconcile, |_, _, _| OnError::Backoff, seen)
        });
    }
}

fn of<K>(manager: &Manager) -> Controller<K>
where
    K: Object + Resource<DynamicType = ()>,
{
    Controller::for_informer(&manager.factory().informer::<K>())
}

fn seed(server: &ApiServer, api_version: &str, kind: &str, name: &str) {
    let metadata = json!({"name": name, "namespace": "default"});
    let object = json!({"apiVersion": api_version, "kind": kind, "metadata": metadata});
    server.seed(&object).unwrap();
}

fn seed_map(server: &ApiServer, name: &str) {
    seed(server, "v1", "ConfigMap", name);
}

fn seed_gadget(server: &ApiServer, name: &str) {
    seed(server, "example.com/v1", "Gadget", name);
}

fn install(server: &ApiServer) {
    server.seed(&gadget::crd()).unwrap();
}

fn uninstall(server: &ApiServer) {
    server
        .delete::<CustomResourceDefinition>("", "gadgets.example.com")
        .unwrap();
}

/// A manager that runs.
struct Running {
    gadgets: SharedInformer<Gadget>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), ManagerError>>,
}

fn start(manager: Manager) -> Running {
    let (stop, stopped) = oneshot::channel::<()>();
    Running {
        gadgets: manager.factory().informer(),
        stop,
        task: tokio::spawn(manager.run(async { drop(stopped.await) })),
    }
}

impl Running {
    async fn stop(self) {
        drop(self.stop);
        self.task.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_controller_waits_for_its_crd_and_the_others_work() {
    for warm_up in [true, false] {
        let server = ApiServer::new();
        seed_map(&server, "map");
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        let service = server.service().map_request(move |request| {
            counter.fetch_add(1, Ordering::Relaxed);
            request
        });
        let client = Client::new(service, "default");
        let mut manager = Manager::builder(client, "operator").build().unwrap();
        let (maps, gadgets) = (Seen::default(), Seen::default());
        let controller = of::<ConfigMap>(&manager);
        maps.control(&mut manager, controller);
        let informer = manager.factory().informer::<Gadget>();
        let controller = of::<Gadget>(&manager).warm_up(warm_up);
        gadgets.control(&mut manager, controller);
        let is_ready = manager.readiness();
        let running = start(manager);

        let begin = Instant::now();
        while maps.0.lock().unwrap().is_empty() {
            sleep(SECOND / 10).await;
        }
        let took = begin.elapsed();
        assert!(took < 15 * SECOND, "the others waited for {took:?}");
        assert_eq!(maps.take(), ["+map"]);
        assert!(is_ready() && !informer.is_served() && !informer.has_synced());

        // Far longer than the caches may take, and without a hot loop.
        asked.store(0, Ordering::Relaxed);
        sleep(3600 * SECOND).await;
        let asked = asked.load(Ordering::Relaxed);
        assert!((300..800).contains(&asked), "{asked} requests in an hour");
        let missing = informer.status().not_served_seconds.unwrap();
        assert!((3600.0..3700.0).contains(&missing), "{missing}");
        assert!(!running.task.is_finished() && gadgets.take().is_empty());
        assert_eq!(informer.metrics().failures, 1, "one absence is one failure");

        install(&server);
        seed_gadget(&server, "one");
        sleep(15 * SECOND).await;
        assert_eq!(gadgets.take(), ["+one"]);
        assert!(informer.is_served() && informer.has_synced());
        assert_eq!(informer.status().not_served_seconds, None);
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_controller_stops_with_its_crd_and_starts_again_with_it() {
    let server = ApiServer::new();
    install(&server);
    seed_gadget(&server, "one");
    let mut manager = builder(&server).build().unwrap();
    let (maps, gadgets) = (Seen::default(), Seen::default());
    let controller = of::<ConfigMap>(&manager);
    maps.control(&mut manager, controller);
    let controller = of::<Gadget>(&manager);
    gadgets.control(&mut manager, controller);
    let informer = manager.factory().informer::<Gadget>();
    let running = start(manager);
    sleep(SECOND).await;
    assert_eq!(gadgets.take(), ["+one"]);
    for round in 0..3 {
        uninstall(&server);
        sleep(30 * SECOND).await;
        assert_eq!(gadgets.take(), ["-one"], "a deletion, once");
        assert!(informer.lister().all().is_empty() && !informer.is_served());
        seed_map(&server, &format!("map-{round}"));
        sleep(SECOND).await;
        assert_eq!(maps.take(), [format!("+map-{round}")]);
        install(&server);
        seed_gadget(&server, "one");
        sleep(15 * SECOND).await;
        assert_eq!(gadgets.take(), ["+one"], "the objects of the new CRD");
        server
            .edit::<Gadget>("default", "one", |it| it["spec"] = json!({"mode": "x"}))
            .unwrap();
        sleep(SECOND).await;
        assert_eq!(gadgets.take(), ["+one"]);
    }
    running.stop().await;
}

/// The watch was broken when the CRD went, so nothing said that the objects were deleted.
#[tokio::test(start_paused = true)]
async fn what_is_cached_leaves_the_cache_when_the_kind_is_gone() {
    let server = ApiServer::new();
    install(&server);
    seed_gadget(&server, "one");
    let mut manager = builder(&server).build().unwrap();
    let gadgets = Seen::default();
    let controller = of::<Gadget>(&manager);
    gadgets.control(&mut manager, controller);
    let informer = manager.factory().informer::<Gadget>();
    let _running = start(manager);
    sleep(SECOND).await;
    assert_eq!(gadgets.take(), ["+one"]);
    server.cut_watches(&On::any().resource("gadgets"));
    uninstall(&server);
    sleep(4 * SECOND).await;
    assert_eq!(gadgets.take(), Vec::<String>::new());
    assert_eq!(informer.lister().all().len(), 1);
    assert!(!informer.is_served());
    sleep(60 * SECOND).await;
    assert_eq!(gadgets.take(), ["-one"]);
    assert!(informer.lister().all().is_empty());
}

/// Behind a load balancer, one of the API servers may learn of a new CRD a little later.
#[tokio::test(start_paused = true)]
async fn one_response_that_a_kind_is_not_served_deletes_nothing() {
    let server = ApiServer::new();
    install(&server);
    seed_gadget(&server, "one");
    let mut manager = builder(&server).build().unwrap();
    let gadgets = Seen::default();
    let controller = of::<Gadget>(&manager);
    gadgets.control(&mut manager, controller);
    let _running = start(manager);
    sleep(SECOND).await;
    assert_eq!(gadgets.take(), ["+one"]);
    server.intercept(|request| {
        let answer = json!({"kind": "Status", "status": "Failure", "code": 404, "reason": "NotFound",
            "message": "the server could not find the requested resource", "details": {}});
        if request.resource == "gadgets" {
            return kube_codegen_testing::Action::Answer(404, answer);
        }
        kube_codegen_testing::Action::Pass
    });
    server.cut_watches(&On::any().resource("gadgets"));
    sleep(3 * SECOND).await;
    server.clear_interceptors();
    sleep(30 * SECOND).await;
    assert_eq!(gadgets.take(), Vec::<String>::new());
}

/// A child of a kind that is not served is no reason not to reconcile: its owner may be deleted, or do without it.
#[tokio::test(start_paused = true)]
async fn a_controller_works_without_the_kind_of_its_children_and_again_once_it_comes() {
    let server = ApiServer::new();
    seed_map(&server, "map");
    let mut manager = builder(&server).build().unwrap();
    let children = manager.factory().informer::<Gadget>();
    let controller = of::<ConfigMap>(&manager).owns(&children);
    let results = Arc::new(Mutex::new(BTreeMap::<String, usize>::new()));
    let reconcile = |map: Arc<ConfigMap>, context: Arc<(TypedClient<Gadget>, _)>| async move {
        let (gadgets, results): &(_, Arc<Mutex<BTreeMap<String, usize>>>) = &context;
        let mut child = Gadget::default();
        child.metadata.name = map.metadata.name.clone();
        let owner = map.controller_owner_ref(&()).unwrap();
        child.metadata.owner_references = Some(vec![owner]);
        let result = match gadgets.create(&child).await {
            Ok(_) => Ok("created"),
            Err(error) if error.is_already_exists() => Ok("exists"),
            Err(error) => Err(error),
        };
        let text = result
            .as_ref()
            .map_or_else(|error| describe(error), |text| (*text).to_owned());
        *results.lock().unwrap().entry(text).or_default() += 1;
        result.map(|_| Action::await_change())
    };
    let gadgets = TypedClient::<Gadget>::namespaced(manager.client(), "default");
    let context = Arc::new((gadgets, Arc::clone(&results)));
    manager.controller(controller, move |controller| {
        controller.run(reconcile, |_, _, _| OnError::Backoff, context)
    });
    let running = start(manager);
    sleep(1200 * SECOND).await;
    let failed = std::mem::take(&mut *results.lock().unwrap());
    let (text, times) = failed.first_key_value().unwrap();
    assert!(text.contains("is its CRD installed?"), "{text}");
    assert!((10..40).contains(times), "the back-off grows: {times}");
    install(&server);
    sleep(12 * SECOND).await;
    // Not after the rest of a back-off of up to 1,000 s.
    let done = std::mem::take(&mut *results.lock().unwrap());
    assert_eq!(done.get("created"), Some(&1), "{done:?}");
    uninstall(&server);
    sleep(60 * SECOND).await;
    assert!(!running.task.is_finished());
    let failed = std::mem::take(&mut *results.lock().unwrap());
    assert!(
        failed.first_key_value().unwrap().0.contains("is its CRD"),
        "{failed:?}"
    );
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn replicas_with_an_election_or_shards_do_not_wait_for_a_missing_kind() {
    for ranges in [1, 4] {
        let server = ApiServer::new();
        seed_map(&server, "map");
        let (maps, gadgets) = (Seen::default(), Seen::default());
        let replicas = ["a", "b"].map(|identity| {
            let config = LeaderElectionConfig::new("operator").namespace("default");
            let builder = builder(&server).leader_election(config.identity(identity));
            let mut manager = builder.shards(Shards::new(ranges)).build().unwrap();
            let controller = of::<ConfigMap>(&manager);
            maps.control(&mut manager, controller);
            let controller = of::<Gadget>(&manager);
            gadgets.control(&mut manager, controller);
            start(manager)
        });
        sleep(60 * SECOND).await;
        assert_eq!(maps.take(), ["+map"], "{ranges} ranges");
        install(&server);
        for name in ["one", "two", "three", "four", "five"] {
            seed_gadget(&server, name);
        }
        sleep(30 * SECOND).await;
        let mut seen = gadgets.take();
        seen.sort();
        assert_eq!(seen, ["+five", "+four", "+one", "+three", "+two"]);
        uninstall(&server);
        sleep(60 * SECOND).await;
        assert_eq!(gadgets.take().len(), 5);
        for replica in &replicas {
            assert!(replica.gadgets.lister().all().is_empty());
        }
        install(&server);
        seed_gadget(&server, "six");
        sleep(30 * SECOND).await;
        assert_eq!(gadgets.take(), ["+six"]);
        for replica in replicas {
            replica.stop().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_controller_without_a_manager_waits_too_and_stops_meanwhile() {
    let server = ApiServer::new();
    let config = InformerConfig {
        namespaces: ["default", "other"].into(),
        ..InformerConfig::default()
    };
    let informer = SharedInformer::<Gadget>::new(server.client(), config);
    let (stop, stopped) = oneshot::channel::<()>();
    let run = |gadget: Arc<Gadget>, names: Arc<Mutex<Vec<_>>>| async move {
        names.lock().unwrap().push(gadget.metadata.name.clone());
        Ok::<_, Infallible>(Action::await_change())
    };
    let names = Arc::new(Mutex::new(Vec::new()));
    let controller = Controller::for_informer(&informer)
        .cache_sync_timeout(SECOND)
        .graceful_shutdown_on(async { drop(stopped.await) })
        .run(run, |_, _, _| OnError::Backoff, Arc::clone(&names));
    let running = tokio::spawn(controller);
    sleep(100 * SECOND).await;
    assert!(!running.is_finished());
    install(&server);
    for namespace in ["default", "other", "third"] {
        let metadata = json!({"name": namespace, "namespace": namespace});
        let gadget =
            json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": metadata});
        server.seed(&gadget).unwrap();
    }
    sleep(20 * SECOND).await;
    let mut names = std::mem::take(&mut *names.lock().unwrap());
    names.sort();
    assert_eq!(
        names,
        [Some("default".to_owned()), Some("other".to_owned())]
    );
    uninstall(&server);
    sleep(60 * SECOND).await;
    assert!(informer.lister().all().is_empty());
    drop(stop);
    assert_eq!(timeout(SECOND, running).await.unwrap().unwrap(), Ok(()));
}

/// What is forbidden is an error: whether the kind exists is not known.
#[tokio::test(start_paused = true)]
async fn a_kind_that_is_forbidden_still_ends_the_controller() {
    let server = ApiServer::new();
    server.fail_always(On::any().resource("gadgets"), Failure::status(403));
    install(&server);
    let informer = SharedInformer::<Gadget>::new(server.client(), InformerConfig::default());
    let run = async |_, _| Ok::<_, Infallible>(Action::await_change());
    let controller = Controller::for_informer(&informer);
    let ended = controller.run(run, |_, _, _| OnError::Backoff, Arc::new(()));
    assert!(matches!(
        ended.await,
        Err(RunError::CacheSyncTimeout { .. })
    ));
    assert!(informer.is_served());
}

#[tokio::test(start_paused = true)]
async fn a_manager_stops_while_it_waits() {
    let server = ApiServer::new();
    let mut manager = builder(&server).build().unwrap();
    let controller = of::<Gadget>(&manager);
    Seen::default().control(&mut manager, controller);
    let begin = Instant::now();
    manager.run(sleep(2 * SECOND)).await.unwrap();
    assert!(begin.elapsed() < 4 * SECOND);
    let mut manager = builder(&server).build().unwrap();
    let controller = of::<Gadget>(&manager);
    Seen::default().control(&mut manager, controller);
    let begin = Instant::now();
    let ended = timeout(600 * SECOND, manager.run(pending())).await;
    assert!(ended.is_err() && begin.elapsed() == 600 * SECOND);
}
