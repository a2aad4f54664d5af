//! Start, supervision and stop.
use std::{
    convert::Infallible,
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};

use k8s_openapi::api::core::v1::{ConfigMap, ObjectReference, Secret};
use kube_codegen_runtime::{
    client::describe,
    controller::{Action, Controller, OnError},
    event::{Event, EventType},
    manager::{CancellationToken, Manager, ManagerError, Runnable},
};
use kube_codegen_testing::{ApiServer, Failure, On};
use serde_json::json;
use tokio::{
    sync::oneshot,
    time::{Instant, sleep},
};

const SECOND: Duration = Duration::from_secs(1);

/// What happened, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn add(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    fn runnable(&self, name: &str) -> Runnable {
        let (log, label) = (self.clone(), name.to_owned());
        Runnable::new(name, async move |stop: CancellationToken| {
            log.add(format!("+{label}"));
            stop.cancelled().await;
            log.add(format!("-{label}"));
            Ok::<_, Infallible>(())
        })
    }
}

fn manager(server: &ApiServer) -> Manager {
    Manager::builder(server.client(), "operator")
        .build()
        .unwrap()
}

fn broken() -> Result<(), Infallible> {
    panic!("index out of bounds");
}

/// Adds a controller that does nothing.
fn control(manager: &mut Manager) {
    let controller = Controller::for_informer(&manager.factory().informer::<ConfigMap>());
    let reconcile = async |_, _| Ok::<_, Infallible>(Action::await_change());
    manager.controller(controller, move |controller| {
        controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(()))
    });
}

#[tokio::test(start_paused = true)]
async fn parts_start_in_order_and_stop_in_reverse() {
    let server = ApiServer::new();
    server.fail_always(
        On::verb("watch").resource("secrets"),
        Failure::delay(SECOND),
    );
    let log = Log::default();
    let mut manager = manager(&server);
    manager.add(log.runnable("leader"));
    manager.add(log.runnable("other").needs_leader_election(false));
    manager.add(log.runnable("webhook").webhook());
    manager.add(log.runnable("server").server());
    let secrets = manager.factory().informer::<Secret>();
    let (is_ready, recorder) = (manager.readiness(), manager.recorder());
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(manager.run(async { drop(stopped.await) }));
    sleep(SECOND / 2).await;
    assert!(!is_ready() && !secrets.has_synced());
    assert_eq!(*log.0.lock().unwrap(), ["+server", "+webhook"]);
    sleep(3 * SECOND).await;
    assert!(is_ready() && secrets.has_synced());
    assert_eq!(log.0.lock().unwrap()[2..], ["+other", "+leader"]);
    recorder.publish_for(
        &ObjectReference::default(),
        Event {
            type_: EventType::Normal,
            reason: "Last".into(),
            action: "Last".into(),
            note: Some("the last event".into()),
            secondary: None,
        },
    );
    drop(stop);
    running.await.unwrap().unwrap();
    assert_eq!(
        log.0.lock().unwrap()[4..],
        ["-leader", "-other", "-webhook", "-server"]
    );
    assert!(secrets.is_stopped());
    assert_eq!(server.writes().len(), 1, "the events were not sent");
}

#[tokio::test(start_paused = true)]
async fn a_part_that_fails_ends_or_panics_ends_the_manager() {
    async fn outcome(part: Runnable) -> (Log, ManagerError) {
        let (server, log) = (ApiServer::new(), Log::default());
        let mut manager = manager(&server);
        manager.add(log.runnable("server").server());
        manager.add(part);
        let error = manager.run(pending()).await.unwrap_err();
        (log, error)
    }
    let failing = || Runnable::new("part", async |_| Err("out of disk"));
    for part in [
        failing(),
        failing().server(),
        failing().webhook(),
        failing().needs_leader_election(false),
    ] {
        let (log, error) = outcome(part).await;
        assert_eq!(describe(&error), "part failed: out of disk");
        // The others were stopped.
        assert!(
            log.0
                .lock()
                .unwrap()
                .iter()
                .all(|text| text.contains("server"))
        );
    }
    let (log, error) = outcome(Runnable::new("part", async |_| Ok::<_, Infallible>(()))).await;
    assert_eq!(describe(&error), "part ended unexpectedly");
    assert_eq!(*log.0.lock().unwrap(), ["+server", "-server"]);
    let part = Runnable::new("part", |_| async {
        sleep(SECOND).await;
        broken()
    });
    let (_, error) = outcome(part).await;
    assert!(
        matches!(&error, ManagerError::Panicked { name, .. } if name == "part"),
        "{error}"
    );
    assert_eq!(describe(&error), "part panicked: index out of bounds");
}

