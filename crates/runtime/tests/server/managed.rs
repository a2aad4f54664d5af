//! A manager registers and serves everything by itself.
use std::{convert::Infallible, future::pending, net::SocketAddr, sync::Arc, time::Duration};

use clap::Parser;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_codegen_runtime::{
    client::describe,
    controller::{Action, Controller, OnError},
    event::{Event, EventRecorder, EventType},
    manager::{Manager, ManagerArgs, ManagerError},
    metrics::prometheus_client::metrics::counter::Counter,
};
use kube_codegen_testing::{ApiServer, Failure, On};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    sync::oneshot,
    task::JoinHandle,
    time::{sleep, timeout},
};

use crate::server::{
    exposition::{Sample, parse},
    http::{get, get_tls},
};

const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    manager: ManagerArgs,
}

/// Returns an address that is free at this moment.
fn free() -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

/// An operator of `ConfigMap`s, as a user writes it.
struct Operator {
    server: ApiServer,
    health: SocketAddr,
    metrics: SocketAddr,
    stop: oneshot::Sender<()>,
    running: JoinHandle<Result<(), ManagerError>>,
    _directory: TempDir,
}

async fn reconcile(map: Arc<ConfigMap>, events: Arc<EventRecorder>) -> Result<Action, Infallible> {
    let synced = Event {
        type_: EventType::Normal,
        reason: "Synced".into(),
        action: "Reconcile".into(),
        note: Some("done".into()),
        secondary: None,
    };
    events.publish(&*map, synced);
    Ok(Action::await_change())
}

impl Operator {
    async fn start(server: ApiServer, flags: &[&str], register: impl FnOnce(&mut Manager)) -> Self {
        server.listen().await.unwrap();
        let directory = tempfile::tempdir().unwrap();
        let kubeconfig = directory.path().join("kubeconfig");
        std::fs::write(&kubeconfig, server.kubeconfig().unwrap()).unwrap();
        let (health, metrics) = (free(), free());
        let mut all = vec![
            "operator".to_owned(),
            format!("--kubeconfig={}", kubeconfig.display()),
            format!("--health-probe-bind-address={health}"),
            format!("--metrics-bind-address={metrics}"),
            "--leader-elect=true".to_owned(),
            "--leader-elect-resource-namespace=default".to_owned(),
        ];
        all.extend(flags.iter().map(|flag| (*flag).to_owned()));
        let args = Args::parse_from(all).manager;
        let mut manager = args.builder("operator").await.unwrap().build().unwrap();
        let events = manager.recorder();
        let controller = Controller::for_informer(&manager.factory().informer::<ConfigMap>());
        manager.controller(controller, |controller| {
            controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(events))
        });
        register(&mut manager);
        let (stop, stopped) = oneshot::channel::<()>();
        let running = tokio::spawn(manager.run(async { drop(stopped.await) }));
        Self {
            server,
            health,
            metrics,
            stop,
            running,
            _directory: directory,
        }
    }

    /// Waits until a path of the health server has this status, and returns the body.
    async fn health(&self, path: &str, status: u16) -> String {
        let answered = async {
            loop {
                if tokio::net::TcpStream::connect(self.health).await.is_ok() {
                    let answer = get(self.health, path).await;
                    if answer.status == status {
                        return answer.body;
                    }
                }
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, answered).await.unwrap()
    }

    async fn stop(self) -> Result<(), ManagerError> {
        drop(self.stop);
        timeout(PATIENCE, self.running).await.unwrap().unwrap()
    }
}

fn seed(server: &ApiServer, name: &str) {
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}});
    server.seed(&map).unwrap();
}

