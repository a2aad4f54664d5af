//! A program whose environment names a collector.
use std::{
    convert::Infallible,
    env,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::{self, Command},
    sync::Arc,
    thread,
};

use clap::Parser;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_codegen_runtime::{
    controller::{Action, Controller, OnError},
    manager::{Manager, ManagerArgs},
    metrics::Format,
};
use kube_codegen_testing::ApiServer;
use serde_json::json;

/// Set for the process that is the program.
const CHILD: &str = "TRACED_PROGRAM";

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    manager: ManagerArgs,
}

/// Ends the program, as a kubelet does.
async fn reconcile(_: Arc<ConfigMap>, _: Arc<()>) -> Result<Action, Infallible> {
    let id = process::id().to_string();
    Command::new("kill").args(["-TERM", &id]).status().unwrap();
    Ok(Action::await_change())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by another test"]
async fn operator() {
    if env::var_os(CHILD).is_none() {
        return;
    }
    let server = ApiServer::new();
    server.listen().await.unwrap();
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    server.seed(&map).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let kubeconfig = directory.path().join("kubeconfig");
    std::fs::write(&kubeconfig, server.kubeconfig().unwrap()).unwrap();
    let kubeconfig = format!("--kubeconfig={}", kubeconfig.display());
    let args = ["operator", &kubeconfig, "--health-probe-bind-address=0"];
    let mut metrics = None;
    let register = |manager: &mut Manager| {
        metrics = Some(manager.metrics().clone());
        let controller = Controller::for_informer(&manager.factory().informer::<ConfigMap>());
        manager.controller(controller, |controller| {
            controller.run(reconcile, |_, _, _| OnError::Drop, Arc::new(()))
        });
    };
    Args::parse_from(args)
        .manager
        .run("my-operator", register)
        .await;
    let encoded = metrics.unwrap().encode(Format::OpenMetrics).unwrap();
    assert!(encoded.contains("# {trace_id="), "{encoded}");
}

/// Answers the requests of a connection, and returns what they had.
fn received(connection: TcpStream) -> String {
    let mut answers = connection.try_clone().unwrap();
    let mut requests = BufReader::new(connection);
    let mut all = String::new();
    loop {
        let (mut line, mut length) = (String::new(), 0);
        while requests.read_line(&mut line).unwrap() > 2 {
            if let Some(text) = line.strip_prefix("content-length: ") {
                length = text.trim().parse().unwrap();
            }
            all.push_str(&line);
            line.clear();
        }
        if line.is_empty() {
            return all;
        }
        let mut body = vec![0; length];
        requests.read_exact(&mut body).unwrap();
        all.push_str(&String::from_utf8_lossy(&body));
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
        answers.write_all(answer).unwrap();
    }
}

#[test]
fn a_program_exports_its_traces_until_it_ends() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let endpoint = format!("http://{address}");
    let collector = thread::spawn(move || received(listener.accept().unwrap().0));
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "--ignored", "traces::program::operator"])
        .env(CHILD, "1")
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
        .env("OTEL_EXPORTER_OTLP_HEADERS", "tenant=shop")
        .env("OTEL_RESOURCE_ATTRIBUTES", "zone=north")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    // If the program has sent nothing, the collector still waits.
    drop(TcpStream::connect(address));
    let received = collector.join().unwrap();
    for expected in [
        "POST /v1/traces ",
        "tenant: shop",
        "north",
        "my-operator",
        "watch event",
        "reconcile",
    ] {
        assert!(received.contains(expected), "{expected}: {received}");
    }
}