#[tokio::test(start_paused = true)]
async fn a_part_that_may_end_does_not_end_the_manager() {
    let server = ApiServer::new();
    let mut manager = manager(&server);
    manager.add(Runnable::new("migration", async |_| Ok::<_, Infallible>(())).may_end());
    assert!(manager.run(sleep(60 * SECOND)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn caches_that_do_not_fill_end_the_manager_with_their_kinds() {
    let server = ApiServer::new();
    server.fail_always(On::any().resource("configmaps"), Failure::status(403));
    let mut manager = manager(&server);
    control(&mut manager);
    let started = Instant::now();
    let error = manager.run(pending()).await.unwrap_err();
    assert_eq!(
        describe(&error),
        "the caches did not sync within 120s: not synced: ConfigMap"
    );
    assert_eq!(started.elapsed().as_secs(), 120);
}

#[tokio::test(start_paused = true)]
async fn a_stop_while_starting_succeeds() {
    let server = ApiServer::new();
    server.fail_always(On::any().resource("configmaps"), Failure::status(503));
    let mut manager = manager(&server);
    control(&mut manager);
    assert!(manager.run(sleep(10 * SECOND)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_controller_whose_informer_ends_ends_the_manager() {
    let server = ApiServer::new();
    let mut manager = manager(&server);
    control(&mut manager);
    let maps = manager.factory().informer::<ConfigMap>();
    tokio::spawn(async move {
        sleep(5 * SECOND).await;
        maps.shutdown().await;
    });
    let error = manager.run(pending()).await.unwrap_err();
    assert!(
        describe(&error).starts_with("controller configmap "),
        "{}",
        describe(&error)
    );
}

#[tokio::test(start_paused = true)]
async fn a_part_that_does_not_stop_is_named_after_the_grace_period() {
    let (server, log) = (ApiServer::new(), Log::default());
    let mut manager = Manager::builder(server.client(), "operator")
        .grace_period(7 * SECOND)
        .build()
        .unwrap();
    manager.add(log.runnable("server").server());
    manager.add(
        Runnable::new("stuck", |_| pending::<Result<(), Infallible>>())
            .needs_leader_election(false),
    );
    let started = Instant::now();
    let error = manager.run(sleep(SECOND)).await.unwrap_err();
    assert_eq!(describe(&error), "still running 7s after the stop: stuck");
    assert_eq!(started.elapsed().as_secs(), 8);
    assert_eq!(*log.0.lock().unwrap(), ["+server", "-server"]);
}

#[tokio::test(start_paused = true)]
async fn reconciles_may_finish_within_the_grace_period_and_are_dropped_after_it() {
    for (takes, finishes) in [(5, true), (50, false)] {
        let server = ApiServer::new();
        server
            .seed(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}))
            .unwrap();
        let log = Log::default();
        let mut manager = manager(&server);
        let controller = Controller::for_informer(&manager.factory().informer::<ConfigMap>());
        let reconcile = move |_, log: Arc<Log>| async move {
            log.add("started");
            sleep(takes * SECOND).await;
            log.add("finished");
            Ok::<_, Infallible>(Action::await_change())
        };
        let context = Arc::new(log.clone());
        manager.controller(controller, move |controller| {
            controller.run(reconcile, |_, _, _| OnError::Backoff, context)
        });
        assert!(manager.run(sleep(SECOND)).await.is_ok());
        assert_eq!(log.0.lock().unwrap().len(), 1 + usize::from(finishes));
    }
}

#[tokio::test(start_paused = true)]
async fn an_informer_that_cannot_work_ends_the_manager() {
    let server = ApiServer::new();
    let manager = Manager::builder(server.client(), "operator")
        .informers(|informers| informers.namespace(".."))
        .build()
        .unwrap();
    let _maps = manager.factory().informer::<ConfigMap>();
    let error = manager.run(pending()).await.unwrap_err();
    let text = describe(&error);
    assert!(text.starts_with("informer of ConfigMap failed: "), "{text}");
}

#[cfg(feature = "cli")]
#[derive(Debug, thiserror::Error)]
enum Failing {
    #[error("the zone file is not usable")]
    Zone(#[source] std::io::Error),
    #[error(transparent)]
    Api(#[from] kube::Error),
}

#[cfg(feature = "cli")]
#[tokio::test(start_paused = true)]
async fn the_log_has_the_causes_of_a_failed_reconcile() {
    let text = log_of_failures(tracing::Level::TRACE).await;
    // `kube-codegen dev` reads these fields.
    let worker = "kube_codegen_runtime::controller::worker: ";
    for fields in [
        r#"starts phase="start""#,
        r#"ends phase="end" outcome="failed" failed=true microseconds="#,
    ] {
        let line = text
            .lines()
            .find(|line| line.contains(&format!(": {worker}{fields}")));
        let line = line.unwrap_or_else(|| panic!("{fields}: {text}"));
        assert!(
            line.contains(":reconcile{kind=ConfigMap object=default/one}: "),
            "{line}"
        );
    }
    // Whatever is logged besides, a failure names its object.
    log_of_failures(tracing::Level::WARN).await;
}

/// Lets reconciles fail, and returns what is logged from a level on.
#[cfg(feature = "cli")]
async fn log_of_failures(level: tracing::Level) -> String {
    use kube_codegen_runtime::client::TypedClient;

    let (log, _guard) = crate::log::Log::collect_from(level);
    let server = ApiServer::new();
    server
        .seed(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}}))
        .unwrap();
    server.fail_always(On::verb("get"), Failure::status(403).message("scripted"));
    let mut manager = manager(&server);
    let informer = manager.factory().informer::<ConfigMap>();
    let maps = TypedClient::<ConfigMap>::namespaced(manager.client(), "default");
    let typed = |_, maps: Arc<TypedClient<ConfigMap>>| async move {
        maps.get("one").await?;
        Err(Failing::Zone(std::io::Error::other("line 3")))
    };
    let controller = Controller::for_informer(&informer).named("typed");
    let context = Arc::new(maps);
    manager.controller(controller, move |controller| {
        controller.run(typed, |_, _, _| OnError::Drop, context)
    });
    let plain = |_, _, _| async {
        let failure = Failing::Zone(std::io::Error::other("line 3"));
        Err(Box::<dyn std::error::Error + Send + Sync>::from(failure))
    };
    let controller = Controller::for_informer(&informer).named("plain");
    manager.controller(controller, move |controller| {
        controller.run_keyed(plain, |_, _, _| panic!("no policy"), Arc::new(()))
    });
    manager.run(sleep(SECOND)).await.unwrap();
    let text = log.text();
    assert!(
        text.contains("reconcile failed: the zone file is not usable: line 3"),
        "{text}"
    );
    assert!(text.contains("reconcile panicked: no policy"), "{text}");
    assert!(text.contains("reconcile failed: scripted"), "{text}");
    // A line names the object once: in the span.
    let failures = text.lines().filter(|it| it.contains("reconcile failed: "));
    for line in failures {
        let (spans, said) = line.split_once("}: ").unwrap();
        assert!(
            spans.ends_with("reconcile{kind=ConfigMap object=default/one"),
            "{line}"
        );
        assert!(
            !said.contains("object") && !said.contains("ConfigMap"),
            "{line}"
        );
    }
    text
}
