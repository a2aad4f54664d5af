//! The operator in this process, under a paused clock.
use std::time::Duration;

use example_test_support::{Log, Operator};
use k8s_openapi::api::core::v1::Pod;
use kube_codegen_testing::{ApiServer, On};
use pod_watcher::{REPORTER, register};
use serde_json::json;
use tokio::time::sleep;

fn seed(server: &ApiServer, name: &str) {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "status": {"phase": "Pending"}});
    server.seed(&pod).unwrap();
}

#[tokio::test(start_paused = true)]
async fn every_change_is_logged_and_a_resync_redelivers_all_pods() {
    let (log, _guard) = Log::capture();
    let server = ApiServer::new();
    seed(&server, "before");
    let operator = Operator::start(&server, REPORTER, &[], register);
    log.wait(1, "onAdd: default/before").await;
    seed(&server, "a");
    log.wait(1, "onAdd: default/a").await;
    log.wait(1, "phase: default/a is Pending").await;
    let running = json!("Running");
    let change = |pod: &mut serde_json::Value| pod["status"]["phase"] = running.clone();
    server.edit::<Pod>("default", "a", change).unwrap();
    log.wait(1, "onUpdate: default/a").await;
    log.wait(1, "phase: default/a is Running").await;
    server.delete::<Pod>("default", "a").unwrap();
    log.wait(1, "onDelete: default/a").await;

    assert_eq!(log.lines("onUpdate: default/before").len(), 0);
    sleep(Duration::from_secs(11 * 60)).await;
    assert_eq!(log.lines("onUpdate: default/before").len(), 1);
    assert_eq!(log.lines("phase: default/before").len(), 2);
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_deletion_that_the_watch_missed_is_logged() {
    let (log, _guard) = Log::capture();
    let server = ApiServer::new();
    seed(&server, "a");
    let operator = Operator::start(&server, REPORTER, &[], register);
    log.wait(1, "onAdd: default/a").await;
    server.stall_watches(&On::any());
    server.delete::<Pod>("default", "a").unwrap();
    server.compact();
    server.cut_watches(&On::any());
    log.wait(1, "onDelete: default/a").await;
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn all_controllers_share_one_cache_and_only_read() {
    let (log, _guard) = Log::capture();
    let server = ApiServer::new();
    seed(&server, "a");
    let operator = Operator::start(&server, REPORTER, &[], register);
    log.wait(1, "onAdd: default/a").await;
    log.wait(1, "phase: default/a").await;
    sleep(Duration::from_secs(60)).await;
    operator.stop().await;
    let requests = server.requests();
    let watches = requests.iter().filter(|request| request.verb == "watch");
    assert_eq!(watches.count(), 1, "{requests:#?}");
    assert!(server.writes().is_empty(), "{:#?}", server.writes());
}
