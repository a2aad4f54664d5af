//! Health checks and `/debug/informers`.
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use k8s_openapi::api::core::v1::ConfigMap;
use kube_codegen_runtime::{
    informer::InformerFactory,
    server::{Server, ServerError, checks},
};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::server::{
    http::{get, request, start},
    program::Program,
};

#[tokio::test]
async fn checks_are_answered_as_kubernetes_servers_do() {
    let broken = Arc::new(AtomicBool::new(false));
    let disk = {
        let broken = Arc::clone(&broken);
        move || {
            let broken = broken.load(Ordering::Relaxed);
            async move {
                if broken {
                    Err("the disk is full".to_owned())
                } else {
                    Ok(())
                }
            }
        }
    };
    let server = Server::plain("127.0.0.1:0")
        .healthz("ping", checks::ping)
        .readyz("ping", checks::ping)
        .readyz("disk", disk);
    let server = start(server).await;
    let read = async |path: &str| {
        let answer = get(server.address, path).await;
        (answer.status, answer.body)
    };
    assert_eq!(read("/healthz").await, (200, "ok".into()));
    assert_eq!(read("/readyz/").await, (200, "ok".into()));
    let all = "[+]ping ok\n[+]disk ok\nreadyz check passed\n";
    assert_eq!(read("/readyz?verbose").await, (200, all.into()));
    assert_eq!(read("/readyz/disk").await, (200, "ok".into()));

    broken.store(true, Ordering::Relaxed);
    let failed = "[+]ping ok\n[-]disk failed: reason withheld\nreadyz check failed\n";
    assert_eq!(read("/readyz").await, (500, failed.into()));
    assert_eq!(
        read("/readyz/disk").await,
        (500, "internal server error: the disk is full\n".into())
    );
    assert_eq!(read("/readyz/ping").await, (200, "ok".into()));
    assert_eq!(
        read("/healthz").await,
        (200, "ok".into()),
        "has no such check"
    );
    let without = "[+]ping ok\n[+]disk excluded: ok\nwarn: some health checks cannot be excluded: no matches for \"disc\"\nreadyz check passed\n";
    assert_eq!(
        read("/readyz?verbose&exclude=disk&exclude=disc").await,
        (200, without.into())
    );
    for path in [
        "/",
        "/readyz/other",
        "/readyzother",
        "/metrics",
        "/debug/informers",
    ] {
        assert_eq!(read(path).await.0, 404, "{path}");
    }
    let stream = TcpStream::connect(server.address).await.unwrap();
    assert_eq!(request(stream, "POST", "/healthz", "").await.status, 405);
}

#[tokio::test]
async fn a_program_is_ready_once_its_caches_are_synced() {
    let api = ApiServer::new();
    let factory = InformerFactory::new(api.client());
    factory.informer::<ConfigMap>();
    let webhooks = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = Server::plain("127.0.0.1:0")
        .readyz("caches", checks::caches(&factory))
        .readyz(
            "webhooks",
            checks::listening(webhooks.local_addr().unwrap()),
        );
    let server = start(server).await;
    let not_yet = get(server.address, "/readyz/caches").await;
    assert_eq!(
        (not_yet.status, not_yet.body.as_str()),
        (500, "internal server error: not synced: ConfigMap\n")
    );
    factory.start();
    factory
        .wait_for_cache_sync_within(Duration::from_secs(10))
        .await
        .unwrap();
    assert_eq!(get(server.address, "/readyz").await.status, 200);
    drop(webhooks);
    let rejected = get(server.address, "/readyz?verbose").await.body;
    assert!(
        rejected.contains("[+]caches ok\n[-]webhooks failed"),
        "{rejected}"
    );
    factory.shutdown().await;
    assert_eq!(
        get(server.address, "/readyz/caches").await.status,
        500,
        "a stopped cache is stale"
    );
}

#[tokio::test]
async fn informers_are_shown_as_json() {
    let mut program = Program::start().await;
    program.reconcile(&["good"], 2).await;
    let server = start(Server::plain("127.0.0.1:0").informers(&program.factory)).await;
    let answer = get(server.address, "/debug/informers").await;
    assert!(
        answer.head.contains("content-type: application/json"),
        "{}",
        answer.head
    );
    let informers: Value = serde_json::from_str(&answer.body).unwrap();
    let informer = &informers[0];
    assert_eq!(informer["resource"], "configmaps");
    assert_eq!(
        (&informer["objects"], &informer["synced"]),
        (&json!(1), &json!(true))
    );
    assert_ne!(informer["lastSyncResourceVersion"], "");
    assert_eq!(
        informer["handlers"],
        json!([{"synced": true, "pending": 0}])
    );
    assert!(informer["ageSeconds"].as_f64().unwrap() > 0.0);
}

#[tokio::test]
async fn a_server_stops_after_its_running_requests() {
    let slow = || async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        Ok::<(), String>(())
    };
    let server = start(Server::plain("127.0.0.1:0").healthz("slow", slow)).await;
    let address = server.address;
    let running = tokio::spawn(async move { get(address, "/healthz").await });
    // A connection without a request does not delay the end.
    let _idle = TcpStream::connect(address).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.stop.send(()).unwrap();
    assert_eq!(running.await.unwrap().status, 200);
    tokio::time::timeout(Duration::from_secs(2), server.ended)
        .await
        .unwrap()
        .unwrap();
    assert!(
        TcpStream::connect(address).await.is_err(),
        "no longer listens"
    );
}

#[tokio::test]
async fn an_address_in_use_is_an_error_with_the_address() {
    let server = start(Server::plain(":0")).await;
    let taken = format!(":{}", server.address.port());
    let error = Server::plain(&taken).bind().await.unwrap_err();
    assert_eq!(error.to_string(), format!("cannot listen on {taken}"));
    let ServerError::Bind { source, .. } = error else {
        panic!()
    };
    assert_eq!(source.kind(), std::io::ErrorKind::AddrInUse);
}