#[tokio::test]
async fn metrics_of_all_parts_are_served_without_a_line_of_the_author() {
    let backups = Counter::<u64>::default();
    let own = backups.clone();
    let operator = Operator::start(ApiServer::new(), &["--metrics-secure=false"], |manager| {
        manager.metrics().registry(|registry| {
            registry.register("backups", "Finished backups", own);
        });
    })
    .await;
    seed(&operator.server, "a");
    backups.inc();
    operator.health("/readyz", 200).await;
    let scrape = async || parse(&get(operator.metrics, "/metrics").await.body).0;
    let value = |samples: &[Sample], name: &str, label: (&str, &str)| {
        let found = samples.iter();
        let mut found = found.filter(|one| one.name == name && one.label(label.0) == label.1);
        found.next().map_or(0.0, |sample| sample.value)
    };
    let reconciled = async {
        loop {
            let samples = scrape().await;
            let result = ("result", "success");
            if value(&samples, "controller_runtime_reconcile_total", result) > 0.0 {
                return samples;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    let samples = timeout(PATIENCE, reconciled).await.unwrap();
    let host = operator.server.listen().await.unwrap();
    for (name, label) in [
        (
            "controller_runtime_max_concurrent_reconciles",
            ("controller", "configmap"),
        ),
        ("workqueue_adds_total", ("name", "configmap")),
        ("informer_objects", ("resource", "configmaps")),
        ("reflector_watches_total", ("resource", "configmaps")),
        ("rest_client_requests_total", ("method", "POST")),
        (
            "rest_client_requests_total",
            ("host", host.to_string().as_str()),
        ),
        ("leader_election_master_status", ("name", "operator")),
        ("process_resident_memory_bytes", ("", "")),
        ("backups_total", ("", "")),
    ] {
        assert!(value(&samples, name, label) > 0.0, "{name} {label:?}");
    }
    assert!(
        samples
            .iter()
            .any(|one| one.name == "event_recorder_dropped_total")
    );

    let informers = get(operator.metrics, "/debug/informers").await.body;
    let informers: Value = serde_json::from_str(&informers).unwrap();
    assert_eq!(informers[0]["kind"], "ConfigMap");
    let queues = get(operator.metrics, "/debug/queues").await.body;
    let queues: Value = serde_json::from_str(&queues).unwrap();
    assert_eq!(
        queues["configmap"],
        json!({"waiting": [], "processing": [], "scheduled": []})
    );
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_replica_is_ready_when_its_caches_are_full_and_not_while_it_stops() {
    let server = ApiServer::new();
    server.fail_always(
        On::verb("watch").resource("configmaps"),
        Failure::status(503),
    );
    server.fail_always(
        On::verb("list").resource("configmaps"),
        Failure::status(503),
    );
    let release = Arc::new(tokio::sync::Notify::new());
    let held = Arc::clone(&release);
    let operator = Operator::start(server, &[], |manager| {
        manager.readyz("disk", async || Err("the disk is full".to_owned()));
        manager.add(kube_codegen_runtime::manager::Runnable::new(
            "slow",
            async move |stop: kube_codegen_runtime::manager::CancellationToken| {
                stop.cancelled().await;
                held.notified().await;
                Ok::<_, Infallible>(())
            },
        ));
    })
    .await;
    let healthy = operator.health("/healthz?verbose", 200).await;
    assert_eq!(
        healthy,
        "[+]ping ok\n[+]leader-election ok\nhealthz check passed\n"
    );
    let missing = operator.health("/readyz/caches", 500).await;
    assert!(missing.ends_with("not synced: ConfigMap\n"), "{missing}");
    operator.server.clear_faults();
    assert_eq!(operator.health("/readyz/caches", 200).await, "ok");
    let all = operator.health("/readyz?verbose", 500).await;
    assert!(all.starts_with("[+]caches ok\n[-]disk failed"), "{all}");

    let Operator {
        stop,
        running,
        health,
        ..
    } = operator;
    drop(stop);
    let stopping = async {
        while get(health, "/readyz/caches").await.status == 200 {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, stopping).await.unwrap();
    release.notify_one();
    timeout(PATIENCE, running).await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn metrics_are_secure_by_default() {
    let operator = Operator::start(ApiServer::new(), &[], |_| {}).await;
    operator.health("/readyz", 200).await;
    let (answer, _) = get_tls(operator.metrics, "/metrics", "").await;
    assert_eq!(answer.status, 401);
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_replica_whose_certificate_is_not_valid_is_not_ready() {
    let folder = tempfile::tempdir().unwrap();
    let write = |until: i32| {
        let mut settings = rcgen::CertificateParams::default();
        settings.not_after = rcgen::date_time_ymd(until, 1, 1);
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = settings.self_signed(&key).unwrap();
        std::fs::write(folder.path().join("tls.crt"), certificate.pem()).unwrap();
        std::fs::write(folder.path().join("tls.key"), key.serialize_pem()).unwrap();
    };
    write(2020);
    let flag = format!("--metrics-cert-path={}", folder.path().display());
    let operator = Operator::start(ApiServer::new(), &[&flag], |_| {}).await;
    let expired = operator.health("/readyz/metrics-certificate", 500).await;
    assert!(expired.contains("the certificate expired on"), "{expired}");
    write(4000);
    operator.health("/readyz/metrics-certificate", 200).await;
    operator.health("/readyz", 200).await;
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn an_address_in_use_ends_the_manager_with_the_name_of_the_server() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap();
    let args = Args::parse_from([
        "operator",
        &format!("--health-probe-bind-address={address}"),
    ]);
    let builder = Manager::builder(ApiServer::new().client(), "operator");
    let manager = args.manager.apply(builder).build().unwrap();
    let error = timeout(PATIENCE, manager.run(pending())).await.unwrap();
    let text = describe(&error.unwrap_err());
    let expected = format!("health server failed: cannot listen on {address}: ");
    assert!(text.starts_with(&expected), "{text}");
}

#[tokio::test]
async fn zero_turns_the_servers_off() {
    let args = Args::parse_from(["operator", "--health-probe-bind-address=0"]);
    let builder = Manager::builder(ApiServer::new().client(), "operator");
    let mut manager = args.manager.apply(builder).build().unwrap();
    // A check without a server has no effect.
    manager.healthz("broken", async || Err("always".to_owned()));
    manager.factory().informer::<Secret>();
    assert!(manager.run(sleep(Duration::from_millis(200))).await.is_ok());
}

/// A kind whose CRD is missing, perhaps because of a typo, stays visible.
#[tokio::test]
async fn a_kind_that_is_not_served_is_shown_and_does_not_make_a_replica_unready() {
    use crate::client::gadget::{Gadget, crd};
    let operator = Operator::start(ApiServer::new(), &["--metrics-secure=false"], |manager| {
        let controller = Controller::for_informer(&manager.factory().informer::<Gadget>());
        manager.controller(controller, |controller| {
            let reconcile = async |_, _| Ok::<_, Infallible>(Action::await_change());
            controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(()))
        });
    })
    .await;
    assert_eq!(operator.health("/readyz", 200).await, "ok");
    let caches = operator.health("/readyz/caches", 200).await;
    assert!(
        caches.starts_with("ok (not served: Gadget.example.com/v1 for ") && caches.ends_with(" s)"),
        "{caches}"
    );
    let verbose = operator.health("/readyz?verbose", 200).await;
    assert!(
        verbose.starts_with("[+]caches ok (not served: Gadget"),
        "{verbose}"
    );
    let seconds = async || {
        let samples = parse(&get(operator.metrics, "/metrics").await.body).0;
        let of = |one: &&Sample| {
            one.name == "informer_not_served_seconds" && one.label("resource") == "gadgets"
        };
        samples.iter().find(of).unwrap().value
    };
    assert!(seconds().await > 1.0);
    let informers = get(operator.metrics, "/debug/informers").await.body;
    let informers: Value = serde_json::from_str(&informers).unwrap();
    assert!(informers[0].get("notServedSeconds").is_none());
    assert!(informers[1]["notServedSeconds"].as_f64().unwrap() > 1.0);

    operator.server.register_crd(&crd()).unwrap();
    let served = async {
        while seconds().await > 0.0 {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, served).await.unwrap();
    assert_eq!(operator.health("/readyz/caches", 200).await, "ok");
    operator.stop().await.unwrap();
}
