//! The operator in this process, under a paused clock.
use std::{path::Path, time::Duration};

use clap::Parser;
use example_test_support::{Log, Operator, until};
use k8s_openapi::api::events::v1::Event;
use kube::CustomResourceExt;
use kube_codegen_runtime::informer::ObjectKey;
use kube_codegen_testing::{ApiServer, On};
use network_controller::{
    REPORTER,
    generated::samplecrd_k8s_io::v1::{Network, NetworkSpec},
    networks::{Networks, configuration},
    register,
    settings::Settings,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    settings: Settings,
}

fn start(server: &ApiServer, directory: &Path) -> Operator {
    let directory = directory.display().to_string();
    let args = Args::parse_from([REPORTER, "--directory", &directory]);
    Operator::start(server, REPORTER, &[], |manager| {
        register(manager, args.settings);
    })
}

fn server() -> ApiServer {
    let server = ApiServer::new();
    server.register_crd(&Network::crd()).unwrap();
    server
}

fn spec(cidr: &str, gateway: &str) -> NetworkSpec {
    NetworkSpec {
        cidr: cidr.to_owned(),
        gateway: gateway.to_owned(),
    }
}

fn seed(server: &ApiServer, name: &str, cidr: &str, gateway: &str) {
    let mut network = Network::new(name, spec(cidr, gateway));
    network.metadata.namespace = Some("default".to_owned());
    server.seed(&network).unwrap();
}

fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("default", name)
}

/// Waits until a network has this configuration, or none.
async fn configured(networks: &Networks, name: &str, expected: Option<(&str, &str)>) {
    let key = key(name);
    let expected = expected.map(|(cidr, gateway)| configuration(&key, &spec(cidr, gateway)));
    let expected = expected.transpose().unwrap();
    let reached = async {
        while networks.get(&key).unwrap() != expected {
            sleep(Duration::from_millis(10)).await;
        }
    };
    let reached = timeout(Duration::from_secs(120), reached).await;
    reached.unwrap_or_else(|_| panic!("{:?}", networks.get(&key)));
}

async fn event(server: &ApiServer, name: &str, reason: &str) -> Event {
    until(server, &format!("event {reason} about {name}"), |server| {
        server.list::<Event>().into_iter().find(|event| {
            let about = event.regarding.as_ref();
            event.reason.as_deref() == Some(reason)
                && about.and_then(|about| about.name.as_deref()) == Some(name)
        })
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn networks_follow_their_objects_and_the_handlers_log_all_but_resyncs() {
    let (log, _guard) = Log::capture();
    let (server, directory) = (server(), TempDir::new().unwrap());
    let networks = Networks::new(directory.path().to_owned());
    seed(&server, "a", "192.168.0.0/16", "192.168.0.1");
    let operator = start(&server, directory.path());
    configured(&networks, "a", Some(("192.168.0.0/16", "192.168.0.1"))).await;
    event(&server, "a", "Created").await;
    seed(&server, "v6", "fd00::/64", "fd00::1");
    configured(&networks, "v6", Some(("fd00::/64", "fd00::1"))).await;
    let change = |network: &mut Value| network["spec"]["gateway"] = json!("192.168.0.2");
    server.edit::<Network>("default", "a", change).unwrap();
    configured(&networks, "a", Some(("192.168.0.0/16", "192.168.0.2"))).await;
    log.wait(1, "onAdd: default/a: 192.168.0.0/16 via 192.168.0.1")
        .await;
    log.wait(1, "onUpdate: default/a: 192.168.0.0/16 via 192.168.0.2")
        .await;

    // Several resyncs: the handlers drop them, and nothing is configured again.
    sleep(Duration::from_secs(35 * 60)).await;
    assert_eq!(log.lines("onUpdate").len(), 1, "{:#?}", log.lines(""));
    assert_eq!(log.lines("updated: default/a").len(), 1);

    server.delete::<Network>("default", "a").unwrap();
    configured(&networks, "a", None).await;
    log.wait(1, "onDelete: default/a: 192.168.0.0/16 via 192.168.0.2")
        .await;
    assert_eq!(log.lines("last known state"), [""; 0]);
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_missed_deletion_reaches_the_handler_with_the_last_known_state() {
    let (log, _guard) = Log::capture();
    let (server, directory) = (server(), TempDir::new().unwrap());
    let networks = Networks::new(directory.path().to_owned());
    seed(&server, "a", "10.0.0.0/8", "10.0.0.1");
    let operator = start(&server, directory.path());
    configured(&networks, "a", Some(("10.0.0.0/8", "10.0.0.1"))).await;
    server.stall_watches(&On::any());
    server.delete::<Network>("default", "a").unwrap();
    server.compact();
    server.cut_watches(&On::any());
    configured(&networks, "a", None).await;
    log.wait(
        1,
        "onDelete: default/a: 10.0.0.0/8 via 10.0.0.1 (last known state)",
    )
    .await;
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_real_state_is_corrected() {
    let (server, directory) = (server(), TempDir::new().unwrap());
    let networks = Networks::new(directory.path().to_owned());
    // Its object was deleted while no operator ran.
    networks.set(&key("left"), &json!({})).unwrap();
    seed(&server, "a", "10.0.0.0/8", "10.0.0.1");
    let operator = start(&server, directory.path());
    configured(&networks, "left", None).await;
    configured(&networks, "a", Some(("10.0.0.0/8", "10.0.0.1"))).await;
    for file in networks.keys().unwrap() {
        networks.set(&file, &json!("other")).unwrap();
    }
    configured(&networks, "a", Some(("10.0.0.0/8", "10.0.0.1"))).await;
    networks.remove(&key("a")).unwrap();
    configured(&networks, "a", Some(("10.0.0.0/8", "10.0.0.1"))).await;
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn invalid_networks_are_reported_and_change_nothing() {
    let (server, directory) = (server(), TempDir::new().unwrap());
    let networks = Networks::new(directory.path().to_owned());
    seed(&server, "a", "10.0.0.0/8", "10.0.0.1");
    let operator = start(&server, directory.path());
    configured(&networks, "a", Some(("10.0.0.0/8", "10.0.0.1"))).await;
    let long = "n".repeat(253);
    for (name, cidr, gateway, expected) in [
        (
            "cidr",
            "10.0.0.0/33",
            "10.0.0.1",
            "spec.cidr is \"10.0.0.0/33\": it must be a network",
        ),
        (
            "host",
            "10.0.0.1/8",
            "10.0.0.1",
            "spec.cidr is 10.0.0.1/8: did you mean 10.0.0.0/8?",
        ),
        (
            "gateway",
            "10.0.0.0/8",
            "ten",
            "spec.gateway is \"ten\": it must be an address",
        ),
        (
            "outside",
            "10.0.0.0/8",
            "11.0.0.1",
            "spec.gateway 11.0.0.1 is not in 10.0.0.0/8",
        ),
        (
            "a",
            "10.0.0.0/8",
            "11.0.0.1",
            "spec.gateway 11.0.0.1 is not in 10.0.0.0/8",
        ),
        (
            long.as_str(),
            "10.0.0.0/8",
            "10.0.0.1",
            "metadata.name is too long for the name of a file",
        ),
    ] {
        seed(&server, name, cidr, gateway);
        let event = event(&server, name, "Invalid").await;
        assert_eq!(event.type_.as_deref(), Some("Warning"));
        let note = event.note.unwrap();
        assert!(note.contains(expected), "{note}");
    }
    assert_eq!(networks.keys().unwrap(), [key("a")]);
    configured(&networks, "a", Some(("10.0.0.0/8", "10.0.0.1"))).await;
    operator.stop().await;
}
